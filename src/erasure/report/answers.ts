import type { Context } from '../../cli/context.ts';
import { type GivenLine, givenOf, type Listed } from '../input/given.ts';
import { runsDirectory } from '../record/directory.ts';
import type { Entry } from '../record/entry.ts';
import { oldestFirst } from '../record/find.ts';
import { membersOf } from '../record/members.ts';
import { type RunRecord, tryRead } from '../record/open.ts';
import { findIn } from './erased.ts';
import { memberOutcomes } from './members.ts';

/** The list that a receipt answers: its lines are in memory only. */
export type AnsweredList = {
  readonly lines: readonly GivenLine[];
  /** The run may have been given its ids with --trim. */
  readonly isTrimmedToo?: true;
};

/** What is known of a line, or of one of the persons that it leads to. */
export type Answer = {
  readonly outcome: string;
  readonly person: string | null;
  /** Which stores have proven it, or `no`; null for whom nothing was to be done. */
  readonly proven: string | null;
  readonly remark: string | null;
};

/** What one project says of the lines, by their keys. */
export type Answers = {
  readonly project: string | undefined;
  readonly byLine: ReadonlyMap<string, readonly Answer[]>;
};

/** The project that answers, and its run: absent if no person of the list was found, so that nothing was planned. */
type Answering = {
  readonly run: RunRecord | undefined;
  readonly place: Place;
  /** What to call it, if there are several. */
  readonly project?: string | undefined;
};

type Place = { readonly id: string; readonly host: string };

export function placeOf({ plan: { project, host } }: RunRecord): Place {
  return { id: project.id, host };
}

/** Lines of one address, one for each person who has it, are one line of the list. */
export function lineKey({ file = '', line, id, address }: GivenLine): string {
  return JSON.stringify([file, line, address?.given ?? id]);
}

export function linesOf(people: readonly Listed[]): readonly GivenLine[] {
  return people.flatMap(({ list }) => list.lines ?? []);
}

/** Answers each line from the record of a run, which knows it by its HMAC only. */
export function answersOf(
  { lines, isTrimmedToo }: AnsweredList,
  { run, place, project }: Answering,
  context: Context,
): Answers {
  const memberOf = ({ kind, id }: GivenLine) => run?.memberOf(kind, id) ?? '';
  const trimmed = (line: GivenLine) => (isTrimmedToo ? memberOf({ ...line, id: line.id.trim() }) : '');
  const wanted = new Set(lines.flatMap((line) => [memberOf(line), trimmed(line)]));
  const known = run === undefined ? new Map<string, readonly Answer[]>() : answersTo(wanted, run);
  const say = whatElse(run);
  const byLine = new Map<string, Answer[]>();
  for (const line of lines) {
    const own = known.get(memberOf(line)) ?? known.get(trimmed(line)) ?? [];
    const all = byLine.get(lineKey(line)) ?? [];
    byLine.set(lineKey(line), [...all, ...own, ...say(line, own.length > 0)]);
  }
  return { project, byLine: withErasedBefore(byLine, { lines, run, place }, context) };
}

/** What is said of each line of a project whose record is gone or damaged. */
export function unanswered({ lines }: AnsweredList, project: string): Answers {
  const answer = toAnswer('record missing');
  return { project, byLine: new Map(lines.map((line) => [lineKey(line), [answer]])) };
}

function toAnswer(outcome: string, remark: string | null = null): Answer {
  return { outcome, person: null, proven: null, remark };
}

/** What is to be said of a line beside the persons of the run, or if it leads to none of them. */
function whatElse(run: RunRecord | undefined): (line: GivenLine, isKnown: boolean) => readonly Answer[] {
  const unfound = new Set(run?.unfound());
  const held = new Set([...(run?.held() ?? []), ...(run?.core().excepted ?? [])]);
  return (line, isKnown) => {
    const { kind, id } = givenOf(line);
    const member = run?.memberOf(kind, id) ?? '';
    if (line.excepted !== undefined || (line.address === undefined && held.has(member)))
      return isKnown && line.excepted === undefined && kind !== 'emails' ? [] : [toAnswer('excepted')];
    if (isKnown) return [];
    if (line.address?.outcome === 'nobody' || unfound.has(member)) return [toAnswer('nobody')];
    return [line.reason === undefined ? toAnswer('not in this run') : toAnswer('odd', line.reason)];
  };
}

/** What the run can say of its members that are wanted by what was given, or by what was known of the person. */
function answersTo(wanted: ReadonlySet<string>, run: RunRecord): ReadonlyMap<string, readonly Answer[]> {
  const answers = new Map<string, Map<string, Answer>>();
  const entries = listEntries(run);
  const stores = run.plan.flags.keepPerson ? 'events' : storesText(run);
  for (const { line, answer: outcome, proven } of memberOutcomes(run)) {
    const { value: entry } = entries.next();
    const keys = membersOf(line).filter((member) => wanted.has(member));
    if (keys.length === 0) continue;
    const answer: Answer = {
      outcome: outcome === 'nobody when planned' ? 'nobody' : outcome,
      person: entry?.person?.uuid ?? null,
      proven: proven === false ? 'no' : proven && stores,
      remark: null,
    };
    // All ids of one person have the same answer.
    const owner = line.person?.uuid ?? line.member;
    for (const key of keys) answers.set(key, (answers.get(key) ?? new Map()).set(owner, answer));
  }
  return new Map([...answers].map(([key, persons]) => [key, [...persons.values()]]));
}

function storesText(run: RunRecord): string {
  return run
    .core()
    .stores.map((store) => (store === 'list' ? 'person list' : store))
    .join(' and ');
}

const atOnce = 1024;

/** The ids in the order of the plan; none once the record has lost them. */
function* listEntries(run: RunRecord): Generator<Entry | undefined, undefined> {
  const { count } = run.plan.members;
  for (let from = 0; run.hasIds && from < count; from += atOnce) yield* run.entries(from, atOnce);
}

type Looking = Omit<Answering, 'project'> & Pick<AnsweredList, 'lines'>;

/** A remark beside whom nobody is there any more, if another run of this project erased them. */
function withErasedBefore(
  byLine: ReadonlyMap<string, readonly Answer[]>,
  { lines, run, place }: Looking,
  context: Context,
): Answers['byLine'] {
  const isNobody = (line: GivenLine) =>
    byLine.get(lineKey(line))?.every(({ outcome }) => outcome === 'nobody');
  const missing = lines.filter(isNobody).map(givenOf);
  const [first] = missing;
  if (first === undefined) return byLine;
  const wanted = { kind: first.kind, lines: missing };
  const answered = new Map(byLine);
  for (const path of oldestFirst(runsDirectory(context.stateDirectory()), context)) {
    const found = tryRead(path, context, (other) => {
      const { project, host, flags } = other.plan;
      const isOther = other.id !== run?.id && project.id === place.id && host === place.host;
      return isOther && !flags.keepPerson ? findIn(other, wanted).found : [];
    });
    for (const { row, mayBeErased } of found ?? []) {
      if (!mayBeErased) continue;
      const { file, line, given, erased_at: at } = row;
      const remark = `erased before${at === null ? '' : `, ${at.slice(0, 10)}`}`;
      answered.set(lineKey({ kind: first.kind, file, line, id: given }), [toAnswer('nobody', remark)]);
    }
  }
  return answered;
}
