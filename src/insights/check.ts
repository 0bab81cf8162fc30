import type { Options } from '../cli/command/options.ts';
import { CliError, usageError } from '../errors.ts';
import type { Column, Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { type Figures, numberOf } from '../service/answer.ts';
import { type Duration, inMilliseconds } from '../service/duration.ts';
import type { Insight } from '../service/schemas.ts';
import { insightRows } from './figures.ts';
import { describeInsight } from './insight.ts';
import { ageExpectation, dropExpectation, type Expectation, judge, type Measured } from './judge.ts';
import { parseExpectation } from './parse-expectation.ts';

type JudgeInput = {
  readonly expectations: readonly Expectation[];
  readonly series: string | undefined;
  readonly breakdown: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** One expectation held against one series. */
type Result = {
  readonly series: string | null;
  readonly breakdown: string | null;
  readonly expected: string;
  readonly found: string;
  readonly holds: boolean;
};

/** Holds every expectation against every series. Throws `check` for an answer that has no figures to look at. */
export function judgeAnswer(answer: Insight, input: JudgeInput): readonly Result[] {
  const age = ageOf(answer, input.now);
  const chosen = chooseSeries(readSeries(answer), input, describeInsight(answer));
  return input.expectations.flatMap((expectation) => {
    // Its age is that of the whole answer.
    const judged = isAboutAge(expectation) ? chosen.slice(0, 1).map(nameless) : chosen;
    return judged.map(({ label, breakdown, measured }) => ({
      series: label,
      breakdown,
      expected: expectation.text,
      ...judge(expectation, { ...measured, age }),
    }));
  });
}

function readSeries(answer: Insight): readonly Series[] {
  const name = describeInsight(answer);
  const { error, error_message: reason } = answer.query_status ?? {};
  if (error === true) throw failed(`the calculation of ${name} failed${reason ? `: ${reason}` : ''}`);
  const read = insightRows(answer);
  if (read.outcome === 'no-result') throw failed(`${name} has no result: ${read.message}`);
  if (read.outcome === 'unknown') throw failed(`the figures of ${name} cannot be read: ${read.message}`);
  const series = seriesOf(read.figures);
  if (series.length > 0) return series;
  throw failed(`${name} has no figures: its result is empty`);
}

function failed(message: string): CliError {
  return new CliError('check', message, { hint: '--refresh calculates it anew' });
}

function ageOf({ last_refresh: refreshed }: Insight, now: number): number | undefined {
  const calculated = typeof refreshed === 'string' ? Date.parse(refreshed) : Number.NaN;
  return Number.isNaN(calculated) ? undefined : (now - calculated) / 1000;
}

function isAboutAge({ left, right }: Expectation): boolean {
  return [left, right].every(
    (side) => side.kind === 'constant' || (side.kind === 'named' && side.name === 'age'),
  );
}

function nameless(series: Series): Series {
  return { ...series, label: null, breakdown: null };
}

type SeriesChoice = { readonly series: string | undefined; readonly breakdown: string | undefined };

const MOST_NAMED = 10;

/** The series that were asked for. Throws `check` where there is none: what is not there cannot hold. */
function chooseSeries(all: readonly Series[], choice: SeriesChoice, insight: string): readonly Series[] {
  const { series, breakdown } = choice;
  const labelled = all.filter(({ label }) => series === undefined || label === series);
  if (labelled.length === 0)
    throw absent(
      `${insight} has no series "${series}"`,
      all.map(({ label }) => label),
    );
  const found = labelled.filter((one) => breakdown === undefined || one.breakdown === breakdown);
  if (found.length > 0) return found;
  throw absent(
    `${insight} has no breakdown value "${breakdown}"`,
    labelled.map((one) => one.breakdown),
  );
}

function absent(message: string, names: readonly (string | null)[]): CliError {
  const known = [...new Set(names.filter((name) => name !== null))];
  const more = known.length > MOST_NAMED ? ', ...' : '';
  const hint = known.length > 0 ? `there are ${known.slice(0, MOST_NAMED).join(', ')}${more}` : 'it has none';
  return new CliError('check', message, { hint });
}

/** The figures that belong together: one line of a chart, one funnel, one column. */
type Series = {
  readonly label: string | null;
  readonly breakdown: string | null;
  readonly measured: Measured;
};

/** Where a kind of figures has its values: in one column, or in every column but those named here. */
const VALUES: Readonly<Record<Figures['kind'], string | readonly string[]>> = {
  trends: 'value',
  total: 'aggregated_value',
  stickiness: 'value',
  lifecycle: ['day'],
  retention: ['breakdown_value', 'date', 'label'],
  sql: [],
  'funnel-steps': 'count',
  'funnel-trends': 'conversion_rate',
  'time-to-convert': 'persons',
  paths: 'value',
  correlation: 'odds_ratio',
  'box-plot': 'median',
};

/** The figures of an answer by series. Those of an earlier period, shown for comparison, are left out. */
export function seriesOf({ kind, rows, columns }: Figures): readonly Series[] {
  const present = rows.filter((row) => row.compare_label !== 'previous');
  if (kind === 'retention') return present.map(cohort);
  const values = columns.some(({ key }) => key === 'value') && kind === 'lifecycle' ? 'value' : VALUES[kind];
  if (typeof values !== 'string') return columnSeries(present, columns, values);
  return groups(present).map((group) => {
    const [first = {}] = group;
    return {
      label: labelOf(first),
      breakdown: breakdownOf(first),
      measured: {
        values: group.map((row) => figure(row[values])),
        ...(kind === 'funnel-steps' ? { conversion: conversionOf(group) } : {}),
      },
    };
  });
}

/** Rows of one series stand together; what tells series apart is not what tells their rows apart. */
function groups(rows: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const found = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const isStep = Object.hasOwn(row, 'conversion_from_first');
    const order = isStep ? null : (row.order ?? null);
    const name = [order, labelOf(row), row.breakdown_value ?? null, row.compare_label ?? null];
    const key = toJsonText(name);
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found.values()];
}

function conversionOf(steps: readonly JsonObject[]): NonNullable<Measured['conversion']> {
  return {
    overall: figure(steps.at(-1)?.conversion_from_first),
    steps: steps.map((step) => figure(step.conversion_from_previous)),
  };
}

/** The retention of one cohort; intervals that are still to come are not among its values. */
function cohort(row: JsonObject): Series {
  const names = VALUES.retention;
  const values = Object.entries(row).filter(([key]) => !names.includes(key));
  return {
    label: textOf(row.date ?? row.label),
    breakdown: breakdownOf(row),
    measured: { values: values.map(([, value]) => figure(value)) },
  };
}

/** Columns of figures; those that hold text are no series. */
function columnSeries(
  rows: readonly JsonObject[],
  columns: Figures['columns'],
  omitted: readonly string[],
): readonly Series[] {
  return columns
    .filter(({ key }) => !omitted.includes(key) && rows.some((row) => figure(row[key]) !== null))
    .map(({ key }) => ({
      label: key,
      breakdown: null,
      measured: { values: rows.map((row) => figure(row[key])) },
    }));
}

function labelOf(row: JsonObject): string | null {
  if (Object.hasOwn(row, 'conversion_from_first')) return null;
  if (Object.hasOwn(row, 'source')) return `${textOf(row.source)} -> ${textOf(row.target)}`;
  if (typeof row.status === 'string') return row.status;
  return textOf(row.label ?? row.event ?? row.series_label);
}

function breakdownOf(row: JsonObject): string | null {
  return textOf(row.breakdown_value);
}

/** A breakdown by several properties is a list. */
function textOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((one: Json) => textOf(one) ?? '').join(', ');
  return typeof value === 'string' ? value : toJsonText(value);
}

