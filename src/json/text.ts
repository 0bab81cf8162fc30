import { LosslessNumber, parse } from 'lossless-json';
import { DEEPEST, type ExactNumber, isExactNumber, isList, isObject, type Json } from './kinds.ts';

/**
 * Parses JSON text; each number keeps its own digits. `__proto__` becomes an ordinary key, and of repeated keys the last
 * one counts. Throws a SyntaxError for text that is not JSON, whose message only tells where: V8's message quotes the text.
 */
export function parseJson(text: string): Json {
  if (text.length > 2 * DEEPEST && deepestLevel(text) > DEEPEST) {
    throw new TooDeep(`it has more than ${DEEPEST} levels of lists and objects`);
  }
  try {
    return losesNoDigits(text) ? parseText(text) : parseExactly(text);
  } catch (cause) {
    throw cause instanceof SyntaxError ? new SyntaxError(describeFault(text), { cause }) : cause;
  }
}

/**
 * Parses the text of a page, fast unless a number would lose its value: `1.0` may become `1`. A row with more levels than
 * can be worked on keeps a few too many of them, by which it is known.
 */
export function parsePageText(text: string): Json {
  return keepsDigits(text, LONG_NUMBERS) ? parseText(text) : parseExactly(shallow(text));
}

/** Text with more levels than can be worked on. */
export class TooDeep extends SyntaxError {
  override readonly name = 'TooDeep';
}

const NO_NUMBER = /NaN|-?Infinity/y;

/** Where text stops being JSON, and at which word that other languages write for a number. */
export function describeFault(text: string): string {
  const position = positionOfFault(text);
  const before = text.slice(0, position);
  NO_NUMBER.lastIndex = before.endsWith('-') ? position - 1 : position;
  const [word] = NO_NUMBER.exec(text) ?? [];
  const place = `at line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')}`;
  return word === undefined ? place : `${place}: ${word} is not JSON`;
}

/** V8 tells a position in some of its messages only. */
function positionOfFault(text: string): number {
  try {
    parseExactly(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return Number(/ at position (\d+)$/.exec(cause.message)?.[1] ?? 0);
  }
  return text.length;
}

/** Without this, no number in the text loses a digit as a JavaScript number. */
const mayLoseDigits = /\d[\d.]{15}|\.\d*0(?!\d)|0\.00000|\d[eE][-+\d]|-0/;

/** Anything that may be a number, in a string too, but for the parts of a time of day. */
const NUMBERS = /(?:^|[:,[\s])(-?\d[\d.eE+-]*)(?=[\s,\]}]|$)/g;

/**
 * A number with 16 digits or three of an exponent, which could lose its value as a JavaScript number. Numbers follow a
 * separator or white space; without that, most UUIDs would match (`4e567`) and every page be parsed the slow way.
 */
const LONG_NUMBERS = /[:,[\s](-?(?:\d{16}|\d[\d.]{16}|\d[\d.]*e[+-]?\d{3})[\d.e+-]*)/gi;

function losesNoDigits(text: string): boolean {
  return !mayLoseDigits.test(text) || keepsDigits(text, NUMBERS);
}

function keepsDigits(text: string, numbers: RegExp): boolean {
  for (const [, number = ''] of text.matchAll(numbers)) {
    if (String(Number(number)) !== number) return false;
  }
  return true;
}

const options = {
  parseNumber: (text: string): unknown => {
    const number = Number(text);
    return String(number) === text ? number : toExactNumber(text);
  },
  onDuplicateKey: ({ newValue }: { readonly newValue: unknown }) => newValue,
};

/** Parses with an eye on each number, which takes ten times as long as `parseText`. */
export function parseExactly(text: string): Json {
  // What the parser builds is JSON by construction: our numbers, strings, lists and plain objects.
  return parse(text, undefined, options) as Json;
}

/** A number with these digits. */
function toExactNumber(digits: string): Json {
  // The class has more than its type here tells; `isExactNumber` knows it by the library's mark.
  return new LosslessNumber(digits) as ExactNumber;
}

/** A whole number of any size as JSON. */
export function toJsonInteger(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : toExactNumber(String(value));
}

/** A page holds its rows a few levels below itself. */
const MOST_LEVELS = DEEPEST + 10;

/** The text with null for what lies deeper: the exact parser calls itself for each level. */
function shallow(text: string): string {
  const kept: string[] = [];
  let from = 0;
  let level = 0;
  for (const { at, step } of brackets(text)) {
    if (step === 1 && level === MOST_LEVELS) kept.push(text.slice(from, at), 'null');
    if (step === -1 && level === MOST_LEVELS + 1) from = at + 1;
    level += step;
  }
  if (level <= MOST_LEVELS) kept.push(text.slice(from));
  return kept.join('');
}

/** The most brackets that are open at once, as soon as there are too many. */
function deepestLevel(text: string): number {
  let level = 0;
  let deepest = 0;
  for (const { step } of brackets(text)) {
    level += step;
    deepest = Math.max(deepest, level);
    if (deepest > DEEPEST) break;
  }
  return deepest;
}

/** Every bracket outside of strings: `step` is 1 where it opens and -1 where it closes. */
function* brackets(text: string): Generator<{ readonly at: number; readonly step: 1 | -1 }> {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = closingQuote(text, at);
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) yield { at, step: 1 };
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) yield { at, step: -1 };
  }
}

