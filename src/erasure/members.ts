import { createHash, createHmac, hash } from 'node:crypto';
import { CliError } from '../errors.ts';
import { type IdKind, normalizeId } from './entries.ts';
import type { RunDirectory } from './run-directory.ts';

/** How an id or an address appears in journal and report. */
export type MemberOf = (kind: IdKind | 'emails', id: string) => string;

/** A line of `members.ndjson`: all that is known of one id, as members. What nobody looked up is absent. */
export type MemberLine = {
  readonly member: string;
  readonly kind: IdKind;
  /** Of a person id that nobody looked up; absent in records of older versions. */
  readonly form?: 'integer' | 'uuid';
  /** The member of the uuid that the id belonged to, null for nobody. */
  readonly person?: string | null;
  /** That of the integer by which this person is sent. */
  readonly sentAs?: string;
  /** Those of the person. */
  readonly distinctIds?: readonly string[];
  /** The address that the person had as email, null for none. */
  readonly email?: string | null;
};

/** What `members.ndjson` holds behind these of an address that led to nobody. */
type UnfoundLine = { readonly member: string; readonly kind: 'emails'; readonly person: null };

/** All by which a line can be recognised. */
export function membersOf({
  member,
  person,
  sentAs,
  distinctIds = [],
  email,
}: MemberLine): readonly string[] {
  return [...new Set([member, person ?? [], sentAs ?? [], ...distinctIds, email ?? []].flat())];
}

const block = 64;
const size = 32;

/**
 * HMAC-SHA256 over an id's kind and its exact bytes (a UUID or an address in lower case) with the run's key, of at most 64
 * bytes. Without the key not even a guessed id can be recognised. Written out as its two hashes, since a million HMAC
 * objects take three times as long.
 */
export function createMemberOf(key: Uint8Array): MemberOf {
  let inner = padded(key, 0x36, 1024);
  const outer = padded(key, 0x5c, size);
  return (kind, id) => {
    const text = `${kind}\0${kind === 'emails' ? id.toLowerCase() : normalizeId(kind, id)}`;
    if (text.length * 3 > inner.length - block) inner = padded(key, 0x36, text.length * 3);
    const length = inner.write(text, block);
    outer.write(hash('sha256', inner.subarray(0, block + length), 'binary'), block, 'latin1');
    return hash('sha256', outer, 'hex');
  };
}

/** A block of the key under a pad, and room behind it. */
function padded(key: Uint8Array, pad: number, room: number): Buffer {
  const bytes = Buffer.alloc(block + room, pad);
  for (const [index, byte] of key.entries()) bytes[index] = byte ^ pad;
  return bytes;
}

export function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** One SHA-256 over the members of a batch, in the order they were sent. */
export function digestOf(members: Iterable<string>): string {
  return sha256([...members].join(''));
}

/** A value over a set of members that does not depend on their order: a selection may come back in another. */
export function createMark(): { readonly add: (member: string) => void; readonly value: () => string } {
  const sum = Buffer.alloc(size);
  const bytes = Buffer.alloc(size);
  return {
    // Members are unique within a run, so none cancels another out.
    add(member) {
      bytes.write(member, 'hex');
      for (let index = 0; index < size; index += 4) {
        sum.writeInt32LE(sum.readInt32LE(index) ^ bytes.readInt32LE(index), index);
      }
    },
    value: () => sum.toString('hex'),
  };
}

const fileName = 'members.ndjson';
const readSize = 1 << 16;

export type MembersWriter = {
  readonly add: (line: MemberLine) => void;
  /** An address that led to nobody; they come after all lines. */
  readonly addUnfound: (member: string) => void;
  /** Syncs the file and gives back what the plan holds of it. */
  readonly finish: () => { readonly count: number; readonly sha256: string; readonly mark: string };
  readonly close: () => void;
};

/**
 * Writes how each id of the run appears in its report, in the order of the plan, so that membership can be told when
 * the ids themselves are gone.
 */
export function createMembers(directory: RunDirectory): MembersWriter {
  const file = directory.create(fileName);
  const sum = createHash('sha256');
  const mark = createMark();
  let count = 0;
  const write = (line: MemberLine | UnfoundLine) => {
    const text = `${JSON.stringify(line)}\n`;
    sum.update(text);
    file.add(text);
  };
  return {
    add(line) {
      mark.add(line.member);
      count += 1;
      write(line);
    },
    addUnfound: (member) => write({ member, kind: 'emails', person: null }),
    finish() {
      file.finish();
      return { count, sha256: sum.digest('hex'), mark: mark.value() };
    },
    close: file.close,
  };
}

