import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { CliError } from '../../errors.ts';
import { foldAddress } from '../../semantics/address.ts';
import type { GivenKind, IdKind } from '../input/checks.ts';
import { normalizeId } from '../input/given.ts';
import type { Spared } from '../people/exceptions.ts';
import { toPerson } from '../people/look.ts';
import { createMark } from './digest.ts';
import type { RunDirectory } from './directory.ts';
import type { Entry, PlannedBatch } from './entry.ts';
import { encodeEntry, readPieces, toLine } from './ids-file.ts';
import type { BatchSize } from './journal.ts';
import { encodePerson, type WrittenPerson } from './sightings.ts';
import type { BatchPlace } from './state.ts';

/** How an id or an address appears in journal and report. */
export type MemberOf = (kind: IdKind | 'emails', id: string) => string;

/** HMAC-SHA256 over an id's kind and its bytes, a UUID or an address as it is compared. Only the key recognises an id. */
export function createMemberOf(key: Uint8Array): MemberOf {
  // Prepared once, since an HMAC with the bytes of a key takes eight times as long.
  const prepared = createSecretKey(key);
  return (kind, id) => {
    const exact = kind === 'emails' ? foldAddress(id) : normalizeId(kind, id);
    return createHmac('sha256', prepared).update(`${kind}\0${exact}`).digest('hex');
  };
}

/** A line of `members.ndjson`: all that is known of one id, as HMACs. */
export type MemberLine = {
  readonly member: string;
  readonly kind: IdKind;
  /** Null if the person list knew nobody. */
  readonly person: WrittenPerson | null;
  /** Whom only SQL showed then. */
  readonly other?: WrittenPerson;
  /** The integer by which this person is sent. */
  readonly sentAs?: string;
  /** The address that the person had as email, null for none. */
  readonly email?: string | null;
  /** The day on which the request came in, if lines have days of their own. */
  readonly received?: string;
};

/** What stands behind the ids: addresses without a person, lines of somebody excepted, and whom exceptions protect. */
type FurtherLine = { readonly member: string; readonly kind: 'emails' | 'held' | 'excepted' | 'spared' };

/** All by which a line can be recognised. */
export function membersOf({ member, person, sentAs, email }: MemberLine): readonly string[] {
  const { uuid = [], ids = [] } = person ?? {};
  return [...new Set([member, uuid, sentAs ?? [], ...ids, email ?? []].flat())];
}

/** The id by which the core knows a line: a person who was named by an integer has their UUID. */
export function coreIdOf({ kind, member, person }: MemberLine): string {
  return kind === 'ids' && person !== null ? person.uuid : member;
}

const membersFile = 'members.ndjson';

/**
 * The members of a run, whose file is only read once it is the one that the plan was made with: `readLines` throws a
 * `check` error otherwise. `batches` says where each batch begins.
 */
export function openMembers(
  directory: RunDirectory,
  { sha256: digest, count }: { readonly sha256: string; readonly count: number },
  batches: readonly BatchPlace[],
) {
  let starts: readonly number[] | undefined;
  const find = () => {
    starts ??= findBatches(directory, digest, batches);
    return starts;
  };
  const further = (kind: FurtherLine['kind']): readonly string[] => {
    const from = find()[batches.length] ?? 0;
    return [...readLines<FurtherLine>(directory, from)].flatMap((line) =>
      line.kind === kind ? line.member : [],
    );
  };
  return {
    /** The ids of one batch, counted from 1. */
    batch: (number: number): readonly MemberLine[] => {
      const all = find();
      return [...readLines<MemberLine>(directory, all[number - 1] ?? 0, all[number])];
    },
    all: function* (): Generator<MemberLine> {
      const all = find();
      let left = count;
      for (const line of readLines<MemberLine>(directory, all[0] ?? 0)) {
        if (left === 0) return;
        left -= 1;
        yield line;
      }
    },
    /** Addresses without a person, or the ids of an exception. */
    further,
  };
}

