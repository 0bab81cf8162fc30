import { isExactNumber, isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import type { Column } from '../look.ts';
import { ownValue } from '../read-path.ts';

/** The own value of a key, undefined for anything that is not an object. */
export function field(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? ownValue(value, key) : undefined;
}

export function textField(value: Json | undefined, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === 'string' ? found : undefined;
}

export function listField(value: Json | undefined, key: string): readonly Json[] {
  const found = field(value, key);
  return isList(found) ? found : [];
}

/** A list of objects, undefined if it is anything else. */
export function objects(value: Json | undefined): readonly JsonObject[] | undefined {
  return isList(value) && value.every(isObject) ? value.filter(isObject) : undefined;
}

/** A number to calculate with; undefined for what is not one, so that no figure is made out of nothing. */
export function numberOf(value: Json | undefined): number | undefined {
  if (isExactNumber(value)) return Number(value.value);
  return typeof value === 'number' ? value : undefined;
}

/** Keeps the columns that at least one row has something in; those named in `always` stay. */
export function filledColumns(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  always: readonly string[],
): readonly Column[] {
  return columns.filter(
    ({ key }) => always.includes(key) || rows.some((row) => (field(row, key) ?? null) !== null),
  );
}
