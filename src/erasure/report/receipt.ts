import type { Context } from '../../cli/context.ts';
import { CliError, counted, usageError } from '../../errors.ts';
import type { Json, JsonObject } from '../../json/kinds.ts';
import { inPages } from '../../print/rows.ts';
import { type GivenLine, type Listed, normalizeId, readGiven, type Sources } from '../input/given.ts';
import type { Entry } from '../record/entry.ts';
import { membersOf } from '../record/members.ts';
import type { RunRecord } from '../record/open.ts';
import { memberOutcomes } from './members.ts';

/** Where a receipt goes, and the lines that it answers: they are in memory only. */
export type ReceiptInput = {
  readonly file: string;
  readonly lines: readonly GivenLine[];
  /** The run may have been given its ids with --trim. */
  readonly isTrimmedToo?: true;
};

/** The receipt that was asked for. Throws a usage error if no list was given that it could answer. */
export function receiptOf(file: string, people: readonly Listed[]): ReceiptInput {
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  if (lines.length > 0) return { file, lines };
  throw usageError('--receipt needs a list of ids to answer', 'add --from <file> and --as');
}

export type AnsweredSources = Pick<Sources, 'from' | 'as' | 'column' | 'sheet' | 'encoding'> & {
  readonly receipt?: string | undefined;
};

/** The list that a receipt answers from the record, whatever looks damaged in it; nothing without a receipt. */
export async function readAnswered(
  { receipt, ...sources }: AnsweredSources,
  context: Context,
): Promise<ReceiptInput | undefined> {
  if (receipt === undefined) {
    if (sources.from !== undefined)
      throw usageError('--from is the list that a receipt answers', 'add --receipt <file>');
    await readGiven(sources, context);
    return undefined;
  }
  const how = { lines: 'keep', odd: 'skip', trim: sources.as === 'emails' } as const;
  const { people, addresses } = await readGiven({ ...sources, ...how }, context);
  return { ...receiptOf(receipt, addresses ? [{ list: addresses }] : people), isTrimmedToo: true };
}

/** How many lines of a list the record does not know. */
type Unknown = { lines: number };

/** What is wrong with a list that has lines which the run is not about: nothing was done for them. */
export function notInRun({ lines }: Unknown): CliError | undefined {
  if (lines === 0) return undefined;
  const are = lines === 1 ? 'is' : 'are';
  return new CliError('partial', `${counted(lines, 'line')} of the list ${are} not in this run`, {
    hint: 'the receipt says which; hogctl runs find tells which run they are in, if any',
  });
}

/**
 * Writes the list as it was given, its own columns included, with what came of each line: the operator's answer to
 * the requester, readable by its owner only.
 */
export async function writeReceipt(
  receipt: ReceiptInput,
  run: RunRecord | undefined,
  context: Context,
  { isVerified = false }: { readonly isVerified?: boolean } = {},
): Promise<Unknown> {
  const { file, lines } = receipt;
  const own = [...new Set(lines.flatMap((line) => Object.keys(line.own ?? { given: '' })))];
  const proven = isVerified ? ['proven'] : [];
  const answers = [...fileColumn(lines), ...answerNames, ...reasonColumn(lines), ...proven];
  const names = Object.fromEntries(answers.map((name) => [name, freeName(name, own)]));
  const columns = [...own, ...Object.values(names)].map((key) => ({ key }));
  const { output = 'table' } = context.options;
  const how = { format: output === 'table' ? 'csv' : output, columns: undefined } as const;
  const unknown = { lines: 0 };
  await context.files.writeRows(file, inPages(receiptRows(receipt, { run, names, unknown })), columns, how);
  context.note(`The receipt is in ${file}; it names people.`);
  return unknown;
}

const answerNames = ['line', 'outcome', 'person', 'batch'];

/** What is wrong with lines that are left out, if there are any. */
function reasonColumn(lines: readonly Pick<GivenLine, 'reason'>[]): readonly string[] {
  return lines.some(({ reason }) => reason !== undefined) ? ['reason'] : [];
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`hogctl_${name}`, taken) : name;
}

type Answer = {
  readonly outcome: string;
  readonly batch: number | null;
  readonly person: string | null;
  readonly proven?: boolean | null;
};

type Answering = {
  /** Absent if no person of the list was found, so that nothing was planned. */
  readonly run: RunRecord | undefined;
  readonly names: Readonly<Record<string, string>>;
  /** Counted while the rows are written. */
  readonly unknown: Unknown;
};

