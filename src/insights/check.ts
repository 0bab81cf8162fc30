import type { NamedInsight, Options, OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, counted, usageError } from '../errors.ts';
import type { Column, JsonObject } from '../json/kinds.ts';
import { filledColumns, keyed } from '../semantics/answer.ts';
import type { InputOf } from '../service/endpoint.ts';
import type { insights } from '../service/insights.ts';
import type { QueryAnswer } from '../service/schemas.ts';
import { escapeControls } from '../system/text.ts';
import type { refreshOption } from './answers/insight.ts';
import { describeInsight, findInsightId, nameOf, readNamed } from './answers/insight.ts';
import { type Ask, expectOptions, readTimed, timed } from './answers/show.ts';
import type { ReadOptions } from './checks/fields.ts';
import {
  type Analysis,
  type Check,
  type Checked,
  junitXml,
  type Reading,
  type Row,
  tellGitHub,
} from './checks/report.ts';
import { inPlainWords, requireAll, sayNotes, sentence } from './judging/hold.ts';
import { joinNotes, judgeAnswer } from './judging/judged-series.ts';
import { readExpectations } from './judging/parse-expectation.ts';
import { overridesOf, variableOption } from './query.ts';

type CheckInput = OptionsInput<typeof checkOptions & { readonly refresh: typeof refreshOption }> &
  Pick<InputOf<typeof insights.get>, 'from_dashboard' | 'filters_override'>;

/** Reads insights and holds their figures to what is expected. Throws `check` unless all of it holds. */
export async function checkAndShow(
  insight: NamedInsight | undefined,
  { readOptions, ...input }: CheckInput & { readonly readOptions: ReadOptions },
  context: Context,
): Promise<void> {
  const junit = isJunit(context);
  const { file } = input;
  if (file === undefined) {
    const checked = await runChecks([givenCheck(insight, input)], context);
    return show(checked, { junit, isFile: false }, context);
  }
  refuseBeside(insight, input);
  const { readCheckFile } = await import('./checks/file.ts');
  const checks = await readCheckFile(file, { refresh: input.refresh, readOptions }, context);
  const progress = context.progress({ label: 'checks', total: checks.length });
  try {
    const checked = await runChecks(checks, context, progress.update);
    progress.end();
    await show(checked, { junit, isFile: true, file: file === '-' ? undefined : file }, context);
  } finally {
    progress.end();
  }
}

function isJunit({ options }: Context): boolean {
  const { special, output, save = '', columns, headers, spreadsheetSafe } = options;
  if (special !== 'junit' && (output !== undefined || !/\.xml$/i.test(save))) return false;
  if (columns === undefined && headers !== false && spreadsheetSafe !== true) return true;
  throw usageError('JUnit XML has no columns', 'leave out --columns, --no-headers and --spreadsheet-safe');
}

function givenCheck(insight: NamedInsight | undefined, input: CheckInput): Check {
  const { expect, maxDrop, maxAge, maxLag, series, breakdown, unfinished = false } = input;
  const expectations = readExpectations({ expect, maxDrop, maxAge, maxLag });
  if (insight === undefined)
    throw usageError('<insight> is missing', 'give an id, --short-id, or --file with many checks');
  const { refresh, variable, from_dashboard, filters_override } = input;
  const reading = { insight, refresh, variable, from_dashboard, filters_override };
  return { name: undefined, line: undefined, reading, expectations, series, breakdown, unfinished };
}

/** With a file nothing else says what is checked. */
function refuseBeside(insight: NamedInsight | undefined, { file: _, refresh: __, ...others }: CheckInput) {
  const [beside] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (insight === undefined && beside === undefined) return;
  const what = beside === undefined ? 'an insight' : `--${beside.replace(/_|(?=[A-Z])/g, '-').toLowerCase()}`;
  throw usageError(`--file and ${what} cannot be used together`, 'write it into the file');
}

/** The service calculates so many at once for one organization. */
const LANES = 3;

