import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import {
  type Collecting,
  collectIds,
  type Entry,
  type IdKind,
  type IdList,
  isSendable,
} from './collect-ids.ts';
import type { bulkDeleteOptions } from './options.ts';
import { joinFailures, readFiles } from './read-ids.ts';
import type { People } from './resolve.ts';

export type Input = OptionsInput<typeof bulkDeleteOptions>;

export type AddressSources = Reading & Pick<Input, 'emails' | 'as'>;

/** Reads the addresses of `--emails` and of files of addresses, with their lines; nothing if none were given. */
export async function readAddresses(sources: AddressSources, context: Context): Promise<IdList | undefined> {
  const { emails, from, as, column, sheet, allowOddIds = false, lines = 'keep' } = sources;
  const how = { ...howToCollect({ ...sources, allowOddIds, lines }), areAddresses: true };
  const lists: IdList[] = [];
  if (emails !== undefined) lists.push(collectIds('distinct-ids', emails, how));
  if (as === 'emails') {
    if (from === undefined) throw belongsToFrom('--as');
    lists.push(...(await readFiles(from, { ...how, kind: 'distinct-ids', column, sheet }, context)));
  }
  return oneOfEachKind(lists, context)[0];
}

/**
 * The ids of a run in the order they are sent. Those that are not sent come last: ids without a person, and further
 * ids of a person who is sent once already.
 */
export function* listEntries(people: readonly People[]): Generator<Entry> {
  for (const isWanted of [true, false]) {
    for (const { entry, isSent } of arrange(people)) if (isSent === isWanted) yield entry;
  }
}

/** How many ids of each list are sent. */
export function countSent(people: readonly People[]): readonly number[] {
  const counts = people.map(() => 0);
  for (const { at, isSent } of arrange(people)) if (isSent) counts[at] = (counts[at] ?? 0) + 1;
  return counts;
}

function* arrange(people: readonly People[]) {
  const persons = new Set<string>();
  for (const [at, { list, resolution }] of people.entries()) {
    for (const [index, id] of list.ids.entries()) {
      const entry: Entry =
        resolution === undefined
          ? { kind: list.kind, id }
          : { kind: list.kind, id, person: resolution.at(index) };
      const uuid = entry.person?.uuid.toLowerCase();
      yield { at, entry, isSent: isSendable(entry) && (uuid === undefined || !persons.has(uuid)) };
      if (uuid !== undefined) persons.add(uuid);
    }
  }
}

type Reading = Pick<Input, 'from' | 'column' | 'sheet' | 'allowOddIds' | 'trim' | 'skipOdd'> & {
  /** Whether the lists keep their lines. */
  readonly lines?: Collecting['lines'];
};

/** Where ids come from; a selection is read elsewhere. */
export type IdSources = Reading &
  Pick<Input, 'ids' | 'distinctIds'> & {
    readonly words?: readonly string[] | undefined;
    readonly as?: IdKind | undefined;
  };

/**
 * Reads every id that was given, by kind. The kind comes from the option, never from the id's shape.
 * Ids that look damaged are taken, since a run knows its own ids, unless `allowOddIds` is false. Throws a usage error for
 * ids that cannot be sent, and for `--from` without `--as`.
 */
export async function readPeople(sources: IdSources, context: Context): Promise<readonly People[]> {
  const { words = [], ids = [], distinctIds, from, as, column, sheet, allowOddIds = true } = sources;
  const described = [as && '--as', column && '--column', sheet && '--sheet'].find(Boolean);
  if (from === undefined && described) throw belongsToFrom(described);
  const how = howToCollect({ ...sources, allowOddIds });
  const lists: IdList[] = [];
  const persons = [...words, ...ids];
  if (persons.length > 0) lists.push(collectIds('ids', persons, how));
  if (distinctIds !== undefined) lists.push(collectIds('distinct-ids', distinctIds, how));
  if (from !== undefined && as === undefined) {
    throw usageError('--from needs --as', 'add --as distinct-ids, or --as ids for person ids');
  }
  if (from !== undefined && as !== undefined)
    lists.push(...(await readFiles(from, { ...how, kind: as, column, sheet }, context)));
  return oneOfEachKind(lists, context).map((list) => ({ list }));
}

type How = Pick<Collecting, 'allowSuspicious' | 'lines' | 'trim' | 'skipOdd' | 'areAddresses'>;

function howToCollect({ allowOddIds: allowSuspicious = false, lines, trim, skipOdd }: Reading): How {
  return { allowSuspicious, lines, trim, skipOdd: skipOdd !== undefined };
}

function belongsToFrom(option: string) {
  return usageError(`${option} needs --from`, 'add --from <file>, or --from - for standard input');
}

/** Ids of one kind from several places are one list, so that repeats across them are found. Their notes are told. */
function oneOfEachKind(lists: readonly IdList[], context: Context): readonly IdList[] {
  for (const list of lists) list.notes.forEach(context.warn);
  const kinds = [...new Set(lists.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const same = lists.filter((list) => list.kind === kind);
    const [only] = same;
    if (same.length === 1 && only) return [only];
    const joined = collectIds(kind, everyId(same));
    const asked = same.reduce((sum, list) => sum + list.asked, 0);
    const suspicious = same.reduce((sum, list) => sum + list.suspicious, 0);
    const all = same.flatMap((list) => list.lines ?? []);
    const lines = all.length === 0 ? undefined : all;
    const refusal = joinFailures(same.flatMap((list) => list.refusal ?? []));
    return [{ ...joined, asked, repeats: asked - joined.ids.length, suspicious, lines, refusal }];
  });
}

function* everyId(lists: readonly IdList[]): Generator<string> {
  for (const { ids } of lists) yield* ids;
}