type PlannedMembers = { readonly count: number; readonly sha256: string };

/** The ids of the plan. Throws a `check` error before the first where the file is not the one that the plan was made with. */
export function* readMembers(directory: RunDirectory, planned: PlannedMembers): Generator<MemberLine> {
  let count = 0;
  for (const line of readLines(directory, planned)) {
    count += 1;
    if (count > planned.count) return;
    // Cast: these many were written first.
    yield line as MemberLine;
  }
}

/** Addresses that led to nobody, as members. Throws like `readMembers`. */
export function* readUnfound(directory: RunDirectory, planned: PlannedMembers): Generator<string> {
  for (const { kind, member } of readLines(directory, planned)) if (kind === 'emails') yield member;
}

function* readLines(directory: RunDirectory, planned: PlannedMembers): Generator<MemberLine | UnfoundLine> {
  if (!directory.has(fileName) || digestMembers(directory) !== planned.sha256) throw wereChanged(directory);
  let rest = '';
  for (const text of readTexts(directory)) {
    const known = rest + text;
    rest = known.slice(known.lastIndexOf('\n') + 1);
    // Cast: it is the file that was written here, by its hash.
    for (const line of known.split('\n').slice(0, -1)) yield JSON.parse(line) as MemberLine | UnfoundLine;
  }
}

/** The hash of the file as it is now. */
export function digestMembers(directory: RunDirectory): string {
  const sum = createHash('sha256');
  for (const text of readTexts(directory)) sum.update(text, 'latin1');
  return sum.digest('hex');
}

/** The file is ASCII, so a piece of bytes is a piece of text; another byte must change the hash. */
function* readTexts(directory: RunDirectory): Generator<string> {
  const file = directory.open(fileName);
  const piece = Buffer.alloc(readSize);
  try {
    for (let position = 0; position < file.size; position += readSize) {
      yield file.read(position, readSize, piece).toString('latin1');
    }
  } finally {
    file.close();
  }
}

function wereChanged({ path }: RunDirectory): CliError {
  return new CliError('check', 'the list of the ids, as HMACs, was changed since the run was planned', {
    hint: `who was in the run cannot be told from it: bring back ${fileName} in ${path} from a copy`,
  });
}

const keyFile = 'check-key';
const keyBytes = 32;

export function writeCheckKey(directory: RunDirectory, key: Uint8Array): void {
  directory.writeNew(keyFile, [`${Buffer.from(key).toString('hex')}\n`]);
}

/** Tells whether a key is the same one, and nothing of the key: no member is taken over this text. */
export function fingerprintOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('fingerprint').digest('hex');
}

/** `cannot be told`: the plan has no fingerprint, since an older version wrote it, and only ids can tell. */
export type KeyState = 'holds' | 'changed' | 'missing' | 'cannot be told';

/**
 * The check key of a run, compared with the fingerprint in its plan. With another one every id would look like a
 * stranger, so `memberOf` throws a `check` error then.
 */
export function readCheckKey(
  directory: RunDirectory,
  fingerprint: string | undefined,
): { readonly keyState: KeyState; readonly memberOf: MemberOf } {
  const key = directory.has(keyFile) ? Buffer.from(directory.readText(keyFile).trim(), 'hex') : undefined;
  const keyState = compare(key, fingerprint);
  if (key !== undefined && (keyState === 'holds' || keyState === 'cannot be told')) {
    return { keyState, memberOf: createMemberOf(key) };
  }
  const refuse = () => {
    throw new CliError('check', keyProblem(keyState) ?? '', {
      hint: `no id can be recognised without it: bring back ${keyFile} in ${directory.path} from a copy`,
    });
  };
  return { keyState, memberOf: refuse };
}

/** What is wrong with the key, as a sentence. */
export function keyProblem(state: KeyState): string | undefined {
  if (state === 'missing') return 'the check key of this run is missing';
  return state === 'changed' ? 'the check key of this run is not the one it was planned with' : undefined;
}

function compare(key: Buffer | undefined, fingerprint: string | undefined): KeyState {
  if (key === undefined) return 'missing';
  if (key.length !== keyBytes) return 'changed';
  if (fingerprint === undefined) return 'cannot be told';
  return fingerprintOf(key) === fingerprint ? 'holds' : 'changed';
}
