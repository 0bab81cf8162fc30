import type { Json, JsonObject } from '../../../json/kinds.ts';
import { parseText } from '../../../json/parse.ts';
import { numberOf, textOf } from '../filters/property-value.ts';
import { invalidRequest } from '../invalid-request.ts';

type Field = Json | undefined;

/** Fields of a query string hold lists and objects as JSON text; this reads those, and leaves other values alone. */
export function readValue(value: Field): Field {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseText(value);
  } catch (cause) {
    if (cause instanceof SyntaxError) return value;
    throw cause;
  }
}

/** An object, undefined for any other value. */
export function asObject(value: Field): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // A JSON value that is an object and no list is an object of properties.
  return value as JsonObject;
}

/** An object, empty where there is none. Throws a 400 for anything else. */
export function readObject(value: Field, attr: string): JsonObject {
  const object = asObject(readValue(value) ?? {});
  if (object === undefined) throw invalidRequest(`${attr} must be an object.`, { attr });
  return object;
}

/** A list, empty where there is none. Throws a 400 for anything else. */
export function readList(value: Field, attr: string): readonly Json[] {
  const list = readValue(value) ?? [];
  if (Array.isArray(list)) return list;
  throw invalidRequest(`${attr} must be a list.`, { attr });
}

/** A list of objects. Throws a 400 for anything else. */
export function readObjects(value: Field, attr: string): readonly JsonObject[] {
  return readList(value, attr).map((entry) => readObject(entry, attr));
}

/** The texts of a list; a single value is a list of one. */
export function readTexts(value: Field): readonly string[] {
  const list = readValue(value) ?? [];
  const values: readonly Json[] = Array.isArray(list) ? list : [list];
  return values.map((entry) => textOf(entry)).filter((text) => text !== undefined);
}

/** A text that is not empty. */
export function readText(value: Field): string | undefined {
  return textOf(value) || undefined;
}

/** A number. Throws a 400 for a text that is none. */
export function readNumber(value: Field, attr: string): number | undefined {
  if (readText(value) === undefined) return undefined;
  const number = numberOf(value);
  if (number === undefined) throw invalidRequest(`${attr} must be a number.`, { attr });
  return number;
}

/** True for `true`, `"true"` and 1. */
export function readFlag(value: Field): boolean {
  return ['true', '1'].includes(textOf(value)?.toLowerCase() ?? '');
}

/** One of several words, the first where nothing is said. Throws a 400 for any other. */
export function readChoice<Choice extends string>(
  value: Field,
  choices: readonly [Choice, ...Choice[]],
  attr: string,
): Choice {
  const text = readText(value);
  if (text === undefined) return choices[0];
  const choice = choices.find((candidate) => candidate === text.toLowerCase());
  if (choice === undefined) throw invalidRequest(`${attr} must be one of ${choices.join(', ')}.`, { attr });
  return choice;
}
