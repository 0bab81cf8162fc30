import type { PersonReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import { type Collecting, collectIds, type IdList } from './collect-ids.ts';
import type { IdKind } from './ids.ts';
import { readIds } from './read-ids.ts';
import type { People } from './resolve.ts';
import { findReason } from './suspicious-ids.ts';

/** Where ids come from; a selection is read elsewhere. */
export type IdSources = {
  readonly words?: readonly string[] | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly distinctIds?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly as?: IdKind | undefined;
  readonly column?: string | undefined;
  readonly sheet?: string | undefined;
  /** Whether distinct ids that look damaged are taken; if absent, they are, since a run knows its own ids. */
  readonly allowOddIds?: boolean | undefined;
  readonly trim?: boolean | undefined;
  /** Where to write the lines that are left out; if absent, none is. */
  readonly skipOdd?: string | undefined;
  /** Whether the lists keep their lines. */
  readonly lines?: Collecting['lines'];
};

/**
 * Reads every id that was given, by kind. The kind comes from the option, never from the id's shape.
 * Throws a usage error for ids that cannot be sent, and for `--from` without `--as`.
 */
export async function readPeople(sources: IdSources, context: Context): Promise<readonly People[]> {
  const {
    words = [],
    ids = [],
    distinctIds,
    from,
    as,
    column,
    sheet,
    allowOddIds: allowSuspicious = true,
    lines,
    trim,
  } = sources;
  const skipOdd = sources.skipOdd !== undefined;
  const how = { allowSuspicious, lines, trim, skipOdd } as const;
  const described = [as && '--as', column && '--column', sheet && '--sheet'].find(Boolean);
  if (from === undefined && described) {
    throw belongsToFrom(described);
  }
  const lists: IdList[] = [];
  const persons = [...words, ...ids];
  if (persons.length > 0) lists.push(collectIds('ids', persons, { ...how, allowSuspicious: true }));
  if (distinctIds !== undefined) lists.push(collectIds('distinct-ids', distinctIds, how));
  if (from !== undefined) lists.push(await readFile({ from, as, column, sheet, ...how }, context));
  for (const list of lists) list.notes.forEach(context.warn);
  return oneOfEachKind(lists).map((list) => ({ list }));
}

export type AddressSources = Pick<
  IdSources,
  'from' | 'column' | 'sheet' | 'allowOddIds' | 'lines' | 'trim' | 'skipOdd'
> & {
  readonly emails?: readonly string[] | undefined;
  readonly as?: IdKind | 'emails' | undefined;
};

/** Reads the addresses of `--emails` and of a file of addresses, with their lines; nothing if none were given. */
export async function readAddresses(
  {
    emails,
    from,
    as,
    column,
    sheet,
    allowOddIds: allowSuspicious = false,
    lines = 'keep',
    trim,
    skipOdd,
  }: AddressSources,
  context: Context,
): Promise<IdList | undefined> {
  const common = {
    allowSuspicious,
    lines,
    areAddresses: true,
    trim,
    skipOdd: skipOdd !== undefined,
  } as const;
  const lists: IdList[] = [];
  if (emails !== undefined) lists.push(collectIds('distinct-ids', emails, common));
  if (as === 'emails') {
    if (from === undefined) throw belongsToFrom('--as');
    lists.push(await readFile({ from, as: 'distinct-ids', column, sheet, ...common }, context));
  }
  for (const list of lists) list.notes.forEach(context.warn);
  return oneOfEachKind(lists)[0];
}

function belongsToFrom(option: string) {
  return usageError(`${option} belongs to --from`, 'add --from <file>, or - for standard input');
}

type FileSource = {
  readonly from: string;
  readonly as: IdKind | undefined;
  readonly column: string | undefined;
  readonly sheet: string | undefined;
  readonly allowSuspicious: boolean;
  readonly areAddresses?: boolean;
  readonly trim: boolean | undefined;
  readonly skipOdd: boolean;
  readonly lines: Collecting['lines'];
};

function readFile(
  { from, as, column, sheet, allowSuspicious, areAddresses, trim, skipOdd, lines }: FileSource,
  context: Context,
): Promise<IdList> {
  if (as === undefined) {
    throw usageError(
      '--from does not say which ids it holds',
      'add --as ids for person ids, or --as distinct-ids',
    );
  }
  const name = from === '-' ? 'standard input' : from;
  const { signal } = context;
  const chunks = sparingly(context.readInput(from), context);
  return readIds(chunks, {
    kind: as,
    column,
    sheet,
    allowSuspicious,
    areAddresses,
    trim,
    skipOdd,
    lines,
    name,
    signal,
  });
}

/** From here on a file is long: some hundred thousand ids. */
const LONG_BYTES = 5_000_000;

/** A long file is worth some time for less memory; a short one is not. */
async function* sparingly(
  chunks: AsyncIterable<Uint8Array>,
  { saveMemory }: Context,
): AsyncGenerator<Uint8Array> {
  let before = 0;
  for await (const chunk of chunks) {
    const read = before + chunk.length;
    if (before < LONG_BYTES && read >= LONG_BYTES) saveMemory();
    before = read;
    yield chunk;
  }
}

/** Ids of one kind from several places are one list, so that repeats across them are found. */
function oneOfEachKind(lists: readonly IdList[]): readonly IdList[] {
  const kinds = [...new Set(lists.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const same = lists.filter((list) => list.kind === kind);
    const [only] = same;
    if (same.length === 1 && only) return [only];
    const joined = collectIds(kind, everyId(same));
    const asked = same.reduce((sum, list) => sum + list.asked, 0);
    const suspicious = same.reduce((sum, list) => sum + list.suspicious, 0);
    const lines = same.flatMap((list) => list.lines ?? []);
    const refusal = same.find((list) => list.refusal)?.refusal;
    const skipped = same.flatMap((list) => list.skipped ?? []);
    return [
      {
        ...joined,
        asked,
        repeats: asked - joined.ids.length,
        suspicious,
        ...(lines.length === 0 ? {} : { lines }),
        ...(refusal === undefined ? {} : { refusal }),
        ...(skipped.length === 0 ? {} : { skipped }),
      },
    ];
  });
}

function* everyId(lists: readonly IdList[]): Generator<string> {
  for (const { ids } of lists) yield* ids;
}

type Named = PersonReference | { readonly email?: string | undefined };

/** Throws a usage error for a person named by what a script or a spreadsheet leaves of an id, unless it is meant. */
export function refuseSuspiciousName(named: Named, allowOddIds = false): void {
  const distinctId = 'distinctId' in named ? named.distinctId : undefined;
  const text = 'email' in named ? named.email : distinctId;
  const reason = text === undefined || allowOddIds ? undefined : findReason(text);
  if (reason === undefined) return;
  const what = distinctId === undefined ? 'email' : 'distinct id';
  throw usageError(
    `the ${what} ${JSON.stringify(text)} looks damaged: ${reason}`,
    'correct it, or say --allow-odd-ids where it is meant as it stands; nothing was sent',
  );
}
