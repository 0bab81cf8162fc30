import type { Json } from '../api/json.ts';
import { parseText } from '../api/parse-text.ts';

export type Parse = (text: string) => Json;

/**
 * A number with 16 digits or three of an exponent, which could lose some as a JavaScript number. Numbers follow a
 * separator or white space; without that, most UUIDs would match (`4e567`) and every page be parsed the slow way.
 */
const LONG_NUMBERS = /[:,[\s](-?(?:\d{16}|\d[\d.]{16}|\d[\d.]*e[+-]?\d{3})[\d.e+-]*)/gi;

/** Anything that may be a number, in a string too, but for the parts of a time of day. */
const NUMBERS = /(?:^|[:,[\s])(-?\d[\d.eE+-]*)(?=[\s,\]}]|$)/g;
const SMALL = 65_536;

let exact: Parse | undefined;

/**
 * Parses JSON text; each number keeps its own digits. `__proto__` becomes an ordinary key, as in JSON.parse, and of
 * repeated keys the last one counts. Throws a SyntaxError for text that is not JSON.
 */
export async function parseJson(text: string): Promise<Json> {
  // The library costs start-up, and a small answer seldom has a number that it is needed for.
  if (text.length <= SMALL && keepsDigits(text, NUMBERS)) return parseText(text);
  return (await loadExactParser())(text);
}

function keepsDigits(text: string, numbers: RegExp): boolean {
  for (const [, number = ''] of text.matchAll(numbers)) {
    if (String(Number(number)) !== number) return false;
  }
  return true;
}

/** The parser that keeps every digit, loaded when it is first needed. */
export async function loadExactParser(): Promise<Parse> {
  if (exact !== undefined) return exact;
  const { parse, LosslessNumber } = await import('lossless-json');
  const parseNumber = (text: string): unknown => {
    const number = Number(text);
    return String(number) === text ? number : new LosslessNumber(text);
  };
  exact = (text) =>
    // What the parser builds is JSON by construction: our numbers, strings, lists and plain objects.
    parse(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }) as Json;
  return exact;
}

/** Parses the text of a page: exactly where a number would lose digits, else fast. */
export async function parsePageText(text: string): Promise<Json> {
  return keepsDigits(text, LONG_NUMBERS) ? parseText(text) : parseJson(text);
}