/** Asks each insight once for all checks that read it alike, and holds the figures of each to what is expected. */
async function runChecks(
  checks: readonly Check[],
  context: Context,
  update: (done: number) => void = () => {},
): Promise<Checked> {
  const numbered = await numbersOf(checks, context);
  const readings = checks.map(({ reading }) => ({ ...reading, insight: numbered(reading.insight) }));
  const keys = readings.map((reading) => JSON.stringify(reading));
  const found = new Map<number, Checked>();
  // A key that is not known here is known to no other answer.
  let stopped: Answer | undefined;
  await inLanes([...new Set(keys)], async (key) => {
    const reading = readings[keys.indexOf(key)];
    if (reading === undefined) return;
    const answer = stopped ?? (await readOrFail(reading, context));
    if ('failure' in answer && answer.failure.status === 401) stopped = answer;
    for (const [at, check] of checks.entries()) if (keys[at] === key) found.set(at, checkedOf(check, answer));
    update(found.size);
  });
  const inOrder = checks.flatMap((_, at) => found.get(at) ?? []);
  return {
    rows: inOrder.flatMap(({ rows }) => rows),
    notes: joinNotes(inOrder.map(({ notes }) => notes)),
  };
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(LANES, waiting.length) }, lane));
}

/** One insight may be named by number and by short id. Those not listed stay as they are: reading them says why. */
async function numbersOf(
  checks: readonly Check[],
  context: Context,
): Promise<(insight: Reading['insight']) => Reading['insight']> {
  const references = checks.map(({ reading }) => reading.insight);
  const short = new Set(references.flatMap((one) => ('shortId' in one ? [one.shortId] : [])));
  const ids = new Map<string, string>();
  const isMixed = references.some((one) => 'id' in one);
  await inLanes(isMixed ? [...short] : [], async (shortId) => {
    try {
      ids.set(shortId, await findInsightId({ shortId }, context));
    } catch (failure) {
      if (!(failure instanceof CliError) || stops(failure)) throw failure;
    }
  });
  return (insight) => {
    const id = 'shortId' in insight ? ids.get(insight.shortId) : undefined;
    return id === undefined ? insight : { id };
  };
}

type Answer = Answered | { readonly failure: CliError };

type Answered = {
  readonly answer: JsonObject;
  readonly now: number;
  readonly began: number;
  /** The insight as the service describes it, and what people call it. */
  readonly insight: string;
  readonly name: string | undefined;
};

async function readOrFail({ insight, variable, ...reading }: Reading, context: Context): Promise<Answer> {
  try {
    if ('query' in insight) return await calculate(insight, reading, context);
    const read = async (id: string) => {
      const overrides = await overridesOf({ id, variable }, context);
      return readTimed({ id, ...reading, ...overrides }, context);
    };
    const { insight: answer, ...times } = await readNamed(insight, read, context);
    return { answer, ...times, insight: describeInsight(answer), name: nameOf(answer) };
  } catch (failure) {
    if (!(failure instanceof CliError) || stops(failure)) throw failure;
    return { failure };
  }
}

async function calculate(
  { title, query }: Analysis,
  { refresh }: Pick<Reading, 'refresh'>,
  context: Context,
): Promise<Answered> {
  const client = await context.client();
  const ask: Ask<QueryAnswer> = (notice) => client.query({ query, refresh }, notice);
  const { answer, ...times } = await timed(ask, context);
  return { answer: { ...answer, query }, ...times, insight: title, name: title };
}

/** Whether it was stopped by hand, so that there is nothing to report. */
function stops({ kind }: CliError): boolean {
  return kind === 'interrupted' || kind === 'terminated' || kind === 'cancelled';
}

function checkedOf({ name: given, line, expectations, ...check }: Check, answer: Answer): Checked {
  const reference = referenceText(check.reading.insight);
  const told = (failure: CliError, about: Pick<Row, 'title' | 'insight' | 'line'>): Checked => {
    const holds = failure.kind === 'check' ? false : null;
    const row = { ...about, series: null, breakdown: null, found: failure.message, holds, failure };
    return { rows: expectations.map(({ text: expected }) => ({ ...row, expected })), notes: joinNotes([]) };
  };
  if ('failure' in answer)
    return told(answer.failure, { title: given ?? reference, insight: reference, line });
  const { insight, name, now, began } = answer;
  const about = { title: given ?? name ?? reference, insight, line };
  // To ask for an analysis is to ask for its calculation.
  const { refresh = 'query' in check.reading.insight ? 'blocking' : undefined } = check.reading;
  const asked = { ...check, expectations, name: insight, request: { began, refresh }, now };
  try {
    const { results, notes } = judgeAnswer(answer.answer, {
      ...asked,
      remedy: 'calculate it again with --refresh',
    });
    return { rows: results.map((result) => ({ ...about, ...result })), notes };
  } catch (failure) {
    if (!(failure instanceof CliError) || failure.kind !== 'check') throw failure;
    return told(failure, about);
  }
}

