import type { OptionsInput, PersonReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, changed, counted, usageError } from '../errors.ts';
import { resolveAddresses } from './addresses.ts';
import { type Collecting, collectIds, type GivenLine, type IdList, lineText } from './collect-ids.ts';
import { type Entry, type IdKind, isSendable, normalizeId } from './entries.ts';
import type { bulkDeleteOptions } from './options.ts';
import { type IdReading, readIds } from './read-ids.ts';
import { createResolution, type People, type ProgressOptions, resolvePeople } from './resolve.ts';
import { findReason, idsOf } from './suspicious-ids.ts';

type Input = OptionsInput<typeof bulkDeleteOptions>;

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

export type AddressSources = Reading & Pick<Input, 'emails' | 'as'>;

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

type How = Pick<Collecting, 'allowSuspicious' | 'lines' | 'trim' | 'skipOdd' | 'areAddresses'>;

function howToCollect({ allowOddIds: allowSuspicious = false, lines, trim, skipOdd }: Reading): How {
  return { allowSuspicious, lines, trim, skipOdd: skipOdd !== undefined };
}

function belongsToFrom(option: string) {
  return usageError(`${option} needs --from`, 'add --from <file>, or --from - for standard input');
}

const CHECK_FILE = 'check whether the file is complete; nothing was sent';

/** Each file is a list of its own. What is wrong with several of them is told at once. */
async function readFiles(
  files: readonly string[],
  reading: How & Pick<IdReading, 'kind' | 'column' | 'sheet'>,
  context: Context,
): Promise<readonly IdList[]> {
  const { signal } = context;
  const isOne = files.length === 1;
  const lists: IdList[] = [];
  const failures: CliError[] = [];
  for (const from of files) {
    const name = from === '-' ? 'standard input' : from;
    const inFile = (text: string) => (isOne || text.includes(name) ? text : `${name}: ${text}`);
    const chunks = sparingly(context.readInput(from), context);
    try {
      const list = await readIds(chunks, { ...reading, name, file: isOne ? undefined : name, signal });
      // A list that was not written to its end is no list without people.
      if (list.asked === 0 && (list.lines ?? []).length === 0)
        throw usageError(`${name} holds no ${idsOf({ ...reading, places: 'line', name })}`, CHECK_FILE);
      lists.push({ ...list, notes: list.notes.map(inFile) });
    } catch (error) {
      if (!(error instanceof CliError) || error.kind !== 'usage') throw error;
      failures.push(changed(error, { message: inFile(error.message) }));
    }
  }
  const failure = joinFailures(failures);
  if (failure !== undefined) throw failure;
  return lists;
}

/** One error that says what each says, with the hint of the first. */
function joinFailures(failures: readonly CliError[]): CliError | undefined {
  const [first, ...others] = failures;
  if (first === undefined || others.length === 0) return first;
  return changed(first, { message: failures.map(({ message }) => message).join('\n') });
}

