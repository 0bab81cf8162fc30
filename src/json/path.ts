import { isList, isObject, type Json, type JsonObject } from './kinds.ts';

/**
 * One column of a list. `key` is a dotted path into the row (`properties.plan`, `distinct_ids.0`) and the header of CSV
 * and TSV; `title` is what tables show instead. An `id` is never shortened. A `number` stands on the right and loses
 * nothing but decimals beyond the second, on a terminal that is too narrow for them. Without a kind, a column that
 * holds nothing but numbers counts as `number`. Of a `prominent` one the others leave as much as they can: it says what
 * a row is.
 */
export type Column = {
  readonly key: string;
  readonly title?: string | undefined;
  readonly kind?: 'id' | 'number' | undefined;
  readonly prominent?: true;
};

/**
 * The value at a dotted path, undefined if there is none. Keys may hold dots themselves: the longest own key wins, and
 * a shorter one is tried when the rest leads nowhere. Only own keys count, so `constructor` reaches no prototype.
 */
export function readPath(value: Json, path: string): Json | undefined {
  const whole = ownValue(value, path);
  if (whole !== undefined) return whole;
  let dot = path.lastIndexOf('.');
  while (dot >= 0) {
    const child = ownValue(value, path.slice(0, dot));
    const found = child === undefined ? undefined : readPath(child, path.slice(dot + 1));
    if (found !== undefined) return found;
    dot = dot === 0 ? -1 : path.lastIndexOf('.', dot - 1);
  }
  return undefined;
}

/** The value of one own key, or position of a list; undefined for anything else. */
export function ownValue(value: Json | undefined, key: string): Json | undefined {
  if (isList(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  const owner: JsonObject = value;
  return owner[key];
}

/** The cell of a row: like `readPath`, and a bare value stands in its column `value`. */
export function readCell(row: Json, path: string): Json | undefined {
  if (isObject(row) || isList(row)) return readPath(row, path);
  return path === 'value' ? row : undefined;
}
