import { counted } from '../../errors.ts';
import { isExactNumber, type Json, type JsonObject } from '../../json/kinds.ts';
import { toJsonText } from '../../json/text.ts';
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
  /** Everything that it may be called beside its label: what people named it, its letter, its number. */
  readonly names: readonly string[];
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

/** In the order of time, without an earlier period that they are compared with. `now` is the service's time. */
export function seriesOf(figures: Figures, answer: Json, now: number): readonly Series[] {
  const timeline = timelineOf(answer, now);
  const rows = figures.rows.filter((row) => row.compare_label !== 'previous');
  const lines = linesOf({ ...figures, rows }, answer, timeline);
  const runningTotal = figures.kind === 'trends' && isRunningTotal(answer);
  return withLetters(lines.map((line) => toSeries(line, { runningTotal })));
}

/** Whether each figure holds all before it. */
function isRunningTotal(answer: Json): boolean {
  const display =
    textField(field(sourceOf(answer), 'trendsFilter'), 'display') ??
    textField(field(answer, 'filters'), 'display');
  return display === 'ActionsLineGraphCumulative';
}

type Point = Omit<Figure, 'own'>;

type Line = Omit<Series, 'figures' | 'runningTotal' | 'isTimeless' | 'names' | 'breakdownNames'> & {
  readonly points: readonly Point[];
  readonly position?: number | undefined;
  readonly isTimeless?: boolean;
  readonly names?: readonly string[];
  readonly breakdownNames?: readonly string[];
};

function toSeries({ points, ...line }: Line, { runningTotal }: Pick<Series, 'runningTotal'>) {
  const figures = points.map((point, index): Figure => {
    const before = index === 0 ? 0 : points[index - 1]?.value;
    const own = typeof before === 'number' && point.value !== null ? point.value - before : null;
    return { ...point, own: runningTotal ? own : point.value };
  });
  return { names: [], breakdownNames: [], isTimeless: false, ...line, figures, runningTotal };
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Two of one name are told apart by the letter that the service shows beside them. */
function withLetters(all: readonly (Series & Pick<Line, 'position'>)[]): readonly Series[] {
  const called = (one: Series) => toJsonText([one.label, one.breakdown]);
  return all.map(({ position, ...one }) => {
    const letter = position === undefined ? undefined : LETTERS[position];
    if (position === undefined || letter === undefined) return one;
    const isTwin = all.some((other) => other.position !== position && called(other) === called(one));
    const label = isTwin && one.label !== null ? `${one.label} (${letter})` : one.label;
    const own = one.label === null ? [] : [one.label];
    return { ...one, label, names: [...own, ...one.names, letter, String(position + 1)] };
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
      .filter((key) => rows.some((row) => figure(row[key]) !== null))
      .map((key) => ({
        label: key,
        breakdown: null,
        points: rows.map((row) => dayPoint(row, row[key], timeline)),
      }));
  return grouped(rows, nameOf).map((group) => {
    const [first = {}] = group;
    return {
      label: labelOf(first),
      breakdown: textOf(first.breakdown_value),
      position: typeof first.order === 'number' && !isStep(first) ? positions[first.order] : undefined,
      names: typeof first.label === 'string' ? [first.label] : [],
      breakdownNames: typeof first.breakdown_name === 'string' ? [first.breakdown_name] : [],
      points: group.map((row) => pointOf(row, row[VALUES[kind]], timeline)),
      ...(kind === 'funnel-steps' && { conversion: conversionOf(group) }),
    };
  });
}

function dayPoint({ day }: JsonObject, value: Json | undefined, timeline: Timeline): Point {
  const span = spanOf(day, timeline);
  const state = span === undefined ? 'over' : stateOf(span, timeline);
  return { value: figure(value), span, day: span && dayText(textOf(day) ?? ''), state };
}

/** On how many intervals of the range somebody did it. */
function stickinessPoint({ days }: JsonObject, value: Json | undefined): Point {
  const day = typeof days === 'number' ? counted(days, 'interval') : `${textOf(days)} intervals`;
  return { value: figure(value), span: undefined, day, state: 'over' };
}

/** What tells series apart is not what tells their rows apart. */
function nameOf(row: JsonObject): string {
  const order = isStep(row) ? null : (row.order ?? null);
  return toJsonText([order, labelOf(row), row.breakdown_value ?? null, row.compare_label ?? null]);
}

function isStep(row: JsonObject): boolean {
  return Object.hasOwn(row, 'conversion_from_first');
}

function conversionOf(steps: readonly JsonObject[]): NonNullable<Series['conversion']> {
  return {
    overall: figure(steps.at(-1)?.conversion_from_first),
    steps: steps.map((step) => figure(step.conversion_from_previous)),
  };
}

/** The retention of one cohort: its n-th value is of the n-th interval after its date. */
function cohort({ breakdown_value, date, label, ...intervals }: JsonObject, timeline: Timeline): Line {
  const points = Object.entries(intervals).map(([key, value], later): Point => {
    const span = spanOf(date, timeline, later);
    const day = span && `${key} of ${dayText(textOf(date) ?? '')}`;
    return { value: figure(value), span, day, state: span === undefined ? 'over' : stateOf(span, timeline) };
  });
  return { label: textOf(date ?? label), breakdown: textOf(breakdown_value), points };
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
      breakdown: null,
      isTimeless,
      points: ordered.map((row) => sqlPoint(row, numberIn(row[column.key], column), intervals)),
    }));
}

function sqlPoint(row: JsonObject, value: number | undefined, intervals: SqlIntervals | undefined): Point {
  if (intervals === undefined)
    return { value: value ?? null, span: undefined, day: undefined, state: 'over' };
  const span = intervals.spanOf(row);
  const day = dayText(textOf(row[intervals.key]) ?? '');
  return { value: value ?? null, span, day, state: stateOf(span, intervals.timeline) };
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

function figure(value: Json | undefined): number | null {
  return numberOf(value) ?? null;
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
