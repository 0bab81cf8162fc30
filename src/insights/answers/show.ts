import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { dataText } from '../../json/text.ts';
import {
  type Figures,
  NONE,
  type NoResult,
  plainWords,
  readState,
  sourceOf,
  textField,
} from '../../semantics/answer.ts';
import { breakdownRemark, figureRemarks } from '../../semantics/figures/remarks.ts';
import { seriesOf } from '../../semantics/figures/series.ts';
import { hasLimit } from '../../semantics/sql.ts';
import { type IntervalState, MARK, markRemark } from '../../semantics/timeline.ts';
import type { InputOf } from '../../service/endpoint.ts';
import { insights } from '../../service/insights.ts';
import type { Insight } from '../../service/schemas.ts';
import type { ChartChoice, Drawn, Marked, Shown } from './picture.ts';

/** What was asked, for answers that do not repeat it (funnel calculation, query). */
export type Asked = { readonly query: JsonObject } | { readonly filters: JsonObject };

/** What is to be said about an answer that was shown: why there are no figures, or why they are not all. */
export type Remarks = { readonly nothing: NoResult | undefined; readonly cut: string | undefined };

/** JSON as it came, else rows or a chart. Throws `unavailable` if there is nothing to save, or a calculation that failed. */
export async function printFigures(
  given: Json,
  { asked, ...input }: Shown & { readonly asked?: Asked },
  context: Context,
): Promise<Remarks> {
  const answer = isObject(given) ? { ...given, ...asked } : given;
  const { cutOfFigures, insightRows } = await import('../../semantics/figures/figures.ts');
  const read = insightRows(answer);
  const nothing = read.outcome === 'no-result' ? { reason: read.reason, message: read.message } : undefined;
  const cut = read.outcome === 'rows' ? cutOfFigures(answer, read.figures) : undefined;
  refuseToSave(answer, nothing, context);
  const { output, save } = context.options;
  const isRows = output !== undefined && output !== 'json' && output !== 'ndjson' && output !== 'table';
  if (cut !== undefined && save !== undefined && isRows && !isLimited(answer))
    throw new CliError('partial', `${save} was not written: ${cut}`, {
      hint: '-o json keeps the answer, which says so itself',
      outcome: 'not-done',
    });
  if (output === 'json' || output === 'ndjson') {
    await context.print(given);
    return { nothing, cut };
  }
  if (read.outcome === 'unknown') {
    if (input.choice.picture) throw (await import('./picture.ts')).noPicture();
    context.note(`It is shown as JSON, since ${read.message}.`);
    const { toJsonText } = await import('../../json/text.ts');
    await context.output.text(`${toJsonText(given, { indent: 2 })}\n`);
  }
  if (read.outcome === 'rows') {
    await printRows(read.figures, { ...input, answer, cut }, context);
    for (const remark of [...figureRemarks(answer), ...said(breakdownRemark(read.figures, answer))])
      context.note(remark);
  }
  return { nothing, cut };
}

export async function printRows(figures: Figures, drawn: Drawn, context: Context): Promise<void> {
  const { output = 'table' } = context.options;
  const shown = output === 'table' ? forPeople(figures) : figures;
  if (!(await printChart(shown, drawn, context))) return;
  const { figures: marked, remark } =
    output === 'table' ? withMarks(shown, drawn) : { figures: shown, remark: undefined };
  await context.print(marked.rows, shown.columns);
  if (remark !== undefined) context.note(remark);
  for (const [name, value] of Object.entries(figures.summary ?? {})) {
    if (value !== null) context.note(`${name}: ${String(value)}`);
  }
}

/** Whether the statement of an SQL insight says how many rows it wants. */
function isLimited(answer: Json): boolean {
  return hasLimit(textField(sourceOf(answer), 'query') ?? '');
}

