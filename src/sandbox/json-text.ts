import type { ExactNumber, Json, JsonObject } from '../api/json.ts';
import { isList } from '../api/json-kinds.ts';
import { parseText } from '../api/parse-text.ts';

/** A JSON object that is no exact number. */
export type PlainObject = JsonObject & { readonly isLosslessNumber?: never };

const SUSPECT = /\d{16}|\.\d*0(?!\d)|\d[eE]|-0/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads JSON text; a number that would lose its digits as a JavaScript number becomes an `ExactNumber`.
 * Throws a SyntaxError on anything that is not JSON.
 */
export function readJson(text: string): Json {
  if (!SUSPECT.test(text)) return parseText(text);
  return parseText(text.replace(STRING_OR_NUMBER, keepDigits));
}

function keepDigits(token: string): string {
  if (token.startsWith('"') || !NUMBER.test(token) || String(Number(token)) === token) return token;
  return JSON.stringify({ isLosslessNumber: true, value: token });
}

/** Writes a value as JSON text, exact numbers with their own digits. Fields that are undefined are left out. */
export function writeJson(value: Json | undefined): string {
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isExactNumber(value)) return value.value;
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${writeJson(field)}`).join(',')}}`;
}

/** Whether a value is a number that a JavaScript number cannot hold. */
export function isExactNumber(value: Json | undefined): value is ExactNumber {
  if (typeof value !== 'object' || value === null || !('isLosslessNumber' in value)) return false;
  return value.isLosslessNumber === true && typeof value.value === 'string' && NUMBER.test(value.value);
}

/** Whether a value is a JSON object, exact numbers not counted. */
export function isObject(value: Json | undefined): value is PlainObject {
  return typeof value === 'object' && value !== null && !isList(value) && !isExactNumber(value);
}

/** A whole number of any size as JSON. */
export function toJsonInteger(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : { isLosslessNumber: true, value: String(value) };
}

/** A value as the text that filters compare: text without quotes, anything else as JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : writeJson(value);
}
