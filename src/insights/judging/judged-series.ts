import { CliError } from '../../errors.ts';
import type { Json, JsonObject } from '../../json/kinds.ts';
import { toJsonText } from '../../json/text.ts';
import {
  ageOf,
  type Figures,
  grouped,
  NONE,
  numberOf,
  plainWords,
  readState,
} from '../../semantics/answer.ts';
import {
  instantOfDay,
  intervalOfDays,
  isDay,
  type Span,
  spanOf,
  stateOf,
  type Timeline,
  timelineOf,
} from '../../semantics/calendar.ts';
import { cutOfFigures, insightRows } from '../../semantics/figures/figures.ts';
import { type Expectation, judge, type Measured } from './judge.ts';

type JudgeInput = {
  readonly name: string;
  /** What may help if there are no figures. */
  readonly remedy: string | undefined;
  readonly expectations: readonly Expectation[];
  readonly series: string | undefined;
  readonly breakdown: string | undefined;
  readonly unfinished: boolean;
  /** Whether a new calculation was asked for. */
  readonly refreshed: boolean;
  /** The service's time, in milliseconds since 1970. */
  readonly now: number;
};

/** One expectation held against one series. `holds` is null if nothing could be asked. */
export type Result = {
  readonly series: string | null;
  readonly breakdown: string | null;
  readonly expected: string;
  readonly found: string;
  readonly holds: boolean | null;
};

type Judged = {
  readonly results: readonly Result[];
  /** Days whose interval was not over when the figures were calculated, and which did not count. */
  readonly open: readonly string[];
};

/** Holds every expectation against every series. Throws `check` for an answer that has no figures to look at. */
export function judgeAnswer(answer: JsonObject, input: JudgeInput): Judged {
  const age = readAge(answer, input);
  const chosen = chooseSeries(readSeries(answer, input), input);
  const results = input.expectations.flatMap((expectation) => {
    // Its age is that of the whole answer.
    const judged = isAboutAge(expectation)
      ? chosen.slice(0, 1).map((one) => ({ ...one, label: null, breakdown: null }))
      : chosen;
    return judged.map(({ label, breakdown, measured }) => ({
      series: label,
      breakdown,
      expected: expectation.text,
      ...judge(expectation, { ...measured, age }),
    }));
  });
  return { results, open: [...new Set(chosen.flatMap(({ open }) => open))] };
}

/** Seconds since the calculation. Throws `check` for one that failed, is dated in the future, or is not the new one. */
function readAge(answer: JsonObject, { name, now, refreshed, remedy }: JudgeInput): number | undefined {
  const state = readState(answer);
  if (state.failure !== undefined) throw failed(`the calculation of ${name} failed${state.failure}`, remedy);
  if (refreshed && state.running !== undefined && (answer.result ?? null) !== null)
    throw failed(`${name} is still being calculated, and its figures are older`, 'ask again later');
  const age = ageOf(state, now);
  if (age === 'future')
    throw failed(
      `the result of ${name} is dated in the future: ${answer.last_refresh}, by the service's own clock`,
      remedy,
    );
  return age === 'unknown' ? undefined : age / 1000;
}

function readSeries(answer: JsonObject, input: JudgeInput): readonly Series[] {
  const { name, remedy, now, unfinished, breakdown } = input;
  const read = insightRows(answer);
  if (read.outcome === 'no-result') throw failed(`${name} has no result: ${read.message}`, remedy);
  if (read.outcome === 'unknown')
    throw failed(`the figures of ${name} cannot be read: ${read.message}`, remedy);
  const { figures } = read;
  const all = seriesOf(figures, { timeline: timelineOf(answer, now), now, unfinished });
  // Bins without bounds mean that no person converted.
  const isUnbound =
    figures.kind === 'time-to-convert' && figures.rows.every((row) => row.seconds_from === null);
  if (all.length === 0 || isUnbound) throw failed(`${name} has no figures: its result is empty`, remedy);
  const cut = cutOfFigures(answer, figures);
  // Each value of a breakdown is whole in itself.
  if (cut === undefined || (figures.kind !== 'sql' && breakdown !== undefined)) return all;
  return all.map((one) => ({ ...one, measured: { ...one.measured, cut } }));
}

function failed(message: string, hint: string | undefined): CliError {
  return new CliError('check', message, { hint });
}

