/**
 * A number that a JavaScript number cannot hold with its own digits (beyond 2^53, `1.0`, `1e400`).
 * `parse.ts` makes these with lossless-json; `value` holds the digits as they were sent. By its
 * method the compiler tells it from an object of JSON.
 */
export type ExactNumber = { readonly isLosslessNumber: true; readonly value: string; toString(): string };

export type JsonNumber = number | ExactNumber;
export type Json = null | boolean | JsonNumber | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

const mark: unique symbol = Symbol.for('lossless-json.LosslessNumber');

/**
 * Whether a value is a number that kept its digits. It is told by the library's own mark: an object of the service or
 * the user that only looks like one is an object.
 */
export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === 'object' && value !== null && mark in value;
}

/** Array.isArray does not narrow readonly lists. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a value has keys of its own: an object, not a list and not a number with its own digits. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** The value as an object; undefined for everything else. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The value as a list; undefined for everything else. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
}

/** The object without entries that are undefined. */
export function filled(entries: { readonly [name: string]: Json | undefined }): JsonObject {
  const kept = Object.entries(entries).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}

/** More levels than this are refused or left out: the writers of JSON call themselves once for each level. */
export const DEEPEST = 1000;

/** Whether lists and objects lie in each other deeper than `levels`. */
export function isTooDeep(value: Json | undefined, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return false;
  return levels === 0 || Object.values(value).some((inner: Json) => isTooDeep(inner, levels - 1));
}

/**
 * One column of a list. `key` is a dotted path into the row (`properties.plan`, `distinct_ids.0`) and the header of CSV
 * and TSV; `title` is what tables show instead. Of an `id` only a UUID is ever shortened. A `number` stands on the right
 * and loses nothing but decimals beyond the second, on a terminal. Without a kind, a column
 * that holds nothing but numbers counts as `number`. To a `prominent` one the others leave as much as they can, since it
 * says what a row is; names and emails are that by themselves. A `minor` one is left out before those shrink.
 */
export type Column = {
  readonly key: string;
  readonly title?: string | undefined;
  readonly kind?: 'id' | 'number' | undefined;
  readonly prominent?: boolean;
  readonly minor?: true;
  readonly type?: ColumnType | undefined;
  /** The time zone of times that name none; UTC unless given. */
  readonly zone?: string | undefined;
  /** How many digits of a decimal there are, and how many of them after the point. */
  readonly digits?: readonly [precision: number, scale: number] | undefined;
};

/** What the values of a column are, for formats that have types. `time` counts microseconds. */
export type ColumnType =
  | 'text'
  | 'json'
  | 'integer'
  | 'unsigned'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'day'
  | 'time';

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

/** Whether a value is a number, with or without its own digits. */
export function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number' || isExactNumber(value);
}
