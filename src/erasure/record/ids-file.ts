import { createHash, createHmac, createSecretKey, hash } from 'node:crypto';
import { CliError } from '../../errors.ts';
import type { IdKind } from '../input/checks.ts';
import { normalizeId, type People } from '../input/given.ts';
import type { RunDirectory } from './directory.ts';
import { type Entry, listEntries } from './entry.ts';

/** A line of the `ids` file. */
function encodeEntry({ kind, id, person }: Entry): string {
  if (person === null) return toLine([kind, id, null]);
  const { uuid, distinctIds, sendAs } = person;
  return toLine([kind, id, uuid, distinctIds, ...(sendAs === undefined ? [] : [sendAs])]);
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function decodeLine(line: string, number: number): Entry {
  const [kind, id, uuid, distinctIds, sendAs] = parseRow(line);
  if ((kind === 'ids' || kind === 'distinct-ids') && typeof id === 'string') {
    if (uuid === null) return { kind, id, person: null };
    const isSent = sendAs === undefined || typeof sendAs === 'string';
    if (typeof uuid === 'string' && Array.isArray(distinctIds) && isSent)
      return { kind, id, person: { uuid, distinctIds, ...(sendAs === undefined ? {} : { sendAs }) } };
  }
  throw wasDamaged(number);
}

function parseRow(line: string): readonly unknown[] {
  try {
    const row: unknown = JSON.parse(line);
    return Array.isArray(row) ? row : [];
  } catch {
    return [];
  }
}

/** Without its content, which is somebody's id. */
function wasDamaged(line: number): CliError {
  return new CliError('check', `line ${line} of the file ids of this run was damaged`, {
    hint: 'nothing more is sent; bring back its file ids from a copy, or start afresh with --new-run',
  });
}

export type IdsFile = Readonly<ReturnType<typeof openIdsFile>>;

/** Opens the `ids` of a run, which stay on the disk: a million would fill memory. Throws `check` if some are missing. */
export function openIdsFile(directory: RunDirectory, count: number) {
  const starts = findLines(directory);
  const lines = starts.length - 1;
  if (lines < count) {
    throw new CliError('check', `the file ids of this run ends after line ${lines} of ${count}`, {
      hint: `keep ${directory.path} as it is, and start afresh with --new-run`,
    });
  }
  const file = directory.open('ids');
  const read = (from: number, to: number): readonly Entry[] => {
    const [start = 0, end = 0] = [starts[from], starts[to]];
    const text = from < to ? file.read(start, end - start).toString('utf8') : '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line, at) => decodeLine(line, from + at + 1));
  };
  return {
    entries: (from: number, size: number): readonly Entry[] => read(from, Math.min(from + size, count)),
    close: file.close,
  };
}

/** Where each whole line of `ids` starts, and where the last one ends. */
function findLines(directory: RunDirectory): readonly number[] {
  const starts = [0];
  let position = 0;
  for (const piece of readPieces(directory, 'ids')) {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1))
      starts.push(position + at + 1);
    position += piece.length;
  }
  return starts;
}

const PIECE = 1 << 16;

/** A file piece by piece, in memory that the next piece takes again. */
function* readPieces(directory: RunDirectory, name: string): Generator<Buffer> {
  const file = directory.open(name);
  const piece = Buffer.alloc(PIECE);
  try {
    for (let position = 0; position < file.size; position += PIECE) yield file.read(position, PIECE, piece);
  } finally {
    file.close();
  }
}

/** How an id or an address appears in journal and report. */
export type MemberOf = (kind: IdKind | 'emails', id: string) => string;

/** HMAC-SHA256 over an id's kind and its bytes, a UUID or an address as it is compared. Only the key recognises an id. */
export function createMemberOf(key: Uint8Array): MemberOf {
  // Prepared once, since an HMAC with the bytes of a key takes eight times as long.
  const prepared = createSecretKey(key);
  return (kind, id) => {
    const exact = kind === 'emails' ? id.normalize('NFC').toLowerCase() : normalizeId(kind, id);
    return createHmac('sha256', prepared).update(`${kind}\0${exact}`).digest('hex');
  };
}

/** A line of `members.ndjson`: all that is known of one id, as members. */
export type MemberLine = {
  readonly member: string;
  readonly kind: IdKind;
  /** The member of the UUID that the id belonged to, null without a person. */
  readonly person: string | null;
  /** That of the integer by which this person is sent. */
  readonly sentAs?: string;
  /** Those of the person. */
  readonly distinctIds?: readonly string[];
  /** Whether the person may have had more. */
  readonly mayHaveMore?: true;
  /** The address that the person had as email, null for none. */
  readonly email?: string | null;
};

/** An address without a person; these come after all others. */
type UnfoundLine = { readonly member: string; readonly kind: 'emails'; readonly person: null };

/** All by which a line can be recognised. */
export function membersOf(line: MemberLine): readonly string[] {
  const { member, person, sentAs, distinctIds = [], email } = line;
  return [...new Set([member, person ?? [], sentAs ?? [], ...distinctIds, email ?? []].flat())];
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
  const sum = Buffer.alloc(32);
  return {
    // Members are unique within a run, so none cancels another out.
    add(member) {
      const bytes = Buffer.from(member, 'hex');
      for (let at = 0; at < sum.length; at += 4)
        sum.writeInt32LE(sum.readInt32LE(at) ^ bytes.readInt32LE(at), at);
    },
    value: () => sum.toString('hex'),
  };
}

