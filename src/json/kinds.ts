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
