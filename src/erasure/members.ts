import { hash } from 'node:crypto';
import { type IdKind, normalizeId } from './id-kind.ts';

/** How an id appears in journal and report. */
export type MemberOf = (kind: IdKind, id: string) => string;

const block = 64;
const size = 32;

/**
 * HMAC-SHA256, in hex, over an id's kind and its exact bytes (a UUID in lower case) with the run's key, of at most 64
 * bytes. Without the key not even a guessed id can be recognised. Written out as its two hashes over memory that is used
 * again: an object for each of a million ids costs more in clearing them away than the hashes.
 */
export function createMemberOf(key: Uint8Array): MemberOf {
  const outer = padded(key, 0x5c, block + size);
  const inner = { ids: createInner(key, 'ids'), 'distinct-ids': createInner(key, 'distinct-ids') };
  return (kind, id) => {
    outer.write(hash('sha256', inner[kind](normalizeId(kind, id)), 'hex'), block, 'hex');
    return hash('sha256', outer, 'hex');
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
    const end = start + bytes.write(id, start);
    if (view.length !== end || view.buffer !== bytes.buffer) view = bytes.subarray(0, end);
    return view;
  };
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

/** A value over a set of members that does not depend on their order, since a selection may come back in another. */
export function createMark(): { add(member: string): void; value(): string } {
  const sum = new Int32Array(size / 4);
  const words = new Int32Array(size / 4);
  const bytes = Buffer.from(words.buffer);
  return {
    add(member) {
      bytes.write(member, 'hex');
      for (let index = 0; index < sum.length; index += 1) {
        // Members are unique within a run, so none cancels another out.
        sum[index] = (sum[index] ?? 0) ^ (words[index] ?? 0);
      }
    },
    value: () => Buffer.from(sum.buffer).toString('hex'),
  };
}

/** A line of `members.ndjson`; `person` is the member of the uuid that the id belonged to, null for nobody. */
export type MemberLine = { readonly member: string; readonly kind: IdKind; readonly person?: string | null };

export function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