/** A file of yesterday must not be taken for one of today. */
function refuseToSave(answer: Json, nothing: NoResult | undefined, { options }: Context): void {
  if (options.save === undefined) return;
  const { failure } = readState(answer);
  if (failure !== undefined) {
    throw new CliError('unavailable', `${options.save} was not written: the calculation failed${failure}`, {
      hint: 'try again later with --refresh',
    });
  }
  if (nothing === undefined) return;
  const hint = nothing.reason === 'running' ? 'wait for it with --wait' : 'calculate one with --refresh';
  throw new CliError('unavailable', `${options.save} was not written: ${nothing.message}`, { hint });
}

const WIDTH = 80;

/** Returns whether a table is still wanted. Throws a usage error for a picture of what cannot be drawn. */
async function printChart(figures: Figures, drawn: Drawn, context: Context): Promise<boolean> {
  const { answer, choice, now } = drawn;
  if (!choice.drawn) return true;
  const { toChart } = await import('../../charts/to-chart.ts');
  const { width, unicode, color, columns } = context.output.format();
  const chart = toChart(figures, answer, { unicode: unicode || choice.picture !== undefined, now });
  if (choice.picture) {
    const { printPicture } = await import('./picture.ts');
    await printPicture({ ...drawn, figures, chart, marked: withMarks(figures, drawn) }, context);
    return false;
  }
  if (chart === undefined) {
    if (choice.asked) context.note('This has no chart, so a table shows it.');
    return true;
  }
  const { drawChart, paintLines } = await import('../../charts/terminal/draw-chart.ts');
  const picture = drawChart(chart, { width: width ?? WIDTH, unicode });
  const isWanted = width === undefined || context.options.output === 'table';
  const follows = (isWanted && !picture.complete) || columns !== undefined;
  await context.output.text(`${paintLines(picture.lines, { color })}${follows ? '\n' : ''}`);
  return follows;
}

function said(remark: string | undefined): readonly string[] {
  return remark === undefined ? [] : [remark];
}

/** Whether to draw; without a word a terminal gets a chart, and `--save chart.svg` a picture. */
export const chartOption = {
  chart: { type: 'boolean', needsRows: true, description: 'Draw the result, even into a pipe' },
  title: {
    type: 'text',
    needsRows: true,
    description: 'Title of a picture, with --save chart.svg or chart.html',
  },
} as const satisfies Options;

type ChartFlags = OptionsInput<typeof chartOption>;

/** Reads whether a chart is wanted. Throws a usage error if it contradicts the format or the file. */
export function readChart({ chart, title }: ChartFlags, context: Context): ChartChoice {
  const { output = 'table', save } = context.options;
  if (chart === true && output !== 'table') {
    throw usageError(`--chart and -o ${output} cannot be used together`, 'give one of them');
  }
  const picture = output === 'table' ? pictureOf(save ?? '') : undefined;
  if (picture !== undefined && chart === false) {
    throw usageError(
      `--no-chart cannot be used with --save ${save}`,
      'leave it out, or choose another file name',
    );
  }
  if (title !== undefined && picture === undefined)
    throw usageError('--title is of a picture', 'add --save with a name that ends in .svg or .html');
  const terminal = context.output.format().width !== undefined;
  return {
    asked: chart === true,
    drawn: output === 'table' && (picture !== undefined || (chart ?? terminal)),
    picture,
    title,
  };
}

function pictureOf(file: string): ChartChoice['picture'] {
  if (/\.html?$/i.test(file)) return 'html';
  return /\.svg$/i.test(file) ? 'svg' : undefined;
}

export const expectOptions = {
  expect: {
    type: 'repeated',
    needsRows: true,
    placeholder: 'expectation',
    description: "Must hold: 'last >= 100'",
  },
  maxDrop: {
    type: 'text',
    needsRows: true,
    placeholder: 'percent',
    description: 'How much the last figure may drop: 20%',
  },
  maxLag: { type: 'duration', needsRows: true, description: 'How old the newest interval may be: 2d' },
  unfinished: { type: 'flag', needsRows: true, description: 'Also count the interval that is not over' },
} as const satisfies Options;

export type ExpectInput = OptionsInput<typeof expectOptions>;

