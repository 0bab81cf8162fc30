import { counted } from '../../errors.ts';
import { type Column, isExactNumber, isList, type Json, type JsonObject } from '../../json/kinds.ts';
import { dataText, toJsonText } from '../../json/text.ts';
import {
  type Figures,
  field,
  grouped,
  isNumeric,
  NONE,
  numberIn,
  numberOf,
  plainWords,
  sourceOf,
  textField,
} from '../answer.ts';
import {
  dayOf,
  dayText,
  type IntervalState,
  type Span,
  spanOf,
  stateOf,
  type Timeline,
  timelineOf,
} from '../timeline.ts';
import { type SqlIntervals, sqlIntervals } from './sql-intervals.ts';

/** One figure, and what it is. */
export type Figure = {
  readonly value: number | null;
  /** The value with its own digits. */
  readonly written: Json | undefined;
  /** The row of the answer that it stands in. */
  readonly row: JsonObject;
  /** The column of that row. */
  readonly column: string;
  /** What its interval adds to a running total; the value itself for any other figure. */
  readonly own: number | null;
  /** Undefined for a figure that belongs to no interval. */
  readonly span: Span | undefined;
  /** What people call its interval. */
  readonly day: string | undefined;
  readonly state: IntervalState;
};

/** The figures that belong together: one line of a chart, one funnel, one column. */
export type Series = {
  readonly label: string | null;
  readonly breakdown: string | null;
  /** `current` or `previous` in a comparison. */
  readonly period: string | null;
  /** Label, values of the breakdown and period, each once: labels often hold the breakdown already. */
  readonly name: string;
  /** Everything that it may be called beside its label: what people named it, its letter, its number. */
  readonly names: readonly string[];
  readonly breakdowns: readonly string[];
  readonly breakdownNames: readonly string[];
  readonly figures: readonly Figure[];
  readonly runningTotal: boolean;
  /** Whether its rows are weeks, months or hours of no year, so that none is known to be the last one. */
  readonly isTimeless: boolean;
  /** Percentages of a funnel of steps; `steps[n]` is the one from the step before step n + 1. */
  readonly conversion?: { readonly overall: number | null; readonly steps: readonly (number | null)[] };
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

/** In the order of time. `now` is the service's time. */
export function seriesOf(figures: Figures, answer: Json, now: number): readonly Series[] {
  const timeline = timelineOf(answer, now);
  const lines = linesOf(figures, answer, timeline);
  const runningTotal = figures.kind === 'trends' && isRunningTotal(answer);
  return withNames(lines.map((line) => toSeries(line, runningTotal)));
}

/** Whether each figure holds all before it. */
function isRunningTotal(answer: Json): boolean {
  const display =
    textField(field(sourceOf(answer), 'trendsFilter'), 'display') ??
    textField(field(answer, 'filters'), 'display');
  return display === 'ActionsLineGraphCumulative';
}

type Point = Omit<Figure, 'own' | 'value'>;

type Line = Pick<Series, 'label'> &
  Partial<Pick<Series, 'names' | 'isTimeless' | 'conversion'>> & {
    /** A row that says of all of them what they are of. */
    readonly about?: JsonObject;
    readonly points: readonly Point[];
    readonly position?: number | undefined;
  };

function toSeries({ points, about = {}, ...line }: Line, runningTotal: boolean) {
  const values = points.map(({ written }) => numberOf(written) ?? null);
  const figures = points.map((point, index): Figure => {
    const [before = null, value = null] = [index === 0 ? 0 : values[index - 1], values[index]];
    const own = before !== null && value !== null ? value - before : null;
    return { ...point, value, own: runningTotal ? own : value };
  });
  const { breakdown_value: value, breakdown_name: cohort, compare_label: period } = about;
  return {
    names: [],
    isTimeless: false,
    ...line,
    figures,
    runningTotal,
    breakdown: textOf(value),
    breakdowns: (isList(value) ? value : [value]).flatMap((one) => dataText(one) ?? []),
    breakdownNames: typeof cohort === 'string' ? [cohort] : [],
    period: dataText(period),
  };
}

type Unnamed = ReturnType<typeof toSeries>;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Two of one name are told apart by the letter that the service shows beside them. */
function withNames(all: readonly Unnamed[]): readonly Series[] {
  const called = ({ label, breakdown, period }: Unnamed) => toJsonText([label, breakdown, period]);
  return all.map((one) => {
    const { position, ...series } = one;
    const { breakdowns } = one;
    const letter = position === undefined ? undefined : LETTERS[position];
    const isTwin = all.some((other) => other.position !== position && called(other) === called(one));
    const label = isTwin && letter && one.label !== null ? `${one.label} (${letter})` : one.label;
    const own = one.label === null ? [] : [one.label];
    const names =
      letter === undefined ? one.names : [...own, ...one.names, letter, String(Number(position) + 1)];
    // A drawing has letters of its own.
    const said = breakdowns.every((value) => one.label?.includes(value)) ? [] : breakdowns;
    const name = [one.label, ...said, one.period].filter((part) => part !== null && part !== '').join(', ');
    return { ...series, label, names, name };
  });
}

function linesOf(figures: Figures, answer: Json, timeline: Timeline): readonly Line[] {
  const { kind, rows, columns, positions = [] } = figures;
  if (kind === 'retention') return rows.map((row) => cohort(row, timeline));
  if (kind === 'sql') return sqlLines(figures, answer, timeline);
  const keys = columns.map(({ key }) => key).filter((key) => key !== 'day');
  const pointOf = kind === 'stickiness' ? stickinessPoint : dayPoint;
  if (kind === 'lifecycle' && !keys.includes('value'))
    return keys
      .filter((key) => rows.some((row) => numberOf(row[key]) !== undefined))
      .map((key) => ({ label: key, points: rows.map((row) => dayPoint(row, key, timeline)) }));
  return grouped(rows, keyOf).map((group) => {
    const [first = {}] = group;
    return {
      label: labelOf(first),
      about: first,
      position: typeof first.order === 'number' && !isStep(first) ? positions[first.order] : undefined,
      names: typeof first.label === 'string' ? [first.label] : [],
      points: group.map((row) => pointOf(row, VALUES[kind], timeline)),
      ...(kind === 'funnel-steps' && { conversion: conversionOf(group) }),
    };
  });
}

function dayPoint(row: JsonObject, column: string, timeline: Timeline): Point {
  const span = spanOf(row.day, timeline);
  const state = span === undefined ? 'over' : stateOf(span, timeline);
  return { written: row[column], row, column, span, day: span && dayText(textOf(row.day) ?? ''), state };
}

/** On how many intervals of the range somebody did it. */
function stickinessPoint(row: JsonObject, column: string): Point {
  const { days } = row;
  const day = typeof days === 'number' ? counted(days, 'interval') : `${textOf(days)} intervals`;
  return { written: row[column], row, column, span: undefined, day, state: 'over' };
}

/** What tells series apart is not what tells their rows apart. */
function keyOf(row: JsonObject): string {
  const order = isStep(row) ? null : (row.order ?? null);
  return toJsonText([order, labelOf(row), row.breakdown_value ?? null, row.compare_label ?? null]);
}

function isStep(row: JsonObject): boolean {
  return Object.hasOwn(row, 'conversion_from_first');
}

function conversionOf(steps: readonly JsonObject[]): NonNullable<Series['conversion']> {
  return {
    overall: numberOf(steps.at(-1)?.conversion_from_first) ?? null,
    steps: steps.map((step) => numberOf(step.conversion_from_previous) ?? null),
  };
}

/** The retention of one cohort: its n-th value is of the n-th interval after its date. */
function cohort(row: JsonObject, timeline: Timeline): Line {
  const { breakdown_value: _, date, label, ...intervals } = row;
  const points = Object.entries(intervals).map(([key, written], later): Point => {
    const span = spanOf(date, timeline, later);
    const day = span && `${key} of ${dayText(textOf(date) ?? '')}`;
    const state = span === undefined ? 'over' : stateOf(span, timeline);
    return { written, row, column: key, span, day, state };
  });
  return { label: textOf(date ?? label), about: row, points };
}

/** What a statement counts by without the year. */
const OF_NO_YEAR = /\bto(?:ISO)?(?:Week|Month|Quarter|DayOf(?:Year|Month|Week)|Hour)\s*\(/i;

/** The columns of SQL. If one of them names intervals, the rows are put into its order, which the query may not have. */
function sqlLines({ rows, columns }: Figures, answer: Json, timeline: Timeline): readonly Line[] {
  const sql = textField(sourceOf(answer), 'query') ?? '';
  const intervals = sqlIntervals({ rows, columns }, sql, timeline);
  const isTimeless = intervals === undefined && rows.length > 1 && OF_NO_YEAR.test(sql);
  const ordered =
    intervals === undefined
      ? rows
      : rows.toSorted((left, right) => intervals.startOf(left) - intervals.startOf(right));
  return columns
    .filter((column) => column.key !== intervals?.key && isNumeric(column, rows))
    .map((column) => ({
      label: column.key,
      isTimeless,
      points: ordered.map((row) => sqlPoint(row, column, intervals)),
    }));
}

function sqlPoint(row: JsonObject, column: Column, intervals: SqlIntervals | undefined): Point {
  const cell = row[column.key];
  // A text in a column of numbers is one.
  const point = {
    written: typeof cell === 'string' ? numberIn(cell, column) : cell,
    row,
    column: column.key,
  };
  if (intervals === undefined) return { ...point, span: undefined, day: undefined, state: 'over' };
  const span = intervals.spanOf(row);
  const day = dayText(textOf(row[intervals.key]) ?? '');
  return { ...point, span, day, state: stateOf(span, intervals.timeline) };
}

function labelOf(row: JsonObject): string | null {
  if (isStep(row)) return null;
  if (Object.hasOwn(row, 'source')) return `${textOf(row.source)} -> ${textOf(row.target)}`;
  if (typeof row.status === 'string') return row.status;
  return textOf(row.custom_name ?? row.label ?? row.event ?? row.series_label);
}

/** A breakdown by several properties is a list. */
function textOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map((one: Json) => textOf(one) ?? '').join(', ');
  return typeof value === 'string' ? value : toJsonText(value);
}

/** Which part of the events the figures are calculated from, `0.1` for a tenth; undefined for all of them. */
function samplingOf(answer: Json): number | undefined {
  const source = sourceOf(answer);
  const told = field(source, 'samplingFactor') ?? field(field(answer, 'filters'), 'sampling_factor');
  const [, part, of] =
    /\bSAMPLE\s+(\d*\.?\d+)(?:\s*\/\s*(\d+))?/i.exec(textField(source, 'query') ?? '') ?? [];
  const factor =
    part === undefined
      ? Number(isExactNumber(told) ? told.value : (told ?? 1))
      : Number(part) / Number(of ?? 1);
  return factor > 0 && factor < 1 ? factor : undefined;
}

/** That the figures are a sample, as a sentence. */
export function samplingRemark(answer: Json): string | undefined {
  const sampling = samplingOf(answer);
  if (sampling === undefined) return undefined;
  return `The figures are extrapolated from a sample of ${Number((sampling * 100).toPrecision(6))}%.`;
}

/** That nothing has a value of the breakdown, as a sentence: its name may be wrong. */
export function breakdownRemark({ rows }: Figures, answer: Json): string | undefined {
  const filter = field(sourceOf(answer), 'breakdownFilter') ?? field(answer, 'filters');
  const named = textOf(field(filter, 'breakdown'));
  const type = textField(filter, 'breakdown_type');
  if (named === null || rows.length === 0 || type === 'cohort' || type === 'hogql') return undefined;
  const isNone = (value: Json | undefined): boolean =>
    Array.isArray(value) ? value.every(isNone) : (value ?? '') === '' || plainWords(value ?? '') === NONE;
  if (!rows.every((row) => isNone(row.breakdown_value))) return undefined;
  return `Nothing has a value of the ${type === undefined ? '' : `${type} `}property "${named}": its name may be wrong.`;
}

/** That figures of a whole range are still to change, as a sentence: it is not over, or people may still convert. */
export function rangeRemark({ kind }: Figures, answer: Json, now: number): string | undefined {
  const { at, to = at, window, timezone } = timelineOf(answer, now);
  if (kind === 'funnel-steps' || kind === 'time-to-convert')
    return Math.min(to, at) + window > at
      ? `People who began since ${dayOf(at - window, timezone)} may still convert.`
      : undefined;
  const isWhole = kind === 'stickiness' || kind === 'total';
  return isWhole && to >= at ? 'The figures are of a range that is not over.' : undefined;
}
