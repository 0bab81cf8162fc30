import type { ExactNumber, Json, JsonObject } from './json.ts';

const mark: unique symbol = Symbol.for('lossless-json.LosslessNumber');

/**
 * Whether a value is a number that kept its digits. It is told by the library's own mark: an object of the service or
 * the user that merely looks like one is an object.
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