function isAboutAge({ left, right }: Expectation): boolean {
  return [...left.names, ...right.names].every(({ name }) => name === 'age');
}

const MOST_NAMED = 10;

/** The series that were asked for. Throws `check` without one: what does not exist cannot hold. */
function chooseSeries(all: readonly Series[], { name, series, breakdown }: JudgeInput): readonly Series[] {
  const labelled = all.filter(({ label }) => series === undefined || isNamed(label, series));
  if (labelled.length === 0)
    throw absent(
      `${name} has no series "${series}"`,
      all.map(({ label }) => label),
    );
  const exact = labelled.filter((one) => breakdown === undefined || one.breakdown === breakdown);
  if (exact.length > 0) return exact;
  const isBrokenDown = labelled.some((one) => one.breakdown !== null);
  const found = labelled.filter((one) => isBrokenDown && isNamed(one.breakdown ?? '', breakdown ?? ''));
  if (found.length > 0) return found;
  throw absent(
    `${name} has no breakdown value "${breakdown}"`,
    labelled.map((one) => one.breakdown),
  );
}

/** Whether a name is meant, as the service spells it or as people see it. */
function isNamed(name: string | null, wanted: string): boolean {
  if (name === null) return false;
  return name === wanted || (name === '' ? NONE : plainWords(name)) === wanted;
}

function absent(message: string, names: readonly (string | null)[]): CliError {
  const present = [...new Set(names.filter((name) => name !== null).map(plainWords))];
  const more = present.length > MOST_NAMED ? ', ...' : '';
  const hint =
    present.length > 0 ? `choose from ${present.slice(0, MOST_NAMED).join(', ')}${more}` : 'it has none';
  return new CliError('check', message, { hint });
}

/** The figures that belong together: one line of a chart, one funnel, one column. */
export type Series = {
  readonly label: string | null;
  readonly breakdown: string | null;
  readonly measured: Measured;
  readonly open: readonly string[];
};

type Timing = {
  readonly timeline: Timeline;
  /** The service's time, in milliseconds. */
  readonly now: number;
  readonly unfinished: boolean;
};

/** The column of a kind of figures that holds its values; retention and SQL have several. */
const VALUES: Readonly<Record<Exclude<Figures['kind'], 'retention' | 'sql'>, string>> = {
  trends: 'value',
  total: 'aggregated_value',
  stickiness: 'value',
  lifecycle: 'value',
  'funnel-steps': 'count',
  'funnel-trends': 'conversion_rate',
  'time-to-convert': 'persons',
  paths: 'value',
  correlation: 'odds_ratio',
  'box-plot': 'median',
};

/** In the order of time, without an earlier period and without intervals that had not begun when they were calculated. */
export function seriesOf(figures: Figures, timing: Timing): readonly Series[] {
  const rows = figures.rows.filter((row) => row.compare_label !== 'previous');
  return linesOf({ ...figures, rows }, timing.timeline).map((line) => judged(line, timing));
}

/** One series, before it is said which of its points count. */
type SeriesLine = Pick<Series, 'label' | 'breakdown'> & {
  readonly points: readonly Point[];
  readonly conversion?: Measured['conversion'];
};

type Point = { readonly value: number | null; readonly span: DatedSpan | undefined };

type DatedSpan = Span & { readonly day: string };

function linesOf({ kind, rows, columns }: Figures, timeline: Timeline): readonly SeriesLine[] {
  if (kind === 'retention') return rows.map((row) => cohort(row, timeline));
  if (kind === 'sql') return sqlLines(rows, columns, timeline);
  const keys = columns.map(({ key }) => key).filter((key) => key !== 'day');
  const spanOfRow = ({ day }: JsonObject) => datedSpan(day, timeline);
  if (kind === 'lifecycle' && !keys.includes('value')) return columnLines(rows, keys, spanOfRow);
  return grouped(rows, nameOf).map((group) => ({
    label: labelOf(group[0] ?? {}),
    breakdown: textOf(group[0]?.breakdown_value),
    points: group.map((row) => ({ value: figure(row[VALUES[kind]]), span: spanOfRow(row) })),
    ...(kind === 'funnel-steps' && { conversion: conversionOf(group) }),
  }));
}

/** Each interval has the text of its day, or what `name` says. */
function datedSpan(
  day: Json | undefined,
  timeline: Timeline,
  { later = 0, name = dayText(day) } = {},
): DatedSpan | undefined {
  const span = spanOf(day, timeline, later);
  return span && { ...span, day: name };
}

