import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import type { Column } from '../look.ts';

import type { Answer, Figures } from './answer.ts';
import { field, filledColumns, listField, objects, textField } from './read.ts';

/** Retention: a row for each cohort, a column for each interval; cells that lie in the future are absent. */
export function retentionRows({ result }: Answer): Figures | undefined {
  const cohorts = objects(result);
  if (cohorts === undefined || !cohorts.every((cohort) => isList(field(cohort, 'values')))) return undefined;
  const intervals: string[] = [];
  const rows = cohorts.map((cohort) => {
    const cells = listField(cohort, 'values').map((value, index): [string, Json] => {
      const interval = textField(value, 'label') ?? textField(cohorts[index], 'label') ?? String(index);
      if (!intervals.includes(interval)) intervals.push(interval);
      return [interval, field(value, 'count') ?? null];
    });
    return Object.fromEntries<Json>([
      ['breakdown_value', field(cohort, 'breakdown_value') ?? null],
      ['date', field(cohort, 'date') ?? null],
      ['label', field(cohort, 'label') ?? null],
      ...cells,
    ]);
  });
  const counts = intervals.map((key): Column => ({ key, kind: 'number' }));
  const columns = [{ key: 'breakdown_value' }, { key: 'date' }, { key: 'label' }, ...counts];
  return { kind: 'retention', rows, columns: filledColumns(columns, rows, ['date', 'label', ...intervals]) };
}

/** Paths: a row for each edge. The service prefixes each end with the number of its step: `1_/pricing`. */
export function pathsRows({ result }: Answer): Figures | undefined {
  const edges = objects(result);
  if (
    edges === undefined ||
    !edges.every((edge) => Object.hasOwn(edge, 'source') && Object.hasOwn(edge, 'target'))
  ) {
    return undefined;
  }
  const columns: readonly Column[] = [
    { key: 'source' },
    { key: 'target' },
    { key: 'value', kind: 'number' },
    { key: 'average_conversion_time', kind: 'number' },
  ];
  return { kind: 'paths', rows: edges, columns };
}

/** Correlation: a row for each event or property that goes with success or failure. */
export function correlationRows({ result }: Answer): Figures | undefined {
  const events = objects(field(result, 'events'));
  if (events === undefined) return undefined;
  const rows = events.map((entry) => ({
    event: textField(field(entry, 'event'), 'event') ?? field(entry, 'event') ?? null,
    correlation_type: field(entry, 'correlation_type') ?? null,
    odds_ratio: field(entry, 'odds_ratio') ?? null,
    success_count: field(entry, 'success_count') ?? null,
    failure_count: field(entry, 'failure_count') ?? null,
  }));
  const columns: readonly Column[] = [
    { key: 'event' },
    { key: 'correlation_type' },
    { key: 'odds_ratio', kind: 'number' },
    { key: 'success_count', kind: 'number' },
    { key: 'failure_count', kind: 'number' },
  ];
  return { kind: 'correlation', rows, columns, summary: { skewed: field(result, 'skewed') ?? null } };
}

/** SQL and other tables: rows are lists, their names stand beside them. Two columns of one name are numbered. */
export function sqlRows({ result, columns }: Answer): Figures | undefined {
  if (!isList(result)) return undefined;
  if (result.length > 0 && result.every(isObject)) {
    const rows = result.filter(isObject);
    return { kind: 'sql', rows, columns: namesOf(rows).map((key) => ({ key })) };
  }
  if (!result.every(isList)) return undefined;
  const lists = result.filter(isList);
  const width = Math.max(0, ...lists.map((row) => row.length));
  const names = uniqueNames(isList(columns) ? columns : [], width);
  const rows = lists.map((row) =>
    Object.fromEntries(row.map((value, index): [string, Json] => [names[index] ?? String(index + 1), value])),
  );
  return { kind: 'sql', rows, columns: names.map((key) => ({ key })) };
}

function namesOf(rows: readonly JsonObject[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function uniqueNames(columns: readonly Json[], width: number): readonly string[] {
  const used = new Set<string>();
  return Array.from({ length: Math.max(columns.length, width) }, (_, index) => {
    const given = columns[index];
    const wanted = typeof given === 'string' ? given : `column ${index + 1}`;
    let name = wanted;
    for (let copy = 2; used.has(name); copy += 1) name = `${wanted} (${copy})`;
    used.add(name);
    return name;
  });
}