/** A row for each line, and for each further person of an address. */
function* receiptRows(
  { lines, isTrimmedToo }: ReceiptInput,
  { run, names, unknown: counting }: Answering,
): Generator<JsonObject> {
  const memberOf = ({ kind, id }: GivenLine) => run?.memberOf(kind, id) ?? '';
  const trimmed = (line: GivenLine) => memberOf(isTrimmedToo ? { ...line, id: line.id.trim() } : line);
  const wanted = new Set(lines.flatMap((line) => [memberOf(line), trimmed(line)]));
  const answers = run === undefined ? new Map<string, never>() : answersTo(wanted, run);
  const excepted = run?.core().excepted ?? new Set<string>();
  const unfound = new Set(lines.some(({ kind }) => kind === 'emails') ? run?.unfound() : []);
  for (const line of lines) {
    const nothing = line.reason ? 'odd' : 'not in this run';
    const isNobody = line.address?.outcome === 'nobody' || unfound.has(memberOf(line));
    const nobody = isNobody ? 'nobody' : nothing;
    const isExcepted = line.excepted !== undefined || excepted.has(memberOf(line));
    const outcome = isExcepted ? 'excepted' : nobody;
    const unknown: Answer = { outcome, person: null, batch: null };
    const known = answers.get(memberOf(line)) ?? answers.get(trimmed(line));
    if (known === undefined && outcome === 'not in this run') counting.lines += 1;
    for (const answer of known?.values() ?? [unknown]) {
      const { proven = null, ...rest } = answer;
      const told: JsonObject = {
        file: line.file ?? null,
        line: line.line,
        ...rest,
        reason: rest.outcome === 'odd' ? (line.reason ?? null) : null,
        proven,
      };
      const named = Object.entries(names).map(([name, key]) => [key, told[name] ?? null] as const);
      yield { ...(line.own ?? { given: line.id }), ...Object.fromEntries(named) };
    }
  }
}

/** What the run can say of its members that are wanted by what was given, or by what was known of the person. */
function answersTo(
  wanted: ReadonlySet<string>,
  run: RunRecord,
): ReadonlyMap<string, ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Map<string, Answer>>();
  const entries = listEntries(run);
  for (const { line, outcome, batch, proven } of memberOutcomes(run)) {
    const { value: entry } = entries.next();
    const keys = membersOf(line).filter((member) => wanted.has(member));
    if (keys.length === 0) continue;
    const answer = {
      outcome,
      batch,
      person: entry?.person?.uuid ?? null,
      proven,
    };
    const owner = line.person?.uuid ?? line.member;
    for (const key of keys) {
      const known = answers.get(key) ?? new Map<string, Answer>();
      // Of several ids of one person, the one that the line names tells.
      if (key === line.member || !known.has(owner)) answers.set(key, known.set(owner, answer));
    }
  }
  return answers;
}

const atOnce = 1024;

/** The ids in the order of the plan; none once the record has lost them. */
function* listEntries(run: RunRecord): Generator<Entry | undefined, undefined> {
  const { count } = run.plan.members;
  for (let from = 0; run.hasIds && from < count; from += atOnce) yield* run.entries(from, atOnce);
}

const planNames = ['line', 'given', 'kind', 'outcome', 'person', 'name'];

/** Lines of several files name theirs. */
export function fileColumn(lines: readonly Pick<GivenLine, 'file'>[]): readonly string[] {
  return lines.some(({ file }) => file !== undefined) ? ['file'] : [];
}

/**
 * What a plan makes of each line of its input: the person the id belongs to, if any. Ids that look damaged are `odd`.
 */
function* planRows(people: readonly Listed[]): Generator<JsonObject> {
  for (const { list, resolution } of people) {
    const positions = new Map(list.ids.map((id, position) => [id, position]));
    // A selection has no lines: each of its people is one.
    const lines = list.lines ?? list.ids.map((id): GivenLine => ({ id, line: null, kind: list.kind }));
    for (const { file, line, id, kind, reason, address, excepted } of lines) {
      const person = resolution?.at(positions.get(normalizeId(kind, id)) ?? -1);
      const found = person === undefined ? null : outcomeOf(person);
      const told = excepted ? 'excepted' : (address?.outcome ?? found);
      const outcome = reason === undefined ? told : 'odd';
      const given = { given: address?.given ?? id, kind: list.areAddresses ? 'emails' : kind };
      const uuid = excepted?.person ?? person?.uuid ?? (address && id !== '' ? id : null);
      const name = excepted?.name ?? person?.name ?? null;
      yield {
        ...(file === undefined ? {} : { file }),
        line,
        ...given,
        outcome,
        person: uuid,
        name,
        ...(reason && { reason }),
      };
    }
  }
}

function outcomeOf(person: object | null): Json {
  return person === null ? 'nobody' : 'found';
}

/** Prints them, and throws then if some of the ids must not be sent. */
export async function printPlanRows(people: readonly Listed[], context: Context): Promise<void> {
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  const columns = [...fileColumn(lines), ...planNames, ...reasonColumn(lines)].map((key) => ({ key }));
  await context.print(inPages(planRows(people)), columns);
  const refused = people.find(({ list }) => list.refusal !== undefined);
  if (refused?.list.refusal !== undefined) throw refused.list.refusal;
}