/** From here on a file is long: some thousand ids, or many more in a workbook. */
const LONG_BYTES = 250_000;

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
    const lines = same.flatMap((list) => list.lines ?? []);
    const refusal = joinFailures(same.flatMap((list) => list.refusal ?? []));
    return [
      {
        ...joined,
        asked,
        repeats: asked - joined.ids.length,
        suspicious,
        ...(lines.length === 0 ? {} : { lines }),
        ...(refusal === undefined ? {} : { refusal }),
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
    'correct it, or add --allow-odd-ids to use it as it is; nothing was sent',
  );
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

/** What says how files are read, for `--from`: without it, that is about the exceptions only. */
export function withoutExceptions<Options extends Pick<Input, 'from' | 'except'>>(options: Options): Options {
  if (options.except === undefined || options.from !== undefined) return options;
  return { ...options, as: undefined, column: undefined, sheet: undefined };
}

/** The persons that a file excepts, by UUID. Names each line that finds no person, since it protects none. */
export async function readExceptions(
  {
    except,
    ...options
  }: Pick<Input, 'except' | 'as' | 'column' | 'sheet' | 'trim' | 'allowOddIds' | 'progress' | 'resolve'>,
  context: Context,
): Promise<ReadonlySet<string>> {
  if (except === undefined) return new Set();
  const { as, column, sheet, trim, allowOddIds = false, progress } = options;
  if (options.resolve === false)
    throw usageError('--except does not work with --no-resolve', 'leave out --no-resolve');
  if (as === undefined) {
    throw usageError('--except needs --as', 'add --as emails, --as distinct-ids, or --as ids for person ids');
  }
  const source = { from: except, column, sheet, trim, allowOddIds } as const;
  context.note(`Exceptions, from ${except.join(', ')}:`);
  const given = await (as === 'emails'
    ? addressed(source, { progress }, context)
    : readPeople({ ...source, as, lines: 'keep' }, context)
  ).catch(refuseExceptions);
  const resolved = await resolvePeople(given ?? [], { progress }, context);
  const held = new Set<string>();
  for (const { list, resolution } of resolved.people) {
    for (const [at, id] of list.ids.entries()) {
      const person = resolution?.at(at);
      if (person) held.add(person.uuid.toLowerCase());
      else if (as !== 'emails') context.warn(`${placeOf(list, id)}: no person has this id`);
    }
  }
  context.note(`${counted(held.size, 'person')} excepted`);
  return held;
}

/** A damaged line would spare no person, and the file is there for that. */
function refuseExceptions(error: unknown): never {
  if (!(error instanceof CliError) || error.kind !== 'usage') throw error;
  const hint =
    'correct the exceptions, since a damaged line spares no person, or keep it with --allow-odd-ids';
  throw changed(error, { hint: `${hint}; nothing was sent` });
}

async function addressed(source: AddressSources, options: ProgressOptions, context: Context) {
  const addresses = await readAddresses({ ...source, as: 'emails' }, context);
  return addresses && [(await resolveAddresses(addresses, { ...options, isSparing: true }, context)).people];
}

function placeOf({ kind, lines = [] }: IdList, id: string): string {
  const line = lines.find((one) => normalizeId(kind, one.id) === id);
  return line === undefined || line.line === null ? 'an id' : lineText(line);
}

/** The same people without those who are excepted, by person, whatever id leads to them. Their lines are marked. */
export function leaveOut(people: readonly People[], held: ReadonlySet<string>): readonly People[] {
  if (held.size === 0) return people;
  return people.map(({ list, resolution: all }) => {
    if (all === undefined) return { list };
    const resolution = createResolution({ withNames: true });
    const excepted = new Map<string, NonNullable<GivenLine['excepted']>>();
    const ids = list.ids.filter((id, at) => {
      const person = all.at(at);
      const isHeld = person !== null && held.has(person.uuid.toLowerCase());
      if (isHeld) excepted.set(id, { person: person.uuid, name: person.name ?? null });
      else resolution.add(person);
      return !isHeld;
    });
    // A selection has no lines, so that its people who are excepted get one.
    const lines = list.lines ?? list.ids.map((id): GivenLine => ({ id, line: null, kind: list.kind }));
    const marked = lines.map((line) => {
      const one = excepted.get(normalizeId(line.kind, line.id));
      return one === undefined ? line : { ...line, excepted: one };
    });
    const counts = { asked: list.asked - list.ids.length + ids.length, excepted: excepted.size };
    return { list: { ...list, ids, ...counts, lines: marked }, resolution };
  });
}

/** The lines that are left out. */
export function skippedOf(people: readonly People[]): readonly GivenLine[] {
  return people.flatMap(({ list: { lines = [], refusal } }) =>
    refusal === undefined ? lines.filter(({ reason }) => reason !== undefined) : [],
  );
}

/** Writes the lines that are left out, with their own columns, for the author of the list; readable by its owner only. */
export async function writeSkipped(
  file: string,
  skipped: readonly GivenLine[],
  context: Context,
): Promise<void> {
  const own = new Set(skipped.flatMap((line) => Object.keys(line.own ?? {})));
  const isOfSeveral = skipped.some(({ file }) => file !== undefined);
  const told = (['file', 'line', 'reason'] as const).filter((name) => name !== 'file' || isOfSeveral);
  const names = told.map((name) => ({ name, key: own.has(name) ? `hogctl_${name}` : name }));
  const rows = skipped.map((one) => ({
    ...one.own,
    ...Object.fromEntries(names.map(({ name, key }) => [key, one[name] ?? null])),
  }));
  const columns = [...names.map(({ key }) => ({ key })), ...[...own].map((key) => ({ key }))];
  const { output = 'table' } = context.options;
  const how = { format: output === 'table' ? 'csv' : output, columns: undefined } as const;
  await context.files.writeRows(file, onePage(rows), columns, how);
  context.warn(`warning: ${countLines(skipped)} left out, see ${file}`);
}

async function* onePage<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

function countLines({ length }: readonly GivenLine[]): string {
  return `${counted(length, 'line')} ${length === 1 ? 'is' : 'are'}`;
}

/** Throws `partial` if lines were left out: not all that was asked for is done. */
export function endWithSkipped(
  skipped: readonly GivenLine[],
  { skipOdd = '', lines }: { readonly skipOdd?: string | undefined; readonly lines?: Collecting['lines'] },
  { dryRun }: Pick<Context, 'dryRun'>,
): void {
  if (skipped.length === 0) return;
  const listing = lines === 'list' ? '' : '--dry-run -o csv shows them as odd; ';
  throw new CliError('partial', `${countLines(skipped)} left out`, {
    hint: dryRun
      ? `${listing}without --dry-run they are written to ${skipOdd} with the reason`
      : `all other lines were used; correct those in ${skipOdd} and run the command on that file`,
  });
}
