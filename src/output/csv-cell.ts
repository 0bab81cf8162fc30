import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DELETE,
  LETTER_N,
  LETTER_U,
  LINE_FEED,
  MINUS,
  NINE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SLASH,
  SPACE,
  ZERO,
} from '../api/json-bytes.ts';
import { isCanonicalNumber } from './canonical-number.ts';

/** Where a cell goes. */
export type Place = { readonly target: Buffer; readonly at: number };

/** Returned in place of a position for a cell that is left to the writer of parsed rows. */
export const UNSURE = -1;

/** What a spreadsheet may take for the beginning of a formula, full-width forms included. */
const FORMULA = new Set([...[...'=+-@'].map((sign) => sign.charCodeAt(0)), 0xef]);

/** 1 for the bytes that stand for themselves in JSON and in a cell without quotes. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte !== QUOTE && byte !== BACKSLASH && byte !== COMMA),
);

/**
 * Writes the JSON value between two positions, which is without white space, as a cell of CSV and returns the position
 * after it: byte for byte what its parsed value gives, or `UNSURE`.
 */
export function writeCell(bytes: Buffer, from: number, to: number, { target, at }: Place): number {
  const first = bytes[from] ?? 0;
  if (first === QUOTE) return writeText(bytes, from + 1, to - 1, { target, at });
  if (first === OPEN_OBJECT || first === OPEN_LIST) return writeNested(bytes, from, to, { target, at });
  if (first === LETTER_N) return at;
  const isNumber = first <= NINE;
  return isNumber && !isCanonicalNumber(bytes, from, to) ? UNSURE : copy(bytes, from, to, { target, at });
}

function copy(bytes: Buffer, from: number, to: number, { target, at }: Place): number {
  let end = at;
  for (let index = from; index < to; index += 1, end += 1) target[end] = bytes[index] ?? 0;
  return end;
}

function writeText(bytes: Buffer, from: number, to: number, { target, at }: Place): number {
  if (from === to) return copy(EMPTY_TEXT, 0, EMPTY_TEXT.length, { target, at });
  if (FORMULA.has(bytes[from] ?? 0)) return UNSURE;
  let index = from;
  let end = at;
  for (; index < to; index += 1, end += 1) {
    const byte = bytes[index] ?? 0;
    if (PLAIN[byte] === 0) {
      end = writeQuoted(bytes, from, to, { target, at });
      break;
    }
    target[end] = byte;
  }
  if (end === UNSURE) return UNSURE;
  if (isInner(bytes[from] ?? 0) && isInner(bytes[to - 1] ?? 0)) return end;
  const text = bytes.toString('utf8', from, to);
  return text.trim() === text ? end : UNSURE;
}

const EMPTY_TEXT = Buffer.from([QUOTE, QUOTE]);

/** Whether a byte at the end of a text is surely no white space. */
function isInner(byte: number): boolean {
  return byte > SPACE && byte < DELETE && byte !== BACKSLASH;
}

/** A text that holds a comma or an escape. */
function writeQuoted(bytes: Buffer, from: number, to: number, { target, at }: Place): number {
  // An escape at either end may be white space or what a spreadsheet takes for a formula.
  if (bytes[from] === BACKSLASH || bytes[to - 2] === BACKSLASH) return UNSURE;
  let end = at;
  let needed = false;
  target[end++] = QUOTE;
  for (let index = from; index < to; index += 1) {
    let byte = bytes[index] ?? 0;
    if (byte === BACKSLASH) {
      index += 1;
      byte = bytes[index] ?? 0;
      if (byte === QUOTE) target[end++] = QUOTE;
      else if (byte === LETTER_N) byte = LINE_FEED;
      else if (byte !== BACKSLASH && byte !== SLASH) return UNSURE;
      needed ||= byte === QUOTE || byte === LINE_FEED;
    } else needed ||= byte === COMMA;
    target[end++] = byte;
  }
  return closeQuote({ target, at }, end, needed);
}

/** Ends a cell that began with a quote, or takes that away again where none is needed. */
function closeQuote({ target, at }: Place, end: number, needed: boolean): number {
  if (needed) {
    target[end] = QUOTE;
    return end + 1;
  }
  target.copyWithin(at, at + 1, end);
  return end - 1;
}

/** A list or an object as JSON on one line. */
function writeNested(bytes: Buffer, from: number, to: number, { target, at }: Place): number {
  let end = at;
  let needed = false;
  target[end++] = QUOTE;
  for (let index = from; index < to; ) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) {
      const start = index + 1;
      target[end++] = QUOTE;
      target[end++] = QUOTE;
      needed = true;
      for (index = start; ; index += 1) {
        const inner = bytes[index] ?? 0;
        target[end++] = inner;
        if (inner === QUOTE) break;
        if (inner !== BACKSLASH) continue;
        index += 1;
        const escaped = bytes[index] ?? 0;
        if (escaped === SLASH || escaped === LETTER_U) return UNSURE;
        target[end++] = escaped;
        if (escaped === QUOTE) target[end++] = QUOTE;
      }
      target[end++] = QUOTE;
      index += 1;
      if (bytes[index] === COLON && isPosition(bytes, start, index - 1)) return UNSURE;
    } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const after = endOfScalar(bytes, index);
      if (!isCanonicalNumber(bytes, index, after)) return UNSURE;
      end = copy(bytes, index, after, { target, at: end });
      index = after;
    } else {
      needed ||= byte === COMMA;
      target[end++] = byte;
      index += 1;
    }
  }
  return closeQuote({ target, at }, end, needed);
}

/** JavaScript puts keys that look like positions of a list before all others. */
function isPosition(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return false;
  }
  return from < to;
}

/** The position after the number that begins here. */
function endOfScalar(bytes: Buffer, from: number): number {
  let at = from;
  for (
    let byte = bytes[at] ?? 0;
    byte !== COMMA && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT;
    byte = bytes[at] ?? 0
  )
    at += 1;
  return at;
}
