import type { Context } from '../../cli/context.ts';
import { CliError, counted, usageError } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { inPages } from '../../print/rows.ts';
import { type GivenLine, type Listed, normalizeId, readGiven, type Sources } from '../input/given.ts';
import { type Answer, type AnsweredList, type Answers, lineKey, linesOf } from './answers.ts';

/** Where a receipt goes, and the list that it answers. */
export type ReceiptInput = AnsweredList & { readonly file: string };

/** The receipt that was asked for. Throws a usage error if no list was given that it could answer. */
export function receiptOf(file: string, people: readonly Listed[]): ReceiptInput {
  const lines = linesOf(people);
  if (lines.length > 0) return { file, lines };
  throw usageError('--receipt needs a list of ids to answer', 'add --from <file> and --as');
}

export type AnsweredSources = Pick<Sources, 'from' | 'as' | 'column' | 'sheet' | 'encoding'> & {
  readonly receipt?: string | undefined;
  readonly force?: boolean | undefined;
};

/** For a work of which another one writes the receipt. */
export const NO_ANSWER: AnsweredSources = {
  from: undefined,
  as: undefined,
  column: undefined,
  sheet: undefined,
  encoding: undefined,
  receipt: undefined,
  force: undefined,
};

/** The list that a receipt answers from the record, whatever looks damaged in it; nothing without a receipt. */
export async function readAnswered(
  { receipt, force, ...sources }: AnsweredSources,
  context: Context,
): Promise<ReceiptInput | undefined> {
  if (receipt === undefined) {
    if (sources.from !== undefined)
      throw usageError('--from is the list that a receipt answers', 'add --receipt <file>');
    if (force) throw usageError('--force is about the file of a receipt', 'add --receipt <file>');
    await readGiven(sources, context);
    return undefined;
  }
  const how = { lines: 'keep', odd: 'skip', trim: sources.as === 'emails' } as const;
  const { people, addresses } = await readGiven({ ...sources, ...how }, context);
  return { ...receiptOf(receipt, addresses ? [{ list: addresses }] : people), isTrimmedToo: true };
}

/** How many lines of a list no record knows. */
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
 * Writes the list as it was given, its own columns included, with what came of each line over all projects: the
 * operator's answer to the requester, readable by its owner only.
 */
export async function writeReceipt(
  receipt: ReceiptInput,
  projects: readonly Answers[],
  context: Context,
  { isVerified = false }: { readonly isVerified?: boolean } = {},
): Promise<Unknown> {
  const { file, lines } = receipt;
  const own = [...new Set(lines.flatMap((line) => Object.keys(line.own ?? { given: '' })))];
  const answers = [
    ...fileColumn(lines),
    'line',
    'outcome',
    ...(projects.length > 1 ? ['projects'] : []),
    'person',
    'remark',
    ...(isVerified ? ['proven'] : []),
  ];
  const names = Object.fromEntries(answers.map((name) => [name, freeName(name, own)]));
  const columns = [...own, ...Object.values(names)].map((key) => ({ key }));
  const { output = 'table' } = context.options;
  const how = { format: output === 'table' ? 'csv' : output, columns: undefined } as const;
  const unknown = { lines: 0 };
  await context.files.writeRows(
    file,
    inPages(receiptRows(lines, { projects, names, unknown })),
    columns,
    how,
  );
  context.note(`The receipt is in ${file}; it names people.`);
  return unknown;
}

/** What is wrong with lines that are left out, if there are any. */
function reasonColumn(lines: readonly Pick<GivenLine, 'reason'>[]): readonly string[] {
  return lines.some(({ reason }) => reason !== undefined) ? ['reason'] : [];
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`hogctl_${name}`, taken) : name;
}

type Writing = {
  readonly projects: readonly Answers[];
  readonly names: Readonly<Record<string, string>>;
  /** Counted while the rows are written. */
  readonly unknown: Unknown;
};

