import type { OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { type CliError, usageError } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { isInteger, isUuid } from '../../service/endpoint.ts';
import type { bulkDeleteOptions } from '../options.ts';
import { type GivenKind, gatherSuspicious, type IdKind, type Problem, type Source } from './checks.ts';
import type { Taken } from './csv.ts';
import {
  createNotes,
  describe,
  type Faulty,
  faultyIds,
  type IdFault,
  joinFailures,
  reasonOf,
  suspiciousIds,
  tooMany,
} from './problems.ts';
import { type Reading, readFiles } from './read-file.ts';
import { checkEncoding } from './text-lines.ts';

/** An id where it stands in the input. */
export type GivenLine = {
  readonly kind: GivenKind;
  /** In a file; null among arguments. */
  readonly line: number | null;
  /** Which file, if several are read. */
  readonly file?: string | undefined;
  /** Empty if the line holds no id. */
  readonly id: string;
  /** Why it is left out, or must not be sent. */
  readonly reason?: string;
  /** The address that leads to this person, and how many have it; `id` is empty if none has. */
  readonly address?: {
    readonly given: string;
    readonly outcome: 'found' | 'several' | 'in doubt' | 'nobody';
  };
  /** Whom it leads to, if this person is not to be deleted. */
  readonly excepted?: { readonly person: string; readonly name: string | null };
  /** When the request came in that it is: what its column says, or a day (YYYY-MM-DD) once that was read. */
  readonly received?: string | undefined;
  /** All of its row, if that has columns or is left out: never put into the record of a run. */
  readonly own?: JsonObject | undefined;
};

/** The ids of one kind, each once, in the order they came. */
export type IdList<Kind extends GivenKind = IdKind> = {
  readonly kind: Kind;
  /** Whether these are the persons of a list of addresses, and whether the service may hide some of them. */
  readonly areAddresses?: true;
  readonly isDoubtful?: boolean;
  readonly ids: readonly string[];
  /** How many were given, repeats included. */
  readonly asked: number;
  /** Those that look damaged and are meant all the same. */
  readonly suspicious: number;
  /** Ids that were left out since their persons are excepted. */
  readonly excepted?: number;
  /** What somebody should know before these ids are sent. */
  readonly notes: readonly string[];
  /** All lines, repeats included, if they were asked for, or if some may be left out. */
  readonly lines?: readonly GivenLine[] | undefined;
  /** Why these ids must not be sent, if their lines were asked for to be listed. */
  readonly refusal?: CliError | undefined;
};

/** Whom each id of a list belongs to, by its position. */
export type Resolution = {
  readonly found: number;
  readonly nobody: number;
  /** How many of those without a person only SQL shows with one. */
  readonly inDoubt: number;
  readonly at: (index: number) => KnownPerson | null;
  /** Whom only SQL shows behind an id without a person. */
  readonly doubtful: (index: number) => KnownPerson | undefined;
};

/** What was given, of one kind, with whom it leads to if that was looked up. */
export type Listed = { readonly list: IdList<GivenKind>; readonly resolution?: Resolution | undefined };

/** The ids of one kind, which are looked up next unless their persons are known. */
export type GivenPeople = Listed & { readonly list: IdList };

/** The ids of one kind that a run is about, and whom they belong to. */
export type People = GivenPeople & { readonly resolution: Resolution };

export type Input = OptionsInput<typeof bulkDeleteOptions>;

/** Where people come from, and how they are read; a selection is read elsewhere. */
export type Sources = Pick<
  Input,
  'ids' | 'distinctIds' | 'emails' | 'from' | 'as' | 'column' | 'sheet' | 'odd' | 'trim'
> & {
  readonly words?: readonly string[] | undefined;
  /** Whether the lists keep their lines. */
  readonly lines?: Collecting['lines'];
} & Pick<Collecting, 'isSparing' | 'receivedColumn'> &
  Pick<Reading<never>, 'likely' | 'isNamed' | 'encoding'>;

/** What becomes of ids that look damaged: `stop` refuses them, `skip` leaves them out, with those that are none. */
export type Odd = NonNullable<Input['odd']>;

/** What was given, by kind. */
export type Given = {
  readonly people: readonly GivenPeople[];
  readonly addresses: IdList<'emails'> | undefined;
};

/**
 * Reads everything that was given. The kind comes from the option, never from the id's shape. Throws a usage error
 * for ids that cannot be sent, for those that look damaged unless `odd` says otherwise, and for `--from` without `--as`.
 */
export async function readGiven(sources: Sources, context: Context): Promise<Given> {
  const { words = [], ids = [], distinctIds, emails, from, as, column, sheet, lines, trim } = sources;
  const { isSparing, likely, isNamed, encoding, receivedColumn } = sources;
  const described = [as && '--as', encoding && '--encoding'].find(Boolean);
  if (from === undefined && described)
    throw usageError(`${described} needs --from`, 'add --from <file>, or --from - for standard input');
  if (encoding) checkEncoding(encoding);
  const { odd = 'stop' } = sources;
  const how = { odd, lines, trim, isSparing, receivedColumn };
  const persons = [...words, ...ids];
  const lists: IdList<GivenKind>[] = [];
  if (persons.length > 0) lists.push(collectIds('ids', persons, how));
  if (distinctIds !== undefined) lists.push(collectIds('distinct-ids', distinctIds, how));
  if (emails !== undefined) lists.push(collectIds('emails', emails, how));
  if (from !== undefined && as === undefined) {
    throw usageError('--from needs --as', 'add --as distinct-ids, or --as ids for person ids');
  }
  if (from !== undefined && as !== undefined) {
    const begin = (name: string, file: string | undefined) =>
      createIdCollector({ ...how, kind: as, places: 'line', name, file });
    lists.push(...(await readFiles(from, { begin, column, likely, sheet, encoding, isNamed }, context)));
  }
  for (const list of lists) list.notes.forEach(context.warn);
  const kinds = new Set(lists.map(({ kind }) => kind));
  return {
    people: [...kinds].flatMap((kind) => (kind === 'emails' ? [] : { list: joinOf(kind, lists) })),
    addresses: kinds.has('emails') ? joinOf('emails', lists) : undefined,
  };
}

type Words = Pick<Input, 'from' | 'except'> & { readonly id?: readonly string[] | undefined };

/** A shell makes several words of `*.csv`, of which the option takes one. */
export function refuseFiles({ id: words = [], from, except }: Words): void {
  const [option, files] = from === undefined ? ['--except', except] : ['--from', from];
  const other = words.find((word) => !isUuid(word) && !isInteger(word));
  if (files === undefined || other === undefined) return;
  throw usageError(
    `the argument ${JSON.stringify(other)} is not a person id, which is an integer or a UUID`,
    `if it is a file, give each file its own option: ${[...files, other].map((file) => `${option} ${file}`).join(' ')}`,
  );
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
  return { ...joined, asked, suspicious, lines, refusal };
}

function* everyId(lists: readonly IdList<GivenKind>[]): Generator<string> {
  for (const { ids } of lists) yield* ids;
}

export type Collecting<Kind extends GivenKind = GivenKind> = Source & {
  readonly kind: Kind;
  /** What each line says of its file, if several are read. */
  readonly file?: string | undefined;
  readonly odd: Odd;
  /** Whether to keep every line: `bare` without its other columns; `list` refuses nothing that looks damaged, to show it. */
  readonly lines?: 'bare' | 'keep' | 'list' | undefined;
  /** Takes white space off both ends of each id. */
  readonly trim?: boolean | undefined;
  /** The column with the day on which each request came in. */
  readonly receivedColumn?: string | undefined;
  /** 16 million if absent. */
  readonly mostDifferent?: number;
};

/** A set of V8 takes about 16.7 million entries, and a file of more is no list of people to delete. */
const mostIds = 16_000_000;

/** Gathers ids of one kind from as many sources as there are. */
export function createIdCollector<Kind extends GivenKind>(collecting: Collecting<Kind>) {
  const { kind, odd, lines: keeping, mostDifferent = mostIds } = collecting;
  const different = new Set<string>();
  const { notes, sheets, ...noting } = createNotes();
  const lines: GivenLine[] | undefined = keepsLines(collecting) ? [] : undefined;
  // A person id is an integer or a UUID, in which damage does not show.
  const suspicious = kind === 'ids' ? undefined : gatherSuspicious(kind);
  const faults: Faulty[] = [];
  const toProblem = (fault: IdFault, place: number): Faulty => {
    return { fault, place, reason: reasonOf(fault, collecting), isNew: true };
  };
  let asked = 0;
  return {
    kind,
    /** `place` is the number of the line, or of the argument, that the id stands on. */
    add(text: string, place: number, taken: Taken = {}) {
      const id = withoutEdges(text, collecting);
      const fault = findIdFault(kind, id);
      lines?.push(toLine({ ...taken, id, place, fault }, collecting));
      if (fault !== undefined) return void faults.push({ ...toProblem(fault, place), given: id });
      asked += 1;
      const before = different.size;
      different.add(normalizeId(kind, id));
      if (different.size > mostDifferent) throw tooMany(collecting.name, mostDifferent);
      suspicious?.take(id, { ...taken, place, isNew: different.size > before });
    },
    /** Takes note of a row whose cells may not be those of the columns: none of them is an id for certain. */
    addRagged: (place: number) => void faults.push(toProblem('ragged', place)),
    ...noting,
    /** Takes note of a first line that names the column. */
    header(column: string) {
      notes.push(`the first line is a header ("${column}") and is not sent`);
      suspicious?.setColumn(column);
    },
    /** Throws a usage error that names the places whose ids cannot or may not be sent. */
    finish(): IdList<Kind> {
      const damaged = suspicious?.problems() ?? [];
      const problems = [...faults, ...damaged].toSorted((one, other) => one.place - other.place);
      const told = odd === 'send' ? undefined : problems;
      if (faults.some(({ fault }) => odd !== 'skip' || fault === 'ragged'))
        throw faultyIds(collecting, faults, told);
      const isRefused = damaged.length > 0 && odd === 'stop';
      const refusal = isRefused ? suspiciousIds(damaged, { ...collecting, asked, sheets }) : undefined;
      if (refusal !== undefined && keeping !== 'list') throw refusal;
      // What must not be sent, and is listed only, counts as little as what is left out.
      if (lines !== undefined && (odd === 'skip' || refusal !== undefined))
        return { kind, notes, refusal, ...leaveOut(kind, markLines(lines, problems)) };
      if (damaged.length > 0 && odd === 'send')
        notes.push(`warning: ${describe(damaged, collecting)}; used as given`);
      const ids = [...different];
      different.clear(); // The collector may live on while the ids are used.
      const count = damaged.filter(({ isNew }) => isNew).length;
      return { kind, ids, asked, suspicious: count, notes, lines };
    },
  };
}

/** Who has an address is told by line. */
function keepsLines({ kind, odd, lines, receivedColumn }: Collecting): boolean {
  return lines !== undefined || odd === 'skip' || kind === 'emails' || receivedColumn !== undefined;
}

/** No address begins or ends with white space, and some ids do. */
function withoutEdges(text: string, { kind, trim }: Collecting): string {
  return trim || kind === 'emails' ? text.trim() : text;
}

type LinePart = Taken & { readonly id: string; readonly place: number; readonly fault: IdFault | undefined };

function toLine(
  { id, place, own, cellIn, fault }: LinePart,
  { kind, places, file, receivedColumn, lines = 'bare' }: Collecting,
): GivenLine {
  const row = lines === 'bare' ? undefined : own?.();
  const received = receivedColumn === undefined ? undefined : cellIn?.(receivedColumn);
  const at = { kind, line: places === 'line' ? place : null, file, received };
  return fault === undefined ? { ...at, id, own: row } : { ...at, id: '', own: row ?? { given: id } };
}

/** Arguments have no lines, but all of them are there. */
function markLines(lines: readonly GivenLine[], problems: readonly Problem[]): readonly GivenLine[] {
  const reasons = new Map(problems.map(({ place, reason }) => [place, reason]));
  return lines.map((one, at) => {
    const reason = reasons.get(one.line ?? at + 1);
    return reason === undefined ? one : { ...one, reason, own: one.own ?? { given: one.id } };
  });
}

/** What is left without the lines that have a problem. */
function leaveOut(kind: GivenKind, lines: readonly GivenLine[]) {
  const good = lines.filter(({ reason }) => reason === undefined);
  const ids = [...new Set(good.map(({ id }) => normalizeId(kind, id)))];
  return { ids, asked: good.length, suspicious: 0, lines };
}

/** A line as it was given, whoever it leads to. */
export function givenOf(line: GivenLine): GivenLine {
  return line.address === undefined ? line : { ...line, kind: 'emails', id: line.address.given };
}

/** Lines that a message tells one by one. */
export const MOST_TOLD = 10;

/** Where a line stands, for a message; arguments are counted by the caller. */
export function lineText({ file, line }: Pick<GivenLine, 'file' | 'line'>): string {
  return `${file === undefined ? '' : `${file}, `}line ${line}`;
}

/** The ids of arguments and options, checked like those of a file. */
export function collectIds<Kind extends GivenKind>(
  kind: Kind,
  ids: Iterable<string>,
  how: Omit<Collecting, 'kind' | 'places' | 'name'> = { odd: 'send' },
): IdList<Kind> {
  const collector = createIdCollector({ ...how, kind, places: 'argument', name: 'the arguments' });
  let place = 0;
  for (const id of ids) {
    place += 1;
    collector.add(id, place);
  }
  return collector.finish();
}

/** What keeps a text from being an id of its kind, or nothing. */
function findIdFault(kind: GivenKind, id: string): IdFault | undefined {
  if (kind === 'ids' && (isUuid(id) || isInteger(id))) return undefined;
  if (id.trim() === '') return 'empty';
  if (/\p{Cc}/u.test(id)) return 'control character';
  if (/\p{Surrogate}/u.test(id)) return 'broken text';
  return kind === 'ids' ? 'not a person id' : undefined;
}

/** The spelling by which ids are compared: person ids in lower case, distinct ids exactly as they are. */
export function normalizeId(kind: GivenKind, id: string): string {
  return kind === 'ids' ? id.toLowerCase() : id;
}

/** A person as the service knew them while the run was planned. */
export type KnownPerson = {
  readonly uuid: string;
  /** As the service wrote it. */
  readonly createdAt?: string | undefined;
  readonly distinctIds: readonly string[];
  /** Whether the service may know further distinct ids. */
  readonly mayHaveMore?: boolean | undefined;
  /** The id that deletions take, if it is another than the UUID: the specification's services take integers. */
  readonly sendAs?: string | undefined;
  /** For a person at the terminal: it never goes into the record of a run. */
  readonly name?: string | undefined;
  /** In the record as an HMAC only; null for a person without one, absent if the service was not asked. */
  readonly email?: string | null | undefined;
};
