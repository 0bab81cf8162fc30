import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LETTER_E,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  MINUS,
  NINE,
  OPEN_LIST,
  OPEN_OBJECT,
  POINT,
  QUOTE,
  SPACE,
  ZERO,
} from '../../../api/json-bytes.ts';

const NOT_ORDINARY = -1;
/** A number with as many digits comes out of a JavaScript number as it went in. */
const MOST_DIGITS = 15;
/** Numbers with so many behind the point are written with an exponent. */
const MANY_ZEROS = '000000';
const DEEPEST = 64;
const ESCAPES = '"\\bfnrt';
const SURROGATES = 0xd800;
const LOW_SURROGATES = 0xdc00;
const AFTER_SURROGATES = 0xe000;

/** The keys of all objects that are open, as numbers made of them. */
const keys = new Int32Array(4096);

/** A place in a text, and how many brackets and keys are open there. */
type Place = { readonly text: string; readonly depth: number; readonly keyCount: number };

/**
 * Whether a text is an object of JSON that comes out letter by letter when it is parsed and written again: without white
 * space, rare escapes, numbers in another spelling, keys that come twice or that look like positions. Not every such
 * text is found to be one.
 */
export function isOrdinaryJson(text: string): boolean {
  if (text.charCodeAt(0) !== OPEN_OBJECT) return false;
  return afterObject({ text, depth: 0, keyCount: 0 }, 0) === text.length;
}

function afterValue(place: Place, at: number): number {
  const first = place.text.charCodeAt(at);
  if (first === QUOTE) return afterString(place.text, at);
  if (first === OPEN_OBJECT) return afterObject(place, at);
  if (first === OPEN_LIST) return afterList(place, at);
  if (first === LETTER_T) return afterWord(place.text, at, 'true');
  if (first === LETTER_N) return afterWord(place.text, at, 'null');
  if (first === LETTER_F) return afterWord(place.text, at, 'false');
  return afterNumber(place.text, at);
}

function afterList({ text, depth, keyCount }: Place, from: number): number {
  if (depth === DEEPEST) return NOT_ORDINARY;
  if (text.charCodeAt(from + 1) === CLOSE_LIST) return from + 2;
  const inside = { text, depth: depth + 1, keyCount };
  for (let at = from + 1; ; at += 1) {
    at = afterValue(inside, at);
    if (at === NOT_ORDINARY) return NOT_ORDINARY;
    const after = text.charCodeAt(at);
    if (after === CLOSE_LIST) return at + 1;
    if (after !== COMMA) return NOT_ORDINARY;
  }
}

function afterObject({ text, depth, keyCount }: Place, from: number): number {
  if (depth === DEEPEST) return NOT_ORDINARY;
  if (text.charCodeAt(from + 1) === CLOSE_OBJECT) return from + 2;
  let count = keyCount;
  for (let at = from + 1; ; at += 1) {
    at = afterKey(text, at, count);
    if (at === NOT_ORDINARY || !isNew(keyCount, count)) return NOT_ORDINARY;
    count += 1;
    at = afterValue({ text, depth: depth + 1, keyCount: count }, at);
    if (at === NOT_ORDINARY) return NOT_ORDINARY;
    const after = text.charCodeAt(at);
    if (after === CLOSE_OBJECT) return at + 1;
    if (after !== COMMA) return NOT_ORDINARY;
  }
}

/** To the value that belongs to the key. What is kept of it is the same for keys that are the same. */
function afterKey(text: string, from: number, index: number): number {
  const first = text.charCodeAt(from + 1);
  if (text.charCodeAt(from) !== QUOTE || index === keys.length) return NOT_ORDINARY;
  if (first >= ZERO && first <= NINE) return NOT_ORDINARY;
  let key = 0;
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      keys[index] = key;
      return text.charCodeAt(at + 1) === COLON ? at + 2 : NOT_ORDINARY;
    }
    if (code < SPACE || code === BACKSLASH || (code >= SURROGATES && code < AFTER_SURROGATES)) break;
    key = (Math.imul(key, 31) + code) | 0;
  }
  return NOT_ORDINARY;
}

/** Whether none of the keys of an object is like the one at the end. */
function isNew(from: number, index: number): boolean {
  for (let other = from; other < index; other += 1) if (keys[other] === keys[index]) return false;
  return true;
}

function afterString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < SPACE) return NOT_ORDINARY;
    if (code === BACKSLASH) {
      at += 1;
      if (at === text.length || !ESCAPES.includes(text.charAt(at))) return NOT_ORDINARY;
    } else if (code >= SURROGATES && code < AFTER_SURROGATES) {
      const next = text.charCodeAt(at + 1);
      if (code >= LOW_SURROGATES || !(next >= LOW_SURROGATES && next < AFTER_SURROGATES)) return NOT_ORDINARY;
      at += 1;
    }
  }
  return NOT_ORDINARY;
}

function afterWord(text: string, at: number, word: string): number {
  return text.startsWith(word, at) ? at + word.length : NOT_ORDINARY;
}

/** Few enough digits, none of them for nothing, and no exponent. */
function afterNumber(text: string, from: number): number {
  const start = text.charCodeAt(from) === MINUS ? from + 1 : from;
  const whole = afterDigits(text, start);
  const isZero = text.charCodeAt(start) === ZERO;
  if (whole === start || whole - from > MOST_DIGITS || (isZero && whole > start + 1)) return NOT_ORDINARY;
  const after = text.charCodeAt(whole);
  if (after !== POINT) return isLetterE(after) || (isZero && start > from) ? NOT_ORDINARY : whole;
  const end = afterDigits(text, whole + 1);
  if (end === whole + 1 || end - from > MOST_DIGITS || text.charCodeAt(end - 1) === ZERO) return NOT_ORDINARY;
  if (isLetterE(text.charCodeAt(end))) return NOT_ORDINARY;
  return isZero && text.startsWith(MANY_ZEROS, whole + 1) ? NOT_ORDINARY : end;
}

function afterDigits(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) at += 1;
  return at;
}

function isLetterE(code: number): boolean {
  return (code | 32) === LETTER_E;
}