function figure(value: Json | undefined): number | null {
  return numberOf(value) ?? null;
}

type Given = {
  readonly expect: readonly string[] | undefined;
  readonly maxDrop: string | undefined;
  readonly maxAge: Duration | undefined;
};

/** Everything that is expected. Throws a usage error for nothing at all, and for what cannot be read. */
export function readExpectations({ expect = [], maxDrop, maxAge }: Given): readonly Expectation[] {
  const all = [
    ...expect.map(parseExpectation),
    ...(maxDrop === undefined ? [] : [dropExpectation(maxDrop)]),
    ...(maxAge === undefined ? [] : [ageExpectation(inMilliseconds(maxAge))]),
  ];
  if (all.length > 0) return all;
  throw usageError('nothing is expected', "give --expect 'last >= 100', --max-drop 20% or --max-age 24h");
}

export const checkColumns: readonly Column[] = [
  { key: 'series' },
  { key: 'breakdown' },
  { key: 'expected' },
  { key: 'found' },
  { key: 'holds' },
];

/** Throws `check` with a sentence for each expectation that does not hold. */
export function refuseFailed(results: readonly Result[], insight: string): void {
  const failed = results.filter(({ holds }) => !holds);
  if (failed.length === 0) return;
  const sentences = failed.map(sentence);
  const count = results.length === 1 ? '' : `${failed.length} of ${results.length} checks do not hold: `;
  throw new CliError('check', `${insight}: ${count}${sentences.join('; ')}`);
}

function sentence({ series, breakdown, expected, found }: Result): string {
  const who = [series, breakdown].filter((name) => name !== null).map((name) => `"${name}"`);
  const where = who.length > 0 ? ` for ${who.join(', ')}` : '';
  return `expected ${expected}${where}, but ${found}`;
}

/** The options of `insights check`. */
export const checkOptions = {
  expect: { type: 'repeated', placeholder: 'expectation', description: "What is to hold: 'last >= 100'" },
  maxDrop: {
    type: 'text',
    placeholder: 'percent',
    description: 'How much lower than the one before the last figure may be: 20%',
  },
  maxAge: { type: 'duration', placeholder: 'time', description: 'How old the result may be: 30min, 24h' },
  series: { type: 'text', placeholder: 'label', description: 'Only the series with this label' },
  breakdown: { type: 'text', placeholder: 'value', description: 'Only this value of the breakdown' },
} as const satisfies Options;
