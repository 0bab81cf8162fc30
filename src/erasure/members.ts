import { hash } from 'node:crypto';
import { hexDigits } from './hex-digits.ts';
import { type IdKind, normalizeId } from './id-kind.ts';

/** How an id appears in journal and report. */
export type MemberOf = (kind: IdKind, id: string) => string;

const block = 64;
const size = 32;

/** The same as bytes, written as one character each. */
export type MemberBytesOf = (kind: IdKind, id: string) => string;

export function createMemberOf(key: Uint8Array): MemberOf {
  const bytesOf = createMemberBytesOf(key);
  return (kind, id) => toHex(bytesOf(kind, id));
}

/**
 * HMAC-SHA256 over an id's kind and its exact bytes (a UUID in lower case) with the run's key, of at most 64
 * bytes. Without the key not even a guessed id can be recognised. Written out as its two hashes over memory that is used
 * again, with their results as text of one character a byte: objects and calls for each of a million ids cost more than
 * the hashes.
 */
export function createMemberBytesOf(key: Uint8Array): MemberBytesOf {
  const outer = padded(key, 0x5c, block + size);
  const inner = { ids: createInner(key, 'ids'), 'distinct-ids': createInner(key, 'distinct-ids') };
  return (kind, id) => {
    const first = hash('sha256', inner[kind](normalizeId(kind, id)), 'binary');
    for (let index = 0; index < size; index += 1) outer[block + index] = first.charCodeAt(index);
    return hash('sha256', outer, 'binary');
  };
}

/** What the inner hash is taken over, for one id after the other. Most are as long as the one before. */
function createInner(key: Uint8Array, kind: IdKind): (id: string) => Uint8Array {
  const start = block + Buffer.byteLength(kind) + 1;
  let bytes: Buffer = Buffer.alloc(0);
  let view = bytes;
  return (id) => {
    if (start + id.length * 3 > bytes.length) {
      bytes = padded(key, 0x36, start + Math.max(1024, id.length * 3));
      bytes.write(`${kind}\0`, block);
    }
    const length = writeAscii(id, bytes, start) ? id.length : bytes.write(id, start);
    const end = start + length;
    if (view.length !== end || view.buffer !== bytes.buffer) view = bytes.subarray(0, end);
    return view;
  };
}

/** Faster than a call for the few bytes that ids have; false for longer texts, and for those with other characters. */
function writeAscii(text: string, bytes: Uint8Array, start: number): boolean {
  if (text.length > block) return false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return false;
    bytes[start + index] = code;
  }
  return true;
}

const spelling = Buffer.alloc(size * 2);

function toHex(bytes: string): string {
  for (let index = 0; index < size; index += 1) {
    const digits = hexDigits(bytes.charCodeAt(index));
    spelling[index * 2] = digits;
    spelling[index * 2 + 1] = digits >> 8;
  }
  return spelling.toString('latin1');
}

function padded(key: Uint8Array, pad: number, length: number): Buffer {
  const bytes = Buffer.alloc(length, pad);
  for (const [index, byte] of key.entries()) bytes[index] = byte ^ pad;
  return bytes;
}

/** The same for a single id. */
export function memberOf(key: Uint8Array, kind: IdKind, id: string): string {
  return createMemberOf(key)(kind, id);
}

/** One SHA-256 over the members of a batch, in the order they were sent. */
export function digestOf(members: Iterable<string>): string {
  return hash('sha256', [...members].join(''), 'hex');
}

/** A member, which is in hex, as one character for each byte. */
export function bytesOfMember(member: string): string {
  return Buffer.from(member, 'hex').toString('latin1');
}

/** A value over a set of members, as bytes, that does not depend on their order: a selection may come back in another. */
export function createMark(): { add(member: string): void; value(): string } {
  const sum = new Uint8Array(size);
  return {
    // Members are unique within a run, so none cancels another out.
    add(member) {
      for (let index = 0; index < size; index += 1) {
        sum[index] = (sum[index] ?? 0) ^ member.charCodeAt(index);
      }
    },
    value: () => Buffer.from(sum).toString('hex'),
  };
}

/** A line of `members.ndjson`; `person` is the member of the uuid that the id belonged to, null for nobody. */
export type MemberLine = { readonly member: string; readonly kind: IdKind; readonly person?: string | null };

export function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
