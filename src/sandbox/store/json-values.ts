import type { DuckDBValue } from '@duckdb/node-api';
import { isList, isObject, type Json } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/parse.ts';
import { writeJson } from '../../json/write.ts';
import { writeMoment } from '../clock.ts';

type Database = typeof import('@duckdb/node-api');

/** Turns a value in one of the database's classes into JSON: times as ISO 8601 in UTC, whole numbers with all digits. */
export function toJsonValue(database: Database, value: unknown): Json {
  const convert = (inner: unknown) => toJsonValue(database, inner);
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return toJsonInteger(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  // The service shows objects and lists inside of properties as JSON text.
  if (value instanceof database.DuckDBVariantValue) {
    const inner = convert(withoutVariants(database, value));
    return isObject(inner) || isList(inner) ? writeJson(inner) : inner;
  }
  if (value instanceof database.DuckDBTimestampValue) return writeMoment(value.micros);
  if (value instanceof database.DuckDBTimestampTZValue) return writeMoment(value.micros);
  if (value instanceof database.DuckDBListValue || value instanceof database.DuckDBArrayValue) {
    return value.items.map(convert);
  }
  if (value instanceof database.DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, entry]) => [key, convert(entry)]));
  }
  if (value instanceof database.DuckDBMapValue) {
    return Object.fromEntries(value.entries.map(({ key, value: entry }) => [String(key), convert(entry)]));
  }
  if (value instanceof database.DuckDBDecimalValue) return Number(value.toString());
  return String(value);
}

/** A value that can be anything, with the values inside it, which can be anything as well, taken out. */
function withoutVariants(database: Database, value: DuckDBValue): DuckDBValue {
  const inside = (inner: DuckDBValue) => withoutVariants(database, inner);
  if (value instanceof database.DuckDBVariantValue) return inside(value.value);
  if (value instanceof database.DuckDBListValue) return new database.DuckDBListValue(value.items.map(inside));
  if (value instanceof database.DuckDBStructValue) {
    const entries = Object.entries(value.entries).map(([key, entry]) => [key, inside(entry)]);
    return new database.DuckDBStructValue(Object.fromEntries(entries));
  }
  return value;
}
