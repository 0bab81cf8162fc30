import { type Column, isList, type Json, type JsonObject } from '../json/kinds.ts';
import {
  type Answer,
  type Figures,
  field,
  filledColumns,
  listField,
  numberOf,
  objects,
  pick,
} from '../service/answer.ts';

/** Displays that show one figure for the whole time; their series may have no daily data. */
const totals = new Set([
  'ActionsPie',
  'ActionsBarValue',
  'ActionsTable',
  'BoldNumber',
  'WorldMap',
  'ActionsDonut',
]);

const who: readonly Column[] = [
  { key: 'order' },
  { key: 'label' },
  { key: 'breakdown_value' },
  { key: 'compare_label' },
];

/** Trends: a row for each series and day, or for each series where the answer has one figure a series. */
export function trendsRows({ result, question, boxPlot }: Answer): Figures | undefined {
  if (question.display === 'BoxPlot' && boxPlot !== undefined) return boxPlotRows(boxPlot);
  const series = objects(result);
  if (series === undefined || !series.every(isSeries)) return undefined;
  const aggregated = series.filter((one) => field(one, 'aggregated_value') !== undefined);
  const daily = series.some((one) => listField(one, 'data').length > 0);
  const total = aggregated.length > 0 && (!daily || totals.has(question.display ?? ''));
  return total ? totalRows(series) : dailyRows(series);
}

function isSeries(one: JsonObject): boolean {
  return Object.hasOwn(one, 'data') || Object.hasOwn(one, 'aggregated_value');
}

function totalRows(series: readonly JsonObject[]): Figures {
  const rows = series.map((one, index) => ({ ...name(one, index), ...pick(one, ['aggregated_value']) }));
  return { kind: 'total', rows, columns: columnsOf(series, rows, numbers('aggregated_value')) };
}

function dailyRows(series: readonly JsonObject[]): Figures {
  const rows = series.flatMap((one, index) =>
    points(one, 'day').map((point) => ({ ...name(one, index), ...point })),
  );
  return { kind: 'trends', rows, columns: columnsOf(series, rows, [{ key: 'day' }, ...numbers('value')]) };
}

/** Columns of figures. */
export function numbers(...keys: readonly string[]): readonly Column[] {
  return keys.map((key) => ({ key, kind: 'number' }));
}

/** Stickiness: how many people did it on 1, 2, 3 … days. */
export function stickinessRows({ result }: Answer): Figures | undefined {
  const series = objects(result);
  if (series === undefined || !series.every(isSeries)) return undefined;
  const rows = series.flatMap((one, index) =>
    points(one, 'days').map((point) => ({ ...name(one, index), ...point })),
  );
  const columns: readonly Column[] = [
    { key: 'days', title: 'on this many intervals', kind: 'number' },
    { key: 'value', title: 'persons', kind: 'number' },
  ];
  return { kind: 'stickiness', rows, columns: columnsOf(series, rows, columns) };
}

/** Lifecycle: a row for each day with a column for each status; the service counts dormant people below zero. */
export function lifecycleRows({ result }: Answer): Figures | undefined {
  const series = objects(result);
  if (series === undefined || !series.every((one) => typeof field(one, 'status') === 'string'))
    return undefined;
  const days = new Map<Json, [string, Json][]>();
  const statuses = new Set<string>();
  for (const one of series) {
    const status = String(field(one, 'status'));
    if (statuses.has(status)) return longLifecycle(series);
    statuses.add(status);
    for (const { day, value } of points(one, 'day')) {
      const cells = days.get(day) ?? [];
      days.set(day, [...cells, [status, value]]);
    }
  }
  const rows = [...days].map(([day, cells]) => Object.fromEntries<Json>([['day', day], ...cells]));
  return { kind: 'lifecycle', rows, columns: [{ key: 'day' }, ...numbers(...statuses)] };
}