/** Apart, since a generator does it in twice the time. */
function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  return text.length;
}

/** How many fields the text of an object writes, repeated ones included. The text is known to be JSON. */
export function countFields(text: string): number {
  let fields = 0;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = closingQuote(text, at);
    else if (unit === COLON) fields += level === 1 ? 1 : 0;
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) level += 1;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) level -= 1;
  }
  return fields;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * JSON.parse for text with keys that others chose. From V8 12.8 on it may take a key with an escape for another one: it
 * compares the source of the key with keys that it has seen before, and if one of those holds a backslash, the two
 * can be alike (`\n` and a single backslash). So it is shown no key with an escape. Throws a SyntaxError for text that
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

/** What JSON.stringify leaves raw although a terminal may act on it. In JSON text these stand in strings only. */
const unescaped = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a number with its own digits looks like to JSON.stringify, which knows nothing of them. */
const exactNumberMark = '"isLosslessNumber":true';

/** JSON text of a value, for the wire and files. Entries that are undefined are left out. */
export function writeJson(value: Json | undefined): string {
  return write(value ?? null, 0);
}

/**
 * JSON text of a value for people: control characters as `\u` escapes. On one line, or with `indent` spaces a level.
 */
export function toJsonText(value: Json, { indent = 0 } = {}): string {
  return escapeUnsafe(write(value, indent));
}

/** A value as the text that filters compare and cells hold: text without quotes, anything else as JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** JSON text without the characters that a terminal may act on. */
function escapeUnsafe(text: string): string {
  return text.replace(unescaped, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The fast built-in writer does for everything but exact numbers. */
function write(value: Json, indent: number): string {
  const plain = JSON.stringify(value);
  if (plain.includes(exactNumberMark)) return writeExactly(value, indent, '\n');
  return indent === 0 ? plain : JSON.stringify(value, undefined, indent);
}

function writeExactly(value: Json | undefined, indent: number, lineBreak: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (isExactNumber(value)) return value.value;
  const next = `${lineBreak}${' '.repeat(indent)}`;
  const around = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0 || indent === 0) return `${open}${parts.join(',')}${close}`;
    return `${open}${next}${parts.join(`,${next}`)}${lineBreak}${close}`;
  };
  if (isList(value)) {
    const items = value.map((item) => writeExactly(item, indent, next));
    return around('[', items, ']');
  }
  const colon = indent === 0 ? ':' : ': ';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => `${JSON.stringify(key)}${colon}${writeExactly(field, indent, next)}`);
  return around('{', fields, '}');
}

/** A value as CSV and TSV hold it: text as it is, nested values as JSON on one line; null for nothing. */
export function dataText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : toJsonText(value);
}

/** A number for people: with its own digits, but at most two decimals; tiny ones keep two digits that count. */
export function roundedDigits(digits: string): string {
  const number = Number(digits);
  if (!Number.isFinite(number) || /^-?\d+(\.\d{1,2})?$/.test(digits)) return digits;
  if (number !== 0 && Math.abs(number) < 0.01) return String(Number(number.toPrecision(2)));
  return Math.abs(number) < 1e15 ? String(Number(number.toFixed(2))) : digits;
}
