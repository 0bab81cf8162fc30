import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import { type Collecting, collectIds, type Entry, type IdList, isSendable } from './collect-ids.ts';
import type { bulkDeleteOptions } from './options.ts';
import { joinFailures, readFiles } from './read-ids.ts';
import type { People } from './resolve.ts';
import type { GivenKind } from './suspicious-ids.ts';

export type Input = OptionsInput<typeof bulkDeleteOptions>;

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

/** Where people come from, and how they are read; a selection is read elsewhere. */
export type Sources = Pick<
  Input,
  'ids' | 'distinctIds' | 'emails' | 'from' | 'as' | 'column' | 'sheet' | 'allowOddIds' | 'trim' | 'skipOdd'
> & {
  readonly words?: readonly string[] | undefined;
  /** Whether the lists keep their lines. */
  readonly lines?: Collecting['lines'];
};

/** What was given, by kind. */
type Given = { readonly people: readonly People[]; readonly addresses: IdList<'emails'> | undefined };

/**
 * Reads everything that was given. The kind comes from the option, never from the id's shape. What looks damaged is
 * taken, since a run knows its own ids, unless `allowOddIds` is false. Throws a usage error for ids that cannot be sent,
 * and for `--from` without `--as`.
 */
export async function readGiven(sources: Sources, context: Context): Promise<Given> {
  const { words = [], ids = [], distinctIds, emails, from, as, column, sheet, lines, trim } = sources;
  const described = [as && '--as', column && '--column', sheet && '--sheet'].find(Boolean);
  if (from === undefined && described)
    throw usageError(`${described} needs --from`, 'add --from <file>, or --from - for standard input');
  const { allowOddIds: allowSuspicious = true, skipOdd } = sources;
  const how = { allowSuspicious, lines, trim, skipOdd: skipOdd !== undefined };
  const persons = [...words, ...ids];
  const lists: IdList<GivenKind>[] = [];
  if (persons.length > 0) lists.push(collectIds('ids', persons, how));
  if (distinctIds !== undefined) lists.push(collectIds('distinct-ids', distinctIds, how));
  if (emails !== undefined) lists.push(collectIds('emails', emails, how));
  if (from !== undefined && as === undefined) {
    throw usageError('--from needs --as', 'add --as distinct-ids, or --as ids for person ids');
  }
  if (from !== undefined && as !== undefined)
    lists.push(...(await readFiles(from, { ...how, kind: as, column, sheet }, context)));
  for (const list of lists) list.notes.forEach(context.warn);
  const kinds = new Set(lists.map(({ kind }) => kind));
  return {
    people: [...kinds].flatMap((kind) => (kind === 'emails' ? [] : { list: joinOf(kind, lists) })),
    addresses: kinds.has('emails') ? joinOf('emails', lists) : undefined,
  };
}

/** Ids of one kind from several places are one list, so that repeats across them are found. */
function joinOf<Kind extends GivenKind>(kind: Kind, lists: readonly IdList<GivenKind>[]): IdList<Kind> {
  const same = lists.filter((list) => list.kind === kind);
  const [only] = same;
  if (same.length === 1 && only) return { ...only, kind };
  const joined = collectIds(kind, everyId(same));
  const asked = same.reduce((sum, list) => sum + list.asked, 0);
  const suspicious = same.reduce((sum, list) => sum + list.suspicious, 0);
  const all = same.flatMap((list) => list.lines ?? []);
  const lines = all.length === 0 ? undefined : all;
  const refusal = joinFailures(same.flatMap((list) => list.refusal ?? []));
  return { ...joined, asked, repeats: asked - joined.ids.length, suspicious, lines, refusal };
}

function* everyId(lists: readonly IdList<GivenKind>[]): Generator<string> {
  for (const { ids } of lists) yield* ids;
}
