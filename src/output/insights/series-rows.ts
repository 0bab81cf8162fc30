import type { Json, JsonObject } from '../../json/kinds.ts';
import type { Column } from '../look.ts';
import type { Answer, Figures } from './answer.ts';
import { field, filledColumns, listField, objects } from './read.ts';

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
  const rows = series.map((one, index) => ({
    ...name(one, index),
    aggregated_value: field(one, 'aggregated_value') ?? null,
  }));
  return {
    kind: 'total',
    rows,
    columns: columnsOf(series, rows, [{ key: 'aggregated_value', kind: 'number' }]),
  };
}

function dailyRows(series: readonly JsonObject[]): Figures {
  const rows = series.flatMap((one, index) =>
    points(one, 'day').map((point) => ({ ...name(one, index), ...point })),
  );
  return {
    kind: 'trends',
    rows,
    columns: columnsOf(series, rows, [{ key: 'day' }, { key: 'value', kind: 'number' }]),
  };
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
  const counts = [...statuses].map((key): Column => ({ key, kind: 'number' }));
  return { kind: 'lifecycle', rows, columns: [{ key: 'day' }, ...counts] };
}

/** Several series with the same status, told apart by their label. */
function longLifecycle(series: readonly JsonObject[]): Figures {
  const rows = series.flatMap((one, index) =>
    points(one, 'day').map((point) => ({
      ...name(one, index),
      status: field(one, 'status') ?? null,
      ...point,
    })),
  );
  const columns: readonly Column[] = [{ key: 'status' }, { key: 'day' }, { key: 'value', kind: 'number' }];
  return { kind: 'lifecycle', rows, columns: columnsOf(series, rows, columns) };
}

function boxPlotRows(boxPlot: Json): Figures | undefined {
  const rows = objects(boxPlot);
  if (rows === undefined) return undefined;
  const figures = ['min', 'p25', 'median', 'mean', 'p75', 'max'];
  const columns: readonly Column[] = [
    { key: 'series_label' },
    { key: 'day' },
    ...figures.map((key): Column => ({ key, kind: 'number' })),
  ];
  return { kind: 'box-plot', rows, columns: filledColumns(columns, rows, ['day', ...figures]) };
}

function name(one: JsonObject, index: number): JsonObject {
  return {
    order: index,
    label: field(one, 'label') ?? null,
    breakdown_value: field(one, 'breakdown_value') ?? null,
    compare_label: field(one, 'compare_label') ?? null,
  };
}

/** `order` is shown only where two series would look the same. */
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
