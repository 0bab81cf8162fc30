import type { CliError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { isInteger, isUuid } from '../service/endpoint.ts';
import {
  describe,
  type Faulty,
  faultyIds,
  type IdFault,
  reasonOf,
  suspiciousIds,
  tooMany,
} from './refuse-ids.ts';
import {
  type DoubtfulCell,
  type GivenKind,
  gatherSuspicious,
  type IdKind,
  type Problem,
  type Source,
} from './suspicious-ids.ts';

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
  readonly address?: { readonly given: string; readonly outcome: 'found' | 'several' | 'nobody' };
  /** Whom it leads to, if this person is not to be deleted. */
  readonly excepted?: { readonly person: string; readonly name: string | null };
  /** All of its row, if that has columns or is left out: never put into the record of a run. */
  readonly own?: JsonObject | undefined;
};

/** The ids of one kind, each once, in the order they came. */
export type IdList<Kind extends GivenKind = IdKind> = {
  readonly kind: Kind;
  /** Whether these are the persons of a list of addresses. */
  readonly areAddresses?: true;
  readonly ids: readonly string[];
  /** How many were given, repeats included. */
  readonly asked: number;
  readonly repeats: number;
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

export type Collecting<Kind extends GivenKind = GivenKind> = Source & {
  readonly kind: Kind;
  /** What each line says of its file, if several are read. */
  readonly file?: string | undefined;
  /** Whether distinct ids that look damaged are taken as they stand, and told of in the notes. */
  readonly allowSuspicious: boolean;
  /** Whether to keep every line: `list` refuses nothing that looks damaged, so that it can be shown. */
  readonly lines?: 'keep' | 'list' | undefined;
  /** Takes white space off both ends of each id. */
  readonly trim?: boolean | undefined;
  /** Leaves out what cannot or may not be sent, and goes on with the rest. */
  readonly skipOdd?: boolean | undefined;
  /** 16 million if absent. */
  readonly mostDifferent?: number;
};

/** A set of V8 takes about 16.7 million entries, and a file of more is no list of people to delete. */
const mostIds = 16_000_000;

/** What is known of an id beside its text. */
type Taken = {
  readonly own?: () => JsonObject;
  readonly cell?: DoubtfulCell | undefined;
  /** Whether it is the first line of a list, which may be the name of its column. */
  readonly isFirst?: boolean;
};

export type IdCollector = Readonly<ReturnType<typeof createIdCollector>>;

/** Gathers ids of one kind from as many sources as there are. */
export function createIdCollector<Kind extends GivenKind>(collecting: Collecting<Kind>) {
  const { kind, allowSuspicious, lines: keeping, trim, skipOdd, mostDifferent = mostIds } = collecting;
  const different = new Set<string>();
  const notes: string[] = [];
  // Who has an address is told by line.
  const lines: GivenLine[] | undefined = keeping || skipOdd || kind === 'emails' ? [] : undefined;
  // A person id is an integer or a UUID, in which damage does not show.
  const suspicious = kind === 'ids' ? undefined : gatherSuspicious(kind);
  const faults: Faulty[] = [];
  let asked = 0;
  return {
    kind,
    /** `place` is the number of the line, or of the argument, that the id stands on. */
    add(text: string, place: number, taken: Taken = {}) {
      const id = trim ? text.trim() : text;
      const fault = findIdFault(kind, id);
      lines?.push(toLine({ ...taken, id, place, fault }, collecting));
      if (fault !== undefined)
        return void faults.push({ fault, place, reason: reasonOf(fault, collecting), isNew: true });
      asked += 1;
      const before = different.size;
      different.add(normalizeId(kind, id));
      if (different.size > mostDifferent) throw tooMany(collecting.name, mostDifferent);
      suspicious?.take(id, { ...taken, place, isNew: different.size > before });
    },
    /** Takes note of a row whose cells may not be those of the columns: none of them is an id for certain. */
    addRagged: (place: number) =>
      void faults.push({ fault: 'ragged', place, reason: reasonOf('ragged', collecting), isNew: true }),
    note: (text: string) => void notes.push(text),
    /** Takes note of a first line that names the column. */
    header(column: string) {
      notes.push(`the first line is a header ("${column}") and is not sent`);
      suspicious?.setColumn(column);
    },
    /** Throws a usage error that names the places whose ids cannot or may not be sent. */
    finish(): IdList<Kind> {
      const damaged = suspicious?.problems() ?? [];
      const problems = [...faults, ...damaged].toSorted((one, other) => one.place - other.place);
      const told = allowSuspicious ? undefined : problems;
      if (faults.some(({ fault }) => !skipOdd || fault === 'ragged'))
        throw faultyIds(collecting, faults, told);
      const isRefused = damaged.length > 0 && !allowSuspicious && !skipOdd;
      const refusal = isRefused ? suspiciousIds(damaged, { ...collecting, asked }) : undefined;
      if (refusal !== undefined && keeping !== 'list') throw refusal;
      // What must not be sent, and is listed only, counts as little as what is left out.
      if (lines !== undefined && (skipOdd || refusal !== undefined))
        return { kind, notes, refusal, ...leaveOut(kind, markLines(lines, problems)) };
      if (damaged.length > 0 && allowSuspicious)
        notes.push(`warning: ${describe(damaged, collecting)}; used as given`);
      const ids = [...different];
      different.clear(); // The collector may live on while the ids are used.
      const count = damaged.filter(({ isNew }) => isNew).length;
      return { kind, ids, asked, repeats: asked - ids.length, suspicious: count, notes, lines };
    },
  };
}

type Given = Taken & Pick<GivenLine, 'id'> & { readonly place: number; readonly fault?: IdFault | undefined };

function toLine({ id, place, own, fault }: Given, { kind, places, file }: Collecting): GivenLine {
  const line = places === 'line' ? place : null;
  if (fault === undefined) return { kind, id, line, file, own: own?.() };
  return { kind, id: '', line, file, own: own?.() ?? { given: id } };
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
  return { ids, asked: good.length, repeats: good.length - ids.length, suspicious: 0, lines };
}

/** Where a line stands, for a message; arguments are counted by the caller. */
export function lineText({ file, line }: Pick<GivenLine, 'file' | 'line'>): string {
  return `${file === undefined ? '' : `${file}, `}line ${line}`;
}

/** Lines are told apart by file and number. */
export function lineKey({ file = '', line }: Pick<GivenLine, 'file' | 'line'>): string {
  return `${line}:${file}`;
}

/** The ids of arguments and options, checked like those of a file. */
export function collectIds<Kind extends GivenKind>(
  kind: Kind,
  ids: Iterable<string>,
  how: Omit<Collecting, 'kind' | 'places' | 'name'> = { allowSuspicious: true },
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

/** One id of a run. `person` is absent without a look-up, and null if the service knew no person by this id. */
export type Entry = {
  readonly kind: IdKind;
  readonly id: string;
  readonly person?: KnownPerson | null;
  /** How that person appears in the record, if no more is known of them: the id was given again. */
  readonly personMember?: string;
};

/** The id that goes over the wire: that of the person as soon as the plan resolved one, so that only they are hit. */
export function idToSend({ id, person }: Entry): string {
  return person ? (person.sendAs ?? person.uuid) : id;
}

/** The id by which somebody is looked for: as it was given, since another person may have it by now. */
export function askedAs(entry: Entry): string {
  return entry.kind === 'ids' ? idToSend(entry) : entry.id;
}

/** Who is not there cannot be sent: somebody else may come to have the id later. */
export function isSendable({ person, personMember }: Entry): boolean {
  return person !== null && personMember === undefined;
}
