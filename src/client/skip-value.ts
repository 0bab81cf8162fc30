import { skipCharacter } from './skip-character.ts';

/** What the values that were skipped hold, beside being JSON. */
export type Traits = {
  /** White space between values. */
  spaced: boolean;
  /** Numbers that would lose digits as JavaScript numbers. */
  long: boolean;
};

/** Returned in place of a position where the bytes are not JSON. */
export const BROKEN = -1;

/** Deeper values are left to the parser. */
const DEEPEST = 64;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const OPEN_LIST = '['.charCodeAt(0);
const CLOSE_LIST = ']'.charCodeAt(0);
const OPEN_OBJECT = '{'.charCodeAt(0);
const CLOSE_OBJECT = '}'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
const DELETE = 0x7f;

const MINUS = '-'.charCodeAt(0);
const PLUS = '+'.charCodeAt(0);
const POINT = '.'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);
const LETTER_E = 'e'.charCodeAt(0);

const SHORT_ESCAPES = [...'/bfnrt'].map((character) => character.charCodeAt(0));
const TRUE = asciiOf('true');
const FALSE = asciiOf('false');
const NULL = asciiOf('null');

/** As in `parsePageText`: only these may lose digits. */
const LONG_NUMBER = /\d{16}|\d[\d.]{16}|e[+-]?\d{3}/i;

type Bytes = Uint8Array;

/** Skips an item of a list or an object in place of `skipValue`; `key` is where the quote of its key stands. */
export type Visit = (from: number, key: number) => number;

/** The position after the white space that begins here. */
export function skipSpace(bytes: Bytes, from: number, traits: Traits): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  if (at > from) traits.spaced = true;
  return at;
}

/** The position after the JSON value that begins here, `BROKEN` where none does. */
export function skipValue(bytes: Bytes, from: number, traits: Traits, depth = 0): number {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return skipItems(bytes, from, { traits, depth });
  return skipScalar(bytes, from, traits);
}

type Skipping = { readonly traits: Traits; readonly depth?: number; readonly visit?: Visit };

/** The same for a list or an object. */
export function skipItems(bytes: Bytes, from: number, { traits, depth = 0, visit }: Skipping): number {
  if (depth > DEEPEST) return BROKEN;
  const keyed = bytes[from] === OPEN_OBJECT;
  const close = keyed ? CLOSE_OBJECT : CLOSE_LIST;
  let at = skipSpace(bytes, from + 1, traits);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    const key = at;
    if (keyed) at = skipKey(bytes, at, traits);
    if (at !== BROKEN) at = visit === undefined ? skipValue(bytes, at, traits, depth + 1) : visit(at, key);
    if (at === BROKEN) return BROKEN;
    at = skipSpace(bytes, at, traits);
    const byte = bytes[at];
    if (byte === close) return at + 1;
    if (byte !== COMMA) return BROKEN;
    at = skipSpace(bytes, at + 1, traits);
  }
}

/** To the value that belongs to the key. */
function skipKey(bytes: Bytes, from: number, traits: Traits): number {
  const end = skipString(bytes, from);
  if (end === BROKEN) return BROKEN;
  const colon = skipSpace(bytes, end, traits);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1, traits) : BROKEN;
}

function skipString(bytes: Bytes, from: number): number {
  if (bytes[from] !== QUOTE) return BROKEN;
  let at = from + 1;
  for (;;) {
    const byte = bytes[at] ?? 0;
    at += 1;
    if (byte > BACKSLASH && byte <= DELETE) continue;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at = skipEscape(bytes, at);
    else if (byte > DELETE) at = skipCharacter(bytes, at - 1);
    else if (byte < SPACE) return BROKEN;
    if (at === BROKEN) return BROKEN;
  }
}

function skipEscape(bytes: Bytes, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte === QUOTE || byte === BACKSLASH || SHORT_ESCAPES.includes(byte)) return at + 1;
  const code = String.fromCharCode(...bytes.subarray(at, at + 5));
  return /^u[0-9a-f]{4}$/i.test(code) ? at + 5 : BROKEN;
}

function skipScalar(bytes: Bytes, from: number, traits: Traits): number {
  switch (bytes[from]) {
    case TRUE[0]:
      return skipWord(bytes, from, TRUE);
    case FALSE[0]:
      return skipWord(bytes, from, FALSE);
    case NULL[0]:
      return skipWord(bytes, from, NULL);
    default:
      return skipNumber(bytes, from, traits);
  }
}

function asciiOf(word: string): Bytes {
  return Buffer.from(word);
}

function skipWord(bytes: Bytes, from: number, word: Bytes): number {
  for (let index = 1; index < word.length; index += 1) {
    if (bytes[from + index] !== word[index]) return BROKEN;
  }
  return from + word.length;
}

function skipNumber(bytes: Bytes, from: number, traits: Traits): number {
  const start = bytes[from] === MINUS ? from + 1 : from;
  const whole = skipDigits(bytes, start);
  if (whole === start || (bytes[start] === ZERO && whole > start + 1)) return BROKEN;
  let at = whole;
  if (bytes[at] === POINT) {
    at = skipDigits(bytes, at + 1);
    if (at === whole + 1) return BROKEN;
  }
  const exponent = ((bytes[at] ?? 0) | 32) === LETTER_E;
  if (exponent) {
    const sign = bytes[at + 1] === PLUS || bytes[at + 1] === MINUS;
    const digits = at + (sign ? 2 : 1);
    at = skipDigits(bytes, digits);
    if (at === digits) return BROKEN;
  }
  if (exponent || at - start >= 16) traits.long ||= losesDigits(bytes, from, at);
  return at;
}

function losesDigits(bytes: Bytes, from: number, to: number): boolean {
  const text = Buffer.from(bytes.subarray(from, to)).toString('latin1');
  return LONG_NUMBER.test(text) && String(Number(text)) !== text;
}

function skipDigits(bytes: Bytes, from: number): number {
  let at = from;
  for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === 10 || byte === 13 || byte === 9;
}