const membersFile = 'members.ndjson';

/** The ids of the plan. Throws a `check` error before the first if the file is not the one that the plan was made with. */
export function* readMembers(directory: RunDirectory, digest: string): Generator<MemberLine> {
  for (const line of readLines(directory, digest)) if (line.kind !== 'emails') yield line;
}

/** Addresses without a person, as members. Throws like `readMembers`. */
export function* readUnfound(directory: RunDirectory, digest: string): Generator<string> {
  for (const { kind, member } of readLines(directory, digest)) if (kind === 'emails') yield member;
}

function* readLines(directory: RunDirectory, digest: string): Generator<MemberLine | UnfoundLine> {
  if (!directory.has(membersFile) || digestMembers(directory) !== digest) {
    throw new CliError('check', 'the list of the ids, as HMACs, was changed since the run was planned', {
      hint: `who was in the run cannot be told from it: bring back ${membersFile} in ${directory.path} from a copy`,
    });
  }
  let rest = '';
  for (const piece of readPieces(directory, membersFile)) {
    // The file is ASCII, so a piece of bytes is a piece of text.
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    // Cast: it is the file that was written here, by its hash.
    for (const line of lines) yield JSON.parse(line) as MemberLine | UnfoundLine;
  }
}

export function digestMembers(directory: RunDirectory): string {
  const sum = createHash('sha256');
  for (const piece of readPieces(directory, membersFile)) sum.update(piece);
  return sum.digest('hex');
}

const keyFile = 'check-key';

export function writeCheckKey(directory: RunDirectory, key: Uint8Array): void {
  directory.writeNew(keyFile, [`${Buffer.from(key).toString('hex')}\n`]);
}

/** Tells whether a key is the same one, and nothing of the key: no member is taken over this text. */
export function fingerprintOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('fingerprint').digest('hex');
}

export type KeyState = 'holds' | 'changed' | 'missing';

/** The check key of a run. With another than the planned one `memberOf` throws: it would recognise no id. */
export function readCheckKey(directory: RunDirectory, fingerprint: string) {
  const key = directory.has(keyFile) ? Buffer.from(directory.readText(keyFile).trim(), 'hex') : undefined;
  const keyState = compare(key, fingerprint);
  const problem = keyProblem(keyState);
  const refuse: MemberOf = () => {
    throw new CliError('check', problem ?? '', {
      hint: `no id can be recognised without it: bring back ${keyFile} in ${directory.path} from a copy`,
    });
  };
  return { keyState, memberOf: key && problem === undefined ? createMemberOf(key) : refuse };
}

export function keyProblem(state: KeyState): string | undefined {
  if (state === 'missing') return 'the check key of this run is missing';
  return state === 'changed' ? 'the check key of this run is not the one it was planned with' : undefined;
}

function compare(key: Buffer | undefined, fingerprint: string): KeyState {
  if (key === undefined) return 'missing';
  if (key.length !== 32) return 'changed';
  return fingerprintOf(key) === fingerprint ? 'holds' : 'changed';
}

/**
 * Writes the ids and, side by side since listing a million of them twice takes time, how they appear in the report: that
 * tells who was in the run without the ids. Syncs both files and gives back what the plan holds of them.
 */
export function writeEntries(directory: RunDirectory, key: Uint8Array, people: readonly People[]) {
  const memberOf = createMemberOf(key);
  const sum = createHash('sha256');
  const mark = createMark();
  let count = 0;
  const ids = directory.create('ids');
  try {
    const members = directory.create(membersFile);
    const write = (line: MemberLine | UnfoundLine) => {
      const text = toLine(line);
      sum.update(text);
      members.add(text);
    };
    try {
      const lines = people.flatMap(({ list }) => list.lines ?? []);
      const addressed = lines.filter(({ address }) => address !== undefined);
      const addresses = new Map(addressed.map(({ id, address }) => [id, address?.given]));
      for (const entry of listEntries(people)) {
        const line = toMemberLine(entry, addresses.get(entry.id), memberOf);
        ids.add(encodeEntry(entry));
        mark.add(line.member);
        count += 1;
        write(line);
      }
      // So that the request list can be answered from the record.
      const unfound = lines.flatMap(({ address }) => (address?.outcome === 'nobody' ? address.given : []));
      for (const member of new Set(unfound.map((address) => memberOf('emails', address))))
        write({ member, kind: 'emails', person: null });
      ids.finish();
      members.finish();
    } finally {
      members.close();
    }
  } finally {
    ids.close();
  }
  return { count, sha256: sum.digest('hex'), mark: mark.value() };
}

function toMemberLine(
  { kind, id, person }: Entry,
  address: string | undefined,
  memberOf: MemberOf,
): MemberLine {
  const line = { member: memberOf(kind, id), kind };
  const email = address ?? person?.email;
  if (person === null) return { ...line, person };
  const known = email === undefined ? {} : { email: email && memberOf('emails', email) };
  const distinctIds = person.distinctIds.map((one) => memberOf('distinct-ids', one));
  const sent = person.sendAs === undefined ? {} : { sentAs: memberOf('ids', person.sendAs) };
  const more = person.mayHaveMore ? ({ mayHaveMore: true } as const) : {};
  return { ...line, person: memberOf('ids', person.uuid), ...sent, distinctIds, ...more, ...known };
}
