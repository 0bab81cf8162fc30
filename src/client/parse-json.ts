import type { Json } from '../api/json.ts';

type Parse = (text: string) => Json;

/** Text in which a number could lose digits as a JavaScript number. */
const LARGE_NUMBERS = /\d{16}|\de[+-]?\d{3}/i;

let exact: Parse | undefined;

/**
 * Parses JSON text; each number keeps its own digits. `__proto__` becomes an ordinary key, as in JSON.parse, and of
 * repeated keys the last one counts. Throws a SyntaxError for text that is not JSON.
 */
export async function parseJson(text: string): Promise<Json> {
  return (await loadExactParser())(text);
}

async function loadExactParser(): Promise<Parse> {
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

/** Parses the text of a page: exactly where a number could lose digits, else fast. */
export async function parsePageText(text: string): Promise<Json> {
  return LARGE_NUMBERS.test(text) ? parseJson(text) : JSON.parse(text);
}