/** A row for each line of the list. */
function* receiptRows(
  lines: readonly GivenLine[],
  { projects, names, unknown }: Writing,
): Generator<JsonObject> {
  const written = new Set<string>();
  for (const line of lines) {
    const key = lineKey(line);
    if (written.has(key)) continue;
    written.add(key);
    const told = { file: line.file ?? null, line: line.line, ...summarize(key, projects) };
    if (told.outcome === NOT_IN_RUN) unknown.lines += 1;
    const named = Object.entries(names).map(([name, column]) => {
      // Cast: the names are those of its fields.
      return [column, told[name as keyof typeof told]] as const;
    });
    yield { ...(line.own ?? { given: line.address?.given ?? line.id }), ...Object.fromEntries(named) };
  }
}

const NOT_IN_RUN = 'not in this run';

/** What is told of a line before anything else: what is still to be done stands before what was done. */
const order: readonly string[] = [
  'failed',
  'refused',
  'unknown',
  'not sent',
  'spared',
  'in doubt',
  'sent',
  'record missing',
  'excepted',
  'accepted',
  'queued',
  'deleted',
  'gone',
  'gone when looked up',
  'nobody',
  'odd',
  NOT_IN_RUN,
];

function foremost(answers: readonly Answer[]): string {
  const rank = ({ outcome }: Answer) => order.indexOf(outcome);
  return answers.toSorted((one, other) => rank(one) - rank(other))[0]?.outcome ?? NOT_IN_RUN;
}

/** What all projects say of a line together, and what each says if they differ. */
function summarize(key: string, projects: readonly Answers[]) {
  const each = projects.map(({ project, byLine }) => ({ project, answers: byLine.get(key) ?? [] }));
  const all = each.flatMap(({ answers }) => answers);
  const join = (tell: (answers: readonly Answer[]) => string | null) => {
    const told = each.flatMap(({ project, answers }) => {
      const text = tell(answers);
      return text === null ? [] : { project, text };
    });
    const texts = new Set(told.map(({ text }) => text));
    if (texts.size <= 1 && told.length === each.length) return told[0]?.text ?? null;
    return told.map(({ project, text }) => `${project}: ${text}`).join('; ') || null;
  };
  const listed = (field: 'person' | 'remark') => (answers: readonly Answer[]) =>
    [...new Set(answers.flatMap((answer) => answer[field] ?? []))].join(' ') || null;
  const proofs = (answers: readonly Answer[]) => {
    const texts = new Set(answers.flatMap(({ proven }) => proven ?? []));
    return texts.has('no') ? 'no' : [...texts].join(' and ') || null;
  };
  return {
    outcome: foremost(all),
    projects: each.map(({ project, answers }) => `${project}: ${foremost(answers)}`).join('; '),
    person: join(listed('person')),
    remark: join(listed('remark')),
    proven: all.some(({ proven }) => proven === 'no') ? 'no' : join(proofs),
  };
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
      const at = positions.get(normalizeId(kind, id)) ?? -1;
      const person = resolution?.at(at);
      const told = excepted ? 'excepted' : (address?.outcome ?? outcomeOf(person, resolution?.doubtful(at)));
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

/** `other`: whom only SQL shows. */
function outcomeOf(person: object | null | undefined, other: object | undefined): string | null {
  if (person === undefined) return null;
  if (person !== null) return 'found';
  return other === undefined ? 'nobody' : 'in doubt';
}

/** Prints them, and throws then if some of the ids must not be sent. */
export async function printPlanRows(people: readonly Listed[], context: Context): Promise<void> {
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  const columns = [...fileColumn(lines), ...planNames, ...reasonColumn(lines)].map((key) => ({ key }));
  await context.print(inPages(planRows(people)), columns);
  const refused = people.find(({ list }) => list.refusal !== undefined);
  if (refused?.list.refusal !== undefined) throw refused.list.refusal;
}
