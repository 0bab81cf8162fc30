import { isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { toText } from '../json/write.ts';

/** An answer as the service's CSV: rows of a list, nested objects flattened to dotted columns. */
export function writeCsv(answer: Json): string {
  const rows = rowsOf(answer).map((row) => new Map(flatten('', row)));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row.get(column) ?? ''))];
  return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

function rowsOf(answer: Json): readonly JsonObject[] {
  const list = isObject(answer) && isList(answer.results) ? answer.results : answer;
  return (isList(list) ? list : [list]).map((row) => (isObject(row) ? row : { value: row }));
}

function flatten(prefix: string, value: Json): readonly (readonly [string, string])[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, field]) =>
      flatten(prefix === '' ? key : `${prefix}.${key}`, field),
    );
  }
  if (isList(value)) return value.flatMap((item, index) => flatten(`${prefix}.${index}`, item));
  return [[prefix, value === null ? '' : toText(value)]];
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
