import { counted } from '../../errors.ts';
import { type Column, isList, type Json, type JsonObject } from '../../json/kinds.ts';
import { dataText, toJsonText } from '../../json/text.ts';
import {
  type Figures,
  field,
  grouped,
  isNumeric,
  numberIn,
  numberOf,
  sourceOf,
  textField,
} from '../answer.ts';
import {
  dayText,
  type IntervalState,
  type Span,
  spanOf,
  stateOf,
  type Timeline,
  timelineOf,
} from '../timeline.ts';
import { smoothingOf } from './remarks.ts';
import { runningColumns } from './running-columns.ts';
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
  /** Why none of its rows is known to be the last one. */
  readonly unordered?: string | undefined;
  /** The days after which intervals have no row. */
  readonly gaps: readonly string[];
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
  const holds = heldBy(figures, answer);
  return withNames(lines.map((line) => toSeries({ holds, ...line })));
}

/** Which others each figure holds, too, if it is a running total. */
type Held = 'all before' | 'all after';

function heldBy({ kind }: Figures, answer: Json): Held | undefined {
  const source = sourceOf(answer);
  const display =
    textField(field(source, 'trendsFilter'), 'display') ?? textField(field(answer, 'filters'), 'display');
  if (kind === 'trends' && display === 'ActionsLineGraphCumulative') return 'all before';
  const computed = textField(field(source, 'stickinessFilter'), 'computedAs');
  return kind === 'stickiness' && computed === 'cumulative' ? 'all after' : undefined;
}

type Point = Omit<Figure, 'own' | 'value'>;

type Line = Pick<Series, 'label'> &
  Partial<Pick<Series, 'names' | 'unordered' | 'gaps' | 'conversion'>> & {
    readonly holds?: Held | undefined;
    /** A row that says of all of them what they are of. */
    readonly about?: JsonObject;
    readonly points: readonly Point[];
    readonly position?: number | undefined;
  };

function toSeries({ points, holds, about = {}, ...line }: Line) {
  const values = points.map(({ written }) => numberOf(written) ?? null);
  const figures = points.map((point, index): Figure => {
    const neighbour = holds === 'all after' ? index + 1 : index - 1;
    const isEnd = neighbour < 0 || neighbour === points.length;
    const [held = null, value = null] = [isEnd ? 0 : values[neighbour], values[index]];
    const own = held !== null && value !== null ? value - held : null;
    return { ...point, value, own: holds === undefined ? value : own };
  });
  const { breakdown_value: value, breakdown_name: cohort, compare_label: period } = about;
  return {
    names: [],
    gaps: [],
    ...line,
    figures,
    runningTotal: holds !== undefined,
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
  const positions = new Map<string, Set<number | undefined>>();
  for (const one of all)
    positions.set(called(one), (positions.get(called(one)) ?? new Set()).add(one.position));
  return all.map((one) => {
    const { position, ...series } = one;
    const { breakdowns } = one;
    const letter = position === undefined ? undefined : LETTERS[position];
    const isTwin = (positions.get(called(one))?.size ?? 0) > 1;
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
      points: spreadCut(
        group.map((row) => pointOf(row, VALUES[kind], timeline)),
        kind === 'trends' ? smoothingOf(answer) : 1,
      ),
      ...(kind === 'funnel-steps' && { conversion: conversionOf(group) }),
    };
  });
}

function dayPoint(row: JsonObject, column: string, timeline: Timeline): Point {
  const span = spanOf(row.day, timeline);
  const state = span === undefined ? 'over' : stateOf(span, timeline);
  return { written: row[column], row, column, span, day: span && dayText(textOf(row.day) ?? ''), state };
}

/** A mean of several intervals lacks something, too, if one of them is cut. */
function spreadCut(points: readonly Point[], smoothing: number): readonly Point[] {
  const isCut = points[0]?.state === 'cut';
  return points.map((point, index) =>
    isCut && index < smoothing && point.state === 'over' ? { ...point, state: 'cut' } : point,
  );
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

/** The retention of one cohort: its n-th value is of the n-th interval after its date, or of several: `Day 2-4`. */
function cohort(row: JsonObject, timeline: Timeline): Line {
  const { breakdown_value: _, date, label, ...intervals } = row;
  const ranges = Object.keys(intervals).map((key) => / (\d{1,4})(?:-(\d{1,4}))?$/.exec(key));
  const isOfSeveral = ranges.some((range) => range?.[2] !== undefined);
  const points = Object.entries(intervals).map(([key, written], place): Point => {
    const [, from = place, to = from] = (isOfSeveral && ranges[place]) || [];
    const [first, last] = [spanOf(date, timeline, Number(from)), spanOf(date, timeline, Number(to))];
    const span = first && last && { start: first.start, end: last.end };
    const day = span && `${key} of ${dayText(textOf(date) ?? '')}`;
    const state = span === undefined ? 'over' : stateOf(span, timeline);
    return { written, row, column: key, span, day, state };
  });
  return { label: textOf(date ?? label), about: row, points };
}

/** What a statement counts by without the year, or in words of its own. */
const OF_NO_DATE =
  /\b(?:to(?:ISO)?(?:Week|Month|Quarter|DayOf(?:Year|Month|Week)|Hour)|formatDateTime|dateName|toUnixTimestamp)\s*\(/i;

/** The columns of SQL. If one of them names intervals, the rows are put into its order, which the query may not have. */
function sqlLines({ rows, columns }: Figures, answer: Json, timeline: Timeline): readonly Line[] {
  const sql = textField(sourceOf(answer), 'query') ?? '';
  const intervals = sqlIntervals({ rows, columns }, sql, timeline);
  const ordered =
    intervals === undefined
      ? rows
      : rows.toSorted((left, right) => intervals.startOf(left) - intervals.startOf(right));
  const totals = runningColumns(sql);
  return columns
    .filter((column) => column.key !== intervals?.key && isNumeric(column, rows))
    .map((column) => ({
      label: column.key,
      unordered: whyUnordered(rows, sql, intervals),
      holds: totals.includes(column.key) ? 'all before' : undefined,
      gaps: intervals === undefined || sql === '' ? [] : gapsIn(ordered, intervals),
      points: ordered.map((row) => sqlPoint(row, column, intervals)),
    }));
}

function whyUnordered(
  rows: readonly JsonObject[],
  sql: string,
  intervals: SqlIntervals | undefined,
): string | undefined {
  if (intervals === undefined)
    return rows.length > 1 && OF_NO_DATE.test(sql)
      ? 'its rows name no date that can be read, so none is known to be the last; use toStartOfWeek or the like'
      : undefined;
  return new Set(rows.map(intervals.startOf)).size < rows.length
    ? `several rows have the same ${intervals.key}, so none is known to be the last; ask for one row for each`
    : undefined;
}

/** Days after which an interval that is over has no row. */
function gapsIn(ordered: readonly JsonObject[], { key, spanOf, timeline }: SqlIntervals): readonly string[] {
  const until = Math.min(timeline.at, timeline.to ?? timeline.at);
  return ordered.flatMap((row, index) => {
    const { start, end } = spanOf(row);
    const next = ordered[index + 1];
    const isGap = next === undefined ? end + (end - start) <= until : spanOf(next).start > end;
    return start < end && isGap ? [dayText(textOf(row[key]) ?? '')] : [];
  });
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