/** A day as people write it: without a time of day at midnight. */
function dayText(day: Json | undefined): string {
  return (textOf(day) ?? '').replace(/[T ]00:00(:00(\.0+)?)?(Z|[+-]\d{2}:?\d{2})?$/, '');
}

/** The figures that count. One whose interval is not over is still to grow, one to come says nothing. */
function judged({ points, conversion, ...about }: SeriesLine, { timeline, unfinished, now }: Timing): Series {
  const begun = points.filter(({ span }) => span === undefined || stateOf(span, timeline) !== 'to-come');
  const isOpen = ({ span }: Point) => span !== undefined && stateOf(span, timeline) === 'open';
  const counted = unfinished ? begun : begun.filter((point) => !isOpen(point));
  const newest = begun.reduce<DatedSpan | undefined>(
    (latest, { span }) => (span !== undefined && span.start >= (latest?.start ?? span.start) ? span : latest),
    undefined,
  );
  return {
    ...about,
    measured: {
      values: counted.map(({ value }) => value),
      days: counted.map(({ span }) => span?.day),
      omitted: points.length - counted.length,
      conversion,
      newest: newest && { day: newest.day, lag: (now - newest.end) / 1000 },
    },
    open: unfinished ? [] : begun.filter(isOpen).flatMap(({ span }) => span?.day ?? []),
  };
}

/** What tells series apart is not what tells their rows apart. */
function nameOf(row: JsonObject): string {
  const order = isStep(row) ? null : (row.order ?? null);
  return toJsonText([order, labelOf(row), row.breakdown_value ?? null, row.compare_label ?? null]);
}

function isStep(row: JsonObject): boolean {
  return Object.hasOwn(row, 'conversion_from_first');
}

function conversionOf(steps: readonly JsonObject[]): NonNullable<Measured['conversion']> {
  return {
    overall: figure(steps.at(-1)?.conversion_from_first),
    steps: steps.map((step) => figure(step.conversion_from_previous)),
  };
}

/** The retention of one cohort: its n-th value is of the n-th interval after its date. */
function cohort({ breakdown_value, date, label, ...intervals }: JsonObject, timeline: Timeline): SeriesLine {
  const points = Object.entries(intervals).map(([key, value], later): Point => {
    const span = datedSpan(date, timeline, { later, name: `${key} of ${dayText(date)}` });
    return { value: figure(value), span };
  });
  return { label: textOf(date ?? label), breakdown: textOf(breakdown_value), points };
}

/** Columns that hold text are no series. */
function columnLines(
  rows: readonly JsonObject[],
  keys: readonly string[],
  spanOfRow: (row: JsonObject) => DatedSpan | undefined,
): readonly SeriesLine[] {
  return keys
    .filter((key) => rows.some((row) => figure(row[key]) !== null))
    .map((key) => ({
      label: key,
      breakdown: null,
      points: rows.map((row) => ({ value: figure(row[key]), span: spanOfRow(row) })),
    }));
}

/** The columns of SQL. If one of them holds days, the rows are put into its order, which the query may not have. */
function sqlLines(
  rows: readonly JsonObject[],
  columns: Figures['columns'],
  timeline: Timeline,
): readonly SeriesLine[] {
  const keys = columns.map(({ key }) => key);
  const dated = keys.find((key) => rows.length > 0 && rows.every((row) => isDay(row[key])));
  if (dated === undefined) return columnLines(rows, keys, () => undefined);
  const at = (row: JsonObject) => instantOfDay(row[dated], timeline.timezone) ?? 0;
  const ordered = rows.toSorted((left, right) => at(left) - at(right));
  const days = ordered.map((row) => row[dated] ?? null);
  const interval = intervalOfDays(days, timeline);
  return columnLines(ordered, keys, (row) =>
    interval === undefined
      ? // A time that rounds to nothing is no interval, and is over at once.
        { start: at(row), end: at(row), day: dayText(row[dated]) }
      : datedSpan(row[dated], { ...timeline, interval }),
  );
}

function labelOf(row: JsonObject): string | null {
  if (isStep(row)) return null;
  if (Object.hasOwn(row, 'source')) return `${textOf(row.source)} -> ${textOf(row.target)}`;
  if (typeof row.status === 'string') return row.status;
  return textOf(row.label ?? row.event ?? row.series_label);
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