/** Several series with the same status, told apart by their label. */
function longLifecycle(series: readonly JsonObject[]): Figures {
  const rows = series.flatMap((one, index) =>
    points(one, 'day').map((point) => ({ ...name(one, index), ...pick(one, ['status']), ...point })),
  );
  const columns = [{ key: 'status' }, { key: 'day' }, ...numbers('value')];
  return { kind: 'lifecycle', rows, columns: columnsOf(series, rows, columns) };
}

function boxPlotRows(boxPlot: Json): Figures | undefined {
  const rows = objects(boxPlot);
  if (rows === undefined) return undefined;
  const figures = ['min', 'p25', 'median', 'mean', 'p75', 'max'];
  const columns = [{ key: 'series_label' }, { key: 'day' }, ...numbers(...figures)];
  return { kind: 'box-plot', rows, columns: filledColumns(columns, rows, ['day', ...figures]) };
}

function name(one: JsonObject, index: number): JsonObject {
  return { order: index, ...pick(one, ['label', 'breakdown_value', 'compare_label']) };
}

/** `order` is shown only if two series would look the same. */
function columnsOf(
  series: readonly JsonObject[],
  rows: readonly JsonObject[],
  figures: readonly Column[],
): readonly Column[] {
  const names = series.map((one) => JSON.stringify(name(one, 0)));
  const told = new Set(names).size === names.length ? who.slice(1) : who;
  const always = ['label', ...figures.map(({ key }) => key)];
  return filledColumns([...told, ...figures], rows, always);
}

/** The figures of one series beside their days. A figure without a day keeps its label, a day without one is blank. */
function points<Key extends string>(
  one: JsonObject,
  key: Key,
): readonly (Record<Key, Json> & { value: Json })[] {
  const data = listField(one, 'data');
  const days = listField(one, 'days');
  const labels = listField(one, 'labels');
  const length = Math.max(data.length, days.length);
  return Array.from({ length }, (_, index) => {
    const when = days[index] ?? labels[index] ?? null;
    // The computed key widens to an index signature although it is exactly Key.
    return { [key]: when, value: data[index] ?? null } as Record<Key, Json> & { value: Json };
  });
}

/** A funnel in any of its shapes: steps (also one list for each breakdown), trends, time to convert. */
export function funnelRows(answer: Answer): Figures | undefined {
  const { result, question } = answer;
  if (isList(field(result, 'bins')) || question.funnelVizType === 'time_to_convert')
    return timeToConvertRows(result);
  if (question.funnelVizType === 'trends') return funnelTrendsRows(result);
  return stepRows(answer) ?? funnelTrendsRows(result);
}

const stepColumns: readonly Column[] = [
  { key: 'breakdown_value' },
  { key: 'compare_label' },
  { key: 'order', kind: 'number' },
  { key: 'name' },
  { key: 'custom_name' },
  { key: 'optional' },
  { key: 'count', kind: 'number' },
  { key: 'conversion_from_previous', title: 'from previous %', kind: 'number' },
  { key: 'conversion_from_first', title: 'from first %', kind: 'number' },
  { key: 'dropped', kind: 'number' },
  { key: 'average_conversion_time', title: 'average time (s)', kind: 'number' },
  { key: 'median_conversion_time', title: 'median time (s)', kind: 'number' },
];

const stepAlways = ['order', 'name', 'count', 'conversion_from_previous', 'conversion_from_first', 'dropped'];

const stepTimes = ['average_conversion_time', 'median_conversion_time'];

function stepRows({ result, question }: Answer): Figures | undefined {
  if (!isList(result)) return undefined;
  const steps = objects(result.flatMap((entry) => (isList(entry) ? entry : [entry])));
  if (
    steps === undefined ||
    !steps.every((step) => Object.hasOwn(step, 'order') && Object.hasOwn(step, 'count'))
  ) {
    return undefined;
  }
  const funnels = new Map<string, JsonObject[]>();
  for (const step of steps) {
    const key = JSON.stringify(pick(step, ['breakdown_value', 'compare_label']));
    funnels.set(key, [...(funnels.get(key) ?? []), step]);
  }
  const rows = [...funnels.values()].flatMap((funnel) => conversions(funnel, question.optionalSteps));
  return {
    kind: 'funnel-steps',
    rows,
    columns: filledColumns(stepColumns, rows, [...stepAlways, ...stepTimes]),
  };
}