/** Where each batch begins in the file, and where the lines behind them do. */
function findBatches(
  directory: RunDirectory,
  digest: string,
  batches: readonly BatchPlace[],
): readonly number[] {
  if (!directory.has(membersFile)) throw wasChanged(directory);
  const sum = createHash('sha256');
  const starts = [0];
  let next = batches[0]?.ids ?? Number.POSITIVE_INFINITY;
  let lines = 0;
  let position = 0;
  for (const piece of readPieces(directory, membersFile)) {
    sum.update(piece);
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) {
      lines += 1;
      if (lines < next) continue;
      starts.push(position + at + 1);
      next = lines + (batches[starts.length - 1]?.ids ?? Number.POSITIVE_INFINITY);
    }
    position += piece.length;
  }
  if (sum.digest('hex') !== digest) throw wasChanged(directory);
  return starts;
}

function wasChanged({ path }: RunDirectory): CliError {
  return new CliError('check', 'the list of the ids, as HMACs, was changed since the run was planned', {
    hint: `who was in the run cannot be told from it: bring back ${membersFile} in ${path} from a copy`,
  });
}

/** The lines from one place in the file to another, or to its end. */
function* readLines<Line>(directory: RunDirectory, from: number, to?: number): Generator<Line> {
  let rest = '';
  for (const piece of readPieces(directory, membersFile, { from, to })) {
    // The file is ASCII, so a piece of bytes is a piece of text.
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    // Cast: it is the file that was written here, by its hash.
    for (const line of lines) yield JSON.parse(line) as Line;
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

type Writing = Spared & {
  readonly batches: Iterable<PlannedBatch>;
  /** The address by which each person was given, by UUID, and addresses without a person. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly unfound: Iterable<string>;
  /** Lines that lead to somebody who is excepted, as they were given. */
  readonly held: Iterable<{ readonly kind: GivenKind; readonly id: string }>;
  /** The day of each id that has one of its own. */
  readonly dayOf: (kind: IdKind, id: string) => string | undefined;
};

/**
 * Writes the ids and, side by side since listing a million of them twice takes time, how they appear in the report: that
 * tells who was in the run without the ids. Syncs both files and gives back what the plan holds of them.
 */
export function writeEntries(directory: RunDirectory, key: Uint8Array, writing: Writing) {
  const memberOf = createMemberOf(key);
  const sum = createHash('sha256');
  const mark = createMark();
  const sizes: BatchSize[] = [];
  let count = 0;
  const ids = directory.create('ids');
  try {
    const members = directory.create(membersFile);
    const write = (line: MemberLine | FurtherLine) => {
      const text = toLine(line);
      sum.update(text);
      members.add(text);
    };
    try {
      for (const { entries, persons } of writing.batches) {
        for (const entry of entries) {
          const address = writing.addresses.get((entry.person ?? entry.other)?.uuid.toLowerCase() ?? '');
          const received = writing.dayOf(entry.kind, entry.id);
          const line = { ...toMemberLine(entry, address, memberOf), ...(received && { received }) };
          ids.add(encodeEntry(entry));
          mark.add(line.member);
          write(line);
        }
        sizes.push([entries.length, persons]);
        count += entries.length;
      }
      const further = (kind: FurtherLine['kind'], texts: Iterable<string>) => {
        for (const member of new Set(texts)) write({ member, kind });
      };
      // So that the request list can be answered from the record.
      further(
        'emails',
        [...writing.unfound].map((address) => memberOf('emails', address)),
      );
      further(
        'held',
        [...writing.held].map(({ kind, id }) => memberOf(kind, id)),
      );
      for (const kind of ['excepted', 'spared'] as const)
        further(
          kind,
          writing[kind].map((one) => memberOf(one.kind, one.id)),
        );
      ids.finish();
      members.finish();
    } finally {
      members.close();
    }
  } finally {
    ids.close();
  }
  return { sizes, members: { count, sha256: sum.digest('hex'), mark: mark.value() } };
}

/** How an entry appears as HMACs, or, with a `memberOf` that keeps ids as they are, to the core before there is a key. */
export function toMemberLine(
  { kind, id, person, other }: Entry,
  address: string | undefined,
  memberOf: MemberOf,
): MemberLine {
  const email = address ?? person?.email;
  return {
    member: memberOf(kind, id),
    kind,
    person: person && encodePerson(toPerson(person, memberOf)),
    ...(other === undefined ? {} : { other: encodePerson(toPerson(other, memberOf)) }),
    ...(person?.sendAs === undefined ? {} : { sentAs: memberOf('ids', person.sendAs) }),
    ...(email === undefined ? {} : { email: email && memberOf('emails', email) }),
  };
}
