import {
  LETTER_A,
  LETTER_E,
  LETTER_F,
  LETTER_L,
  LETTER_N,
  LETTER_R,
  LETTER_S,
  LETTER_T,
  LETTER_U,
  MINUS,
  NINE,
  PLUS,
  POINT,
  ZERO,
} from '../api/json-bytes.ts';
/** What the values that were skipped hold, beside being JSON. */
export type Traits = {
  /** White space between values. */
  spaced: boolean;
  /** Numbers that would lose digits as JavaScript numbers. */
  long: boolean;
};

/** Returned in place of a position where the bytes are not JSON. */
export const BROKEN = -1;

/** Fewer characters lose none. */
const MOST_DIGITS = 16;

/** As in `parsePageText`: only these may lose digits. */
const LONG_NUMBER = /\d{16}|\d[\d.]{16}|e[+-]?\d{3}/i;

/** The position after the word or number that begins here, `BROKEN` where none does. */
export function skipScalar(bytes: Uint8Array, from: number, traits: Traits): number {
  switch (bytes[from]) {
    case LETTER_T:
      return hasLetters(bytes, from, [LETTER_R, LETTER_U, LETTER_E]) ? from + 4 : BROKEN;
    case LETTER_N:
      return hasLetters(bytes, from, [LETTER_U, LETTER_L, LETTER_L]) ? from + 4 : BROKEN;
    case LETTER_F:
      return hasLetters(bytes, from, [LETTER_A, LETTER_L, LETTER_S]) && bytes[from + 4] === LETTER_E
        ? from + 5
        : BROKEN;
    default:
      return skipNumber(bytes, from, traits);
  }
}

type Letters = readonly [number, number, number];

function hasLetters(bytes: Uint8Array, at: number, [second, third, fourth]: Letters): boolean {
  return bytes[at + 1] === second && bytes[at + 2] === third && bytes[at + 3] === fourth;
}

function skipNumber(bytes: Uint8Array, from: number, traits: Traits): number {
  const start = bytes[from] === MINUS ? from + 1 : from;
  const at = skipDigits(bytes, start);
  if (at === start || (bytes[start] === ZERO && at > start + 1)) return BROKEN;
  const after = bytes[at] ?? 0;
  const isWhole = after !== POINT && (after | 32) !== LETTER_E && at - start < MOST_DIGITS;
  return isWhole ? at : skipPart(bytes, { from, at }, traits);
}

/** What comes after the whole part of a number. */
function skipPart(
  bytes: Uint8Array,
  { from, at: whole }: { readonly from: number; readonly at: number },
  traits: Traits,
): number {
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
  if (exponent || at - from >= MOST_DIGITS) traits.long ||= losesDigits(bytes, from, at);
  return at;
}

function losesDigits(bytes: Uint8Array, from: number, to: number): boolean {
  const text = Buffer.from(bytes.subarray(from, to)).toString('latin1');
  return LONG_NUMBER.test(text) && String(Number(text)) !== text;
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at += 1;
  return at;
}