function referenceText(named: Reading['insight']): string {
  if ('query' in named) return named.title;
  if ('name' in named) return `insight "${named.name}"`;
  return `insight ${'id' in named ? named.id : named.shortId}`;
}

type Showing = { readonly junit: boolean; readonly isFile: boolean; readonly file?: string | undefined };

/** Prints what was found, in the order of the checks. Throws unless all of it holds. */
async function show(
  { rows, notes }: Checked,
  { junit, isFile, file }: Showing,
  context: Context,
): Promise<void> {
  const plain = rows.map(inPlainWords);
  const [{ insight, failure } = { insight: '', failure: undefined }] = rows;
  if (junit) await context.output.raw(junitXml(plain, file));
  await tellGitHub(plain, file, context);
  if (!isFile && failure !== undefined) throw failure;
  const isTable = (context.options.output ?? 'table') === 'table';
  const shown = isTable ? plain : rows;
  const printed = shown.map(({ title, insight, line = null, failure: _, ...result }) =>
    isFile ? { check: title, insight, line, ...result } : result,
  );
  const columns = isFile ? fileColumns : checkColumns;
  const mayBeEmpty = isTable ? ['series', 'breakdown'] : [];
  if (!junit) await context.print(printed, filledColumns(columns, printed, mayBeEmpty));
  sayNotes(notes, isFile ? 'unfinished: true' : '--unfinished', context);
  if (isFile) requireEach(plain);
  else requireAll(plain, insight);
}

/** Throws unless all of a file holds. What does not hold comes before what is not known. */
function requireEach(rows: readonly Row[]): void {
  const failed = rows.filter(({ holds }) => holds === false);
  const unknown = rows.filter(({ holds }) => holds === null);
  const all = counted(rows.length, 'expectation');
  if (failed.length > 0) {
    const verb = failed.length === 1 ? 'does' : 'do';
    const more = unknown.length > 0 ? `, and ${unknown.length} could not be checked` : '';
    const message = `${failed.length} of ${all} ${verb} not hold${more}`;
    throw new CliError('check', `${message}: ${told([...failed, ...unknown])}`);
  }
  if (unknown.length === 0) return;
  const [kind, ...kinds] = new Set(rows.map(({ failure }) => failure?.kind));
  const [hint, ...hints] = new Set(rows.map(({ failure }) => failure?.hint));
  const shared = hints.length > 0 ? undefined : hint;
  throw new CliError(
    kind === undefined || kinds.length > 0 ? 'partial' : kind,
    `${unknown.length} of ${all} could not be checked: ${told(unknown)}`,
    { hint: unknown.length < rows.length ? 'all others hold' : shared },
  );
}

const MOST_NAMED = 10;

function told(rows: readonly Row[]): string {
  const sentences = rows.slice(0, MOST_NAMED).map((row) => `${escapeControls(row.title)}: ${sentence(row)}`);
  const more = rows.length - MOST_NAMED;
  return [...sentences, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

const checkColumns: readonly Column[] = [
  { key: 'series', minor: true },
  { key: 'breakdown', minor: true },
  ...keyed('expected', 'found', 'holds'),
];

const fileColumns: readonly Column[] = [{ key: 'check' }, ...checkColumns];

export const checkOptions = {
  file: {
    type: 'file',
    placeholder: 'file',
    reads: 'standard input',
    description: 'YAML file of checks, for many insights at once',
  },
  ...expectOptions,
  maxAge: { type: 'duration', description: 'Largest age of the result: 30min, 24h' },
  series: { type: 'text', placeholder: 'label', description: 'Only this series: label, letter or number' },
  breakdown: { type: 'text', placeholder: 'value', description: 'Only this value of the breakdown' },
  ...variableOption,
} as const satisfies Options;