/** Says on stderr why an analysis from options has no figures, or not all. Throws if none will come. */
export function sayAnalysisState(answer: Json, { nothing, cut }: Remarks, context: Context): void {
  const { failure, running } = readState(answer);
  const hint = { hint: 'try again later' };
  if (failure !== undefined) throw new CliError('unavailable', `the calculation failed${failure}`, hint);
  if (nothing?.reason === 'not-calculated') context.warn('warning: the service answered without a result');
  else if (nothing !== undefined) throw new CliError('unavailable', nothing.message, hint);
  if (nothing === undefined && running !== undefined)
    context.warn('warning: it is still being calculated; the figures are older');
  if (cut !== undefined) context.warn(`warning: the figures are incomplete: ${cut}`);
}

export type Ask<Answer> = (notice: { readonly onTime: (time: string) => void }) => Promise<Answer>;

/** `began` is when it was asked for. Both times are the service's, in milliseconds; this computer's only if it tells none. */
export async function timed<Answer>(
  ask: Ask<Answer>,
  context: Context,
): Promise<{ readonly answer: Answer; readonly now: number; readonly began: number }> {
  const before = context.now();
  let told: number | undefined;
  const answer = await ask({
    onTime: (time) => {
      told = Date.parse(time);
    },
  });
  const after = context.now();
  const now = told ?? after;
  return { answer, now, began: now - (after - before) };
}

export async function readTimed(
  input: InputOf<typeof insights.get>,
  context: Context,
): Promise<{ readonly insight: Insight; readonly now: number; readonly began: number }> {
  const client = await context.client();
  const { answer, ...times } = await timed((notice) => client.call(insights.get, input, notice), context);
  return { insight: answer, ...times };
}

/** The figures in words that people know: their own names, and words for what is left of a breakdown and for no value. */
function forPeople(figures: Figures): Figures {
  if (figures.kind === 'sql') return figures;
  const isBrokenDown = figures.columns.some(({ key }) => key === 'breakdown_value');
  const rows = figures.rows.map((row) => {
    const { label, custom_name: custom, breakdown_value: value = null, breakdown_name: cohort } = row;
    const words =
      isBrokenDown && Object.hasOwn(row, 'breakdown_value')
        ? { breakdown_value: cohort ?? wordsOf(value) }
        : {};
    const name = typeof custom === 'string' && Object.hasOwn(row, 'label') ? custom : label;
    return { ...row, ...(typeof name === 'string' ? { label: plainWords(name) } : {}), ...words };
  });
  const isSaid = (key: string) =>
    key === 'breakdown_name' || (key === 'custom_name' && figures.columns.some((one) => one.key === 'label'));
  return { ...figures, rows, columns: figures.columns.filter(({ key }) => !isSaid(key)) };
}

/** The figures with a mark on those whose interval was not over when they were calculated, or is not covered whole. */
function withMarks(figures: Figures, { answer, now }: Pick<Drawn, 'answer' | 'now'>): Marked {
  const { kind, columns } = figures;
  if (kind === 'sql') return { figures, remark: undefined };
  const keys = columns.filter((column) => column.kind === 'number').map(({ key }) => key);
  const marks = new Map<JsonObject, Map<string, IntervalState>>();
  for (const { row, column, state } of seriesOf(figures, answer, now).flatMap((one) => one.figures)) {
    const own = marks.get(row) ?? new Map<string, IntervalState>();
    // Only those of a cohort have an interval each.
    for (const key of kind === 'retention' ? [column] : keys)
      if ((row[key] ?? null) !== null) own.set(key, state);
    marks.set(row, own);
  }
  const rows = figures.rows.map((row) => {
    const marked = [...(marks.get(row) ?? [])].filter(([, state]) => state !== 'over');
    return { ...row, ...Object.fromEntries(marked.map(([key]) => [key, `${dataText(row[key])}${MARK}`])) };
  });
  const states = [...marks.values()].flatMap((own) => [...own.values()]);
  return { figures: { ...figures, rows }, remark: markRemark(states) };
}

function wordsOf(value: Json): Json {
  if (isList(value)) return value.length === 0 ? NONE : value.map(wordsOf);
  return value === null || value === '' ? NONE : plainWords(value);
}
