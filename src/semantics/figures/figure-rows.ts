import { asList, type Column, isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { largest } from '../../json/numbers.ts';
import {
  type Answer,
  type Figures,
  field,
  keyed,
  listField,
  numberOf,
  numbers,
  objects,
  objectsIf,
  pick,
  textField,
} from '../answer.ts';
import { typedAs } from '../sql.ts';

/** Displays that show one figure for the whole time; their series may have no daily data. */
const totals = new Set([
  'ActionsPie',
  'ActionsBarValue',
  'ActionsTable',
  'BoldNumber',
  'WorldMap',
  'ActionsDonut',
]);

const who: readonly Column[] = keyed('order', 'label', 'custom_name', 'breakdown_value', 'compare_label');

/** Trends: a row for each series and day, or for each series if the answer has one figure a series. */
export function trendsRows({ result, question, boxPlot }: Answer): Figures | undefined {
  if (question.display === 'BoxPlot' && boxPlot !== undefined) return boxPlotRows(boxPlot);
  const series = objectsIf(result, isSeries);
  if (series === undefined) return undefined;
  const aggregated = series.some((one) => field(one, 'aggregated_value') !== undefined);
  const daily = series.some((one) => listField(one, 'data').length > 0);
  if (!aggregated || (daily && !totals.has(question.display ?? '')))
    return pointRows('trends', { series, question }, [{ key: 'day' }, ...numbers('value')]);
  const named = withNames(series, question);
  const rows = named.map((one, index) => ({ ...name(one, index), ...pick(one, ['aggregated_value']) }));
  const columns = columnsOf(named, numbers('aggregated_value'));
  return { kind: 'total', rows, columns, positions: positionsOf(series, question) };
}

function isSeries(one: JsonObject): boolean {
  return Object.hasOwn(one, 'data') || Object.hasOwn(one, 'aggregated_value');
}

function pointRows(
  kind: Figures['kind'],
  { series, question }: { readonly series: readonly JsonObject[]; readonly question: Answer['question'] },
  columns: readonly Column[],
): Figures {
  const keys = columns.map(({ key }) => key);
  const named = withNames(series, question);
  const rows = named.flatMap((one, index) =>
    points(one).map(({ day, value }) => ({
      ...name(one, index),
      ...pick({ ...one, day, days: day, value }, keys),
    })),
  );
  return { kind, rows, columns: columnsOf(named, columns), positions: positionsOf(series, question) };
}

/** The place of each series among those of the definition: a breakdown and a comparison answer several for one. */
function positionsOf(series: readonly JsonObject[], { customNames }: Answer['question']) {
  const isOneEach = series.length === customNames.length || customNames.length === 0;
  const only = customNames.length === 1 ? 0 : undefined;
  return series.map(
    (one, index) => numberOf(field(field(one, 'action'), 'order')) ?? (isOneEach ? index : only),
  );
}

/** The series with the names that people gave them, if they gave any. */
function withNames(series: readonly JsonObject[], question: Answer['question']): readonly JsonObject[] {
  const positions = positionsOf(series, question);
  const names = series.map((one, index) => {
    const position = positions[index];
    const told = textField(field(one, 'action'), 'custom_name');
    return told || (position === undefined ? undefined : question.customNames[position]) || null;
  });
  if (names.every((name) => name === null)) return series;
  return series.map((one, index) => ({ ...one, custom_name: names[index] ?? null }));
}

/** Stickiness: how many people did it on 1, 2, 3 … days. */
export function stickinessRows({ result, question }: Answer): Figures | undefined {
  const series = objectsIf(result, isSeries);
  const columns: readonly Column[] = [
    { key: 'days', title: 'on this many intervals', kind: 'number' },
    { key: 'value', title: 'persons', kind: 'number' },
  ];
  return series && pointRows('stickiness', { series, question }, columns);
}

/** Lifecycle: a row for each day with a column for each status; the service counts dormant people below zero. */
export function lifecycleRows({ result, question }: Answer): Figures | undefined {
  const series = objectsIf(result, (one) => textField(one, 'status') !== undefined);
  if (series === undefined) return undefined;
  const days = new Map<Json, [string, Json][]>();
  const statuses = new Set<string>();
  for (const one of series) {
    const status = String(field(one, 'status'));
    // Several series with the same status are told apart by their label.
    if (statuses.has(status)) {
      const columns = [{ key: 'status' }, { key: 'day' }, ...numbers('value')];
      return pointRows('lifecycle', { series, question }, columns);
    }
    statuses.add(status);
    for (const { day, value } of points(one)) {
      const cells = days.get(day) ?? [];
      days.set(day, [...cells, [status, value]]);
    }
  }
  const rows = [...days].map(([day, cells]): JsonObject => ({ day, ...Object.fromEntries(cells) }));
  return { kind: 'lifecycle', rows, columns: [{ key: 'day' }, ...numbers(...statuses)] };
}

function boxPlotRows(boxPlot: Json): Figures | undefined {
  const rows = objects(boxPlot);
  if (rows === undefined) return undefined;
  const figures = numbers('min', 'p25', 'median', 'mean', 'p75', 'max');
  return { kind: 'box-plot', rows, columns: [...keyed('series_label', 'day'), ...figures] };
}

function name(one: JsonObject, index: number): JsonObject {
  const keys = ['label', ...(Object.hasOwn(one, 'custom_name') ? ['custom_name'] : [])];
  return { order: index, ...pick(one, [...keys, 'breakdown_value', 'compare_label']) };
}

/** `order` is shown only if two series would look the same. */
function columnsOf(series: readonly JsonObject[], figures: readonly Column[]): readonly Column[] {
  const names = new Set(series.map((one) => JSON.stringify(name(one, 0))));
  return [...(names.size === series.length ? who.slice(1) : who), ...figures];
}

/** The figures of one series beside their days. A figure without a day keeps its label, a day without one is blank. */
export function points(one: JsonObject): readonly { readonly day: Json; readonly value: Json }[] {
  const [data, days, labels] = [listField(one, 'data'), listField(one, 'days'), listField(one, 'labels')];
  return Array.from({ length: Math.max(data.length, days.length) }, (_, index) => ({
    day: days[index] ?? labels[index] ?? null,
    value: data[index] ?? null,
  }));
}

/** Retention: a row for each cohort, a column for each interval; cells that lie in the future are absent. */
export function retentionRows({ result }: Answer): Figures | undefined {
  const cohorts = objectsIf(result, (cohort) => isList(field(cohort, 'values')));
  if (cohorts === undefined) return undefined;
  const intervals: string[] = [];
  const rows = cohorts.map((cohort) => {
    const cells = listField(cohort, 'values').map((value, index): [string, Json] => {
      const interval = textField(value, 'label') ?? textField(cohorts[index], 'label') ?? String(index);
      if (!intervals.includes(interval)) intervals.push(interval);
      return [interval, field(value, 'count') ?? null];
    });
    return { ...pick(cohort, ['breakdown_value', 'date', 'label']), ...Object.fromEntries(cells) };
  });
  const columns = [...keyed('breakdown_value', 'date', 'label'), ...numbers(...intervals)];
  return { kind: 'retention', rows, columns };
}

/** Paths: a row for each edge. The service prefixes each end with the number of its step: `1_/pricing`. */
export function pathsRows({ result }: Answer): Figures | undefined {
  const rows = objectsIf(result, (edge) => Object.hasOwn(edge, 'source') && Object.hasOwn(edge, 'target'));
  const columns = [...keyed('source', 'target'), ...numbers('value', 'average_conversion_time')];
  return rows && { kind: 'paths', rows, columns };
}

/** Correlation: a row for each event or property that goes with success or failure. */
export function correlationRows({ result }: Answer): Figures | undefined {
  const events = objects(field(result, 'events'));
  if (events === undefined) return undefined;
  const figures = ['odds_ratio', 'success_count', 'failure_count'];
  const rows = events.map((entry) => ({
    event: textField(field(entry, 'event'), 'event') ?? field(entry, 'event') ?? null,
    ...pick(entry, ['correlation_type', ...figures]),
  }));
  const columns = [...keyed('event', 'correlation_type'), ...numbers(...figures)];
  return { kind: 'correlation', rows, columns, summary: pick(result, ['skewed']) };
}

/** SQL and other tables: rows are lists, their names stand beside them. Two columns of one name are numbered. */
export function sqlRows({ result, columns, types }: Answer): Figures | undefined {
  if (!isList(result)) return undefined;
  if (result.length > 0 && result.every(isObject)) {
    const rows = result.filter(isObject);
    const names = new Set(rows.flatMap((row) => Object.keys(row)));
    return { kind: 'sql', rows, columns: [...names].map((key) => ({ key })) };
  }
  if (!result.every(isList)) return undefined;
  const lists = result.filter(isList);
  const width = largest(
    lists.map((row) => row.length),
    0,
  );
  const names = uniqueNames(isList(columns) ? columns : [], width);
  const rows = lists.map((row) =>
    Object.fromEntries(row.map((value, index): [string, Json] => [names[index] ?? String(index + 1), value])),
  );
  const told = isList(types) && types.length === names.length ? types : [];
  const typed = names.map((key, index) => {
    const type = asList(told[index])?.[1];
    return typeof type === 'string' ? { key, ...typedAs(type) } : { key };
  });
  return { kind: 'sql', rows, columns: typed };
}

function uniqueNames(columns: readonly Json[], width: number): readonly string[] {
  const used = new Set<string>();
  const next = new Map<string, number>();
  return Array.from({ length: Math.max(columns.length, width) }, (_, index) => {
    const given = columns[index];
    const wanted = typeof given === 'string' ? given : `column ${index + 1}`;
    let name = wanted;
    let copy = next.get(wanted) ?? 2;
    for (; used.has(name); copy += 1) name = `${wanted} (${copy})`;
    next.set(wanted, copy);
    used.add(name);
    return name;
  });
}