/**
 * Conversion is counted from the last step that is not optional: people go past an optional step without having
 * dropped out. If that step had no people, a percentage would be a lie, so it stays blank.
 */
function conversions(
  steps: readonly JsonObject[],
  optionalSteps: ReadonlySet<number>,
): readonly JsonObject[] {
  const ordered = steps.toSorted((left, right) => (orderOf(left) ?? 0) - (orderOf(right) ?? 0));
  const first = numberOf(field(ordered[0], 'count'));
  let previous: number | undefined;
  return ordered.map((step) => {
    const count = numberOf(field(step, 'count'));
    const order = orderOf(step);
    const optional = order !== undefined && optionalSteps.has(order);
    const before = previous;
    if (!optional) previous = count;
    return {
      breakdown_value: single(field(step, 'breakdown_value')),
      ...pick(step, ['compare_label', 'order', 'name', 'custom_name']),
      optional: optional ? true : null,
      ...pick(step, ['count']),
      conversion_from_previous: percent(count, before),
      conversion_from_first: percent(count, first),
      dropped: optional || before === undefined || count === undefined ? null : before - count,
      ...pick(step, stepTimes),
    };
  });
}

/** Older answers have the order as text. */
function orderOf(step: JsonObject): number | undefined {
  const order = field(step, 'order');
  return typeof order === 'string' && /^\d+$/.test(order) ? Number(order) : numberOf(order);
}

/** A breakdown by one property comes as a list of one value. */
function single(value: Json | undefined): Json {
  return isList(value) && value.length === 1 ? (value[0] ?? null) : (value ?? null);
}

/** To two places, as the service rounds its own. */
function percent(part: number | undefined, whole: number | undefined): number | null {
  if (part === undefined || whole === undefined || whole === 0) return null;
  return Math.round((part / whole) * 10_000) / 100;
}

function timeToConvertRows(result: Json | undefined): Figures | undefined {
  const bins = field(result, 'bins');
  if (!isList(bins) || !bins.every((bin) => isList(bin) && bin.length >= 2)) return undefined;
  const pairs = bins.filter(isList);
  const rows = pairs.map((bin, index) => ({
    seconds_from: bin[0] ?? null,
    seconds_to: pairs[index + 1]?.[0] ?? null,
    persons: bin[1] ?? null,
  }));
  const columns = numbers('seconds_from', 'seconds_to', 'persons');
  return { kind: 'time-to-convert', rows, columns, summary: pick(result, ['average_conversion_time']) };
}

/** A row for each day; `data` is the conversion rate in percent. */
function funnelTrendsRows(result: Json | undefined): Figures | undefined {
  const series = objects(result);
  if (series === undefined || !series.every((one) => isList(field(one, 'data')))) return undefined;
  const rows = series.flatMap((one) =>
    points(one, 'day').map(({ day, value }, index) => ({
      breakdown_value: single(field(one, 'breakdown_value')),
      ...pick(one, ['compare_label']),
      day,
      reached_from_step_count: listField(one, 'reached_from_step_count')[index] ?? null,
      reached_to_step_count: listField(one, 'reached_to_step_count')[index] ?? null,
      conversion_rate: value,
    })),
  );
  const columns: readonly Column[] = [
    { key: 'breakdown_value' },
    { key: 'compare_label' },
    { key: 'day' },
    { key: 'reached_from_step_count', title: 'from step', kind: 'number' },
    { key: 'reached_to_step_count', title: 'to step', kind: 'number' },
    { key: 'conversion_rate', title: 'conversion rate %', kind: 'number' },
  ];
  return { kind: 'funnel-trends', rows, columns: filledColumns(columns, rows, ['day', 'conversion_rate']) };
}
