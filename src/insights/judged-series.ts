import type { Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { type Figures, numberOf } from '../service/answer.ts';
import {
  instantOfDay,
  intervalOfDays,
  isDay,
  type Span,
  spanOf,
  stateOf,
  type Timeline,
} from '../service/calendar.ts';
import type { Measured } from './judge.ts';

/** The figures that belong together: one line of a chart, one funnel, one column. */
export type Series = {
  readonly label: string | null;
  readonly breakdown: string | null;
  readonly measured: Measured;
  /** Days whose interval was not over, and which do not count. */
  readonly open: readonly string[];
};

/** How the figures are set in time. */
type Timing = {
  readonly timeline: Timeline;
  /** The service's time, in milliseconds. */
  readonly now: number;
  /** Whether the interval that is not over counts. */
  readonly unfinished: boolean;
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

/**
 * The figures of an answer by series, in the order of time. Those of an earlier period, shown for comparison, are left
 * out, and so are intervals that had not begun when they were calculated.
 */
export function seriesOf({ kind, rows, columns }: Figures, timing: Timing): readonly Series[] {
  const present = rows.filter((row) => row.compare_label !== 'previous');
  if (kind === 'retention') return present.map((row) => cohort(row, timing));
  if (kind === 'sql') return sqlSeries(present, columns, timing);
  const values = columns.some(({ key }) => key === 'value') && kind === 'lifecycle' ? 'value' : VALUES[kind];
  if (typeof values !== 'string') return columnSeries(present, columns, { omitted: values, timing });
  return groups(present).map((group) => {
    const [first = {}] = group;
    const points = group.map((row) => ({ value: figure(row[values]), span: spanOfRow(row, timing) }));
    const { measured, open } = judgedPoints(points, timing);
    return {
      label: labelOf(first),
      breakdown: breakdownOf(first),
      measured: kind === 'funnel-steps' ? { ...measured, conversion: conversionOf(group) } : measured,
      open,
    };
  });
}

/** One figure with its interval, if it has one. */
type Point = { readonly value: number | null; readonly span: DatedSpan | undefined };

type DatedSpan = Span & { readonly day: string };

function spanOfRow({ day }: JsonObject, { timeline }: Timing): DatedSpan | undefined {
  const span = spanOf(day, timeline);
  return span && { ...span, day: dayText(day) };
}

/** A day as people write it: without a time of day at midnight. */
function dayText(day: Json | undefined): string {
  return (textOf(day) ?? '').replace(/[T ]00:00(:00(\.0+)?)?(Z|[+-]\d{2}:?\d{2})?$/, '');
}

/** The figures that count. One whose interval is not over is still to grow, one to come says nothing. */
function judgedPoints(
  points: readonly Point[],
  { timeline, unfinished, now }: Timing,
): Pick<Series, 'measured' | 'open'> {
  const begun = points.filter(({ span }) => span === undefined || stateOf(span, timeline) !== 'to-come');
  const isOpen = ({ span }: Point) => span !== undefined && stateOf(span, timeline) === 'open';
  const judged = unfinished ? begun : begun.filter((point) => !isOpen(point));
  const newest = begun.reduce<DatedSpan | undefined>(
    (latest, { span }) => (span !== undefined && span.start >= (latest?.start ?? span.start) ? span : latest),
    undefined,
  );
  return {
    measured: {
      values: judged.map(({ value }) => value),
      days: judged.map(({ span }) => span?.day),
      omitted: points.length - judged.length,
      ...(newest && { newest: { day: newest.day, lag: (now - newest.end) / 1000 } }),
    },
    open: unfinished ? [] : begun.filter(isOpen).flatMap(({ span }) => span?.day ?? []),
  };
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

/** The retention of one cohort: its n-th value is of the n-th interval after its date. */
function cohort(row: JsonObject, timing: Timing): Series {
  const names = VALUES.retention;
  const points = Object.entries(row)
    .filter(([key]) => !names.includes(key))
    .map(([key, value], later): Point => {
      const span = spanOf(row.date, timing.timeline, later);
      return { value: figure(value), span: span && { ...span, day: `${key} of ${dayText(row.date)}` } };
    });
  return {
    label: textOf(row.date ?? row.label),
    breakdown: breakdownOf(row),
    ...judgedPoints(points, timing),
  };
}

type ColumnSeries = {
  readonly omitted: readonly string[];
  readonly timing: Timing;
  /** The interval of each row, where it is not its field `day` that says so. */
  readonly spans?: readonly (DatedSpan | undefined)[];
};

/** Columns of figures; those that hold text are no series. */
function columnSeries(
  rows: readonly JsonObject[],
  columns: Figures['columns'],
  { omitted, timing, spans }: ColumnSeries,
): readonly Series[] {
  return columns
    .filter(({ key }) => !omitted.includes(key) && rows.some((row) => figure(row[key]) !== null))
    .map(({ key }) => ({
      label: key,
      breakdown: null,
      ...judgedPoints(
        rows.map((row, index) => ({
          value: figure(row[key]),
          span: spans === undefined ? spanOfRow(row, timing) : spans[index],
        })),
        timing,
      ),
    }));
}

/** The columns of SQL; where one of them holds days, they are in its order, whatever the query sorts by. */
function sqlSeries(
  rows: readonly JsonObject[],
  columns: Figures['columns'],
  timing: Timing,
): readonly Series[] {
  const { timezone } = timing.timeline;
  const dated = columns.find(({ key }) => rows.length > 0 && rows.every((row) => isDay(row[key])));
  if (dated === undefined) return columnSeries(rows, columns, { omitted: [], timing, spans: [] });
  const at = (row: JsonObject) => instantOfDay(row[dated.key], timezone) ?? 0;
  const ordered = rows.toSorted((left, right) => at(left) - at(right));
  const days = ordered.map((row) => row[dated.key] ?? null);
  const interval = intervalOfDays(days, timing.timeline);
  const spans = ordered.map((row) => {
    const day = dayText(row[dated.key]);
    // A time that rounds to nothing is no interval, and is over at once.
    if (interval === undefined) return { start: at(row), end: at(row), day };
    const span = spanOf(row[dated.key], { ...timing.timeline, interval });
    return span && { ...span, day };
  });
  return columnSeries(ordered, columns, { omitted: [], timing, spans });
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
