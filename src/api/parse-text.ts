import type { Json } from './json.ts';
import { COLON, SPACE } from './json-bytes.ts';
import { isObject } from './json-kinds.ts';

/**
 * JSON.parse for text with keys that others chose. From V8 12.8 on it may take a key with an escape for another one: it
 * compares the source of the key with keys that it has seen before, and where one of those holds a backslash, the two
 * can be alike (`\n` and the backslash alone). So it is shown no key with an escape. Throws a SyntaxError for text that
 * is not JSON.
 */
export function parseText(text: string): Json {
  for (const { isKey } of escapedStrings(text)) {
    if (isKey) return parseRenamed(text);
  }
  return JSON.parse(text);
}

type EscapedString = { readonly from: number; readonly to: number; readonly isKey: boolean };

/** Every string with an escape: outside of strings JSON has no backslash. */
function* escapedStrings(text: string): Generator<EscapedString> {
  for (let at = text.indexOf('\\'); at !== -1; ) {
    const to = endOfString(text, at);
    yield { from: text.lastIndexOf('"', at), to, isKey: isBeforeColon(text, to) };
    at = text.indexOf('\\', to);
  }
}

/** The position after the quote that ends the string. */
function endOfString(text: string, firstBackslash: number): number {
  let backslash = firstBackslash;
  let quote = -1;
  do {
    const rest = backslash + 2;
    if (quote < rest) quote = text.indexOf('"', rest);
    backslash = text.indexOf('\\', rest);
  } while (backslash !== -1 && backslash < quote);
  return quote === -1 ? text.length : quote + 1;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return text.charCodeAt(at) === COLON;
}

/** Parses with other names for those keys: without the escape where they can be written so, else stand-ins. */
function parseRenamed(text: string): Json {
  // From here on the text is known to be JSON.
  JSON.parse(text);
  const { nameOf, keys } = createNames(text);
  let renamed = '';
  let done = 0;
  for (const { from, to, isKey } of escapedStrings(text)) {
    if (!isKey) continue;
    renamed += `${text.slice(done, from)}"${nameOf(JSON.parse(text.slice(from, to)))}"`;
    done = to;
  }
  renamed += text.slice(done);
  if (keys.size === 0) return JSON.parse(renamed);
  return JSON.parse(renamed, (_, value: Json) => {
    if (!isObject(value) || !Object.keys(value).some((name) => keys.has(name))) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [keys.get(name) ?? name, field]));
  });
}

/** What a string can say with an escape only. */
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;

/** Names that can be written without an escape, and the keys that some of them stand for. */
function createNames(text: string) {
  let mark = '#';
  while (text.includes(mark)) mark += mark;
  const names = new Map<string, string>();
  const keys = new Map<string, string>();
  const nameOf = (key: string): string => {
    if (!NEEDS_ESCAPE.test(key) && !key.includes(mark)) return key;
    const name = names.get(key) ?? `${mark}${names.size}`;
    names.set(key, name);
    keys.set(name, key);
    return name;
  };
  return { nameOf, keys };
}
