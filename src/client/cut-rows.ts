import { isUtf8 } from 'node:buffer';
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NINE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from '../api/json-bytes.ts';
import { parseText } from '../json/parse.ts';

/**
 * Enough rows to make parsing cheap, few enough that their text stays below 128 KiB, above which V8 puts each string
 * into pages of its own.
 */
const GROUP_BYTES = 48 * 1024;

const FIRST_SIZE = 4 * GROUP_BYTES;

/** Where a piece stands: `before` the list of `results`, in its `rows`, or `after` it. */
type Place = 'before' | 'rows' | 'after';

/** `isPlain`: there are no objects and no digits in it but within texts, so any parser reads it right. */
export type Piece = {
  readonly place: Place;
  readonly text: string;
  readonly isPlain: boolean;
  readonly isUtf8: boolean;
};

type State = {
  /** What is kept of the answer: `start` is where the piece begins that is not whole yet, `at` is looked at next. */
  bytes: Buffer;
  start: number;
  at: number;
  length: number;
  place: Place;
  inText: boolean;
  /** How many brackets are open. */
  depth: number;
  /** Where the last text begins, which is a key where a colon follows, and whether the last key is `results`. */
  text: number;
  isResults: boolean;
  isPlain: boolean;
};

/**
 * Cuts the rows out of an answer while it comes in, in groups of whole rows. It looks for the ends of lists, objects
 * and texts alone; whoever parses the pieces learns whether they are JSON. Nothing is kept but what is not whole yet.
 */
export function cutRows() {
  const bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  const state: State = {
    ...{ bytes, start: 0, at: 0, length: 0, place: 'before', inText: false, depth: 0, text: 0 },
    isResults: false,
    isPlain: true,
  };
  return {
    add: (chunk: Buffer) => keep(state, chunk),
    /** The pieces that have come whole. */
    *pieces(): Generator<Piece> {
      while (goOn(state)) yield cut(state);
    },
    /** What is left at the end of the answer. */
    rest: () => {
      const left = state.bytes.subarray(state.start, state.length);
      return { place: state.place, bytes: left, text: left.toString('utf8') };
    },
  };
}

function keep(state: State, chunk: Buffer): void {
  const { bytes, start } = state;
  if (start > 0) {
    bytes.copyWithin(0, start, state.length);
    state.length -= start;
    state.at -= start;
    state.text -= start;
    state.start = 0;
  }
  const length = state.length + chunk.length;
  if (length > bytes.length) {
    state.bytes = Buffer.allocUnsafeSlow(Math.max(length, 2 * bytes.length));
    bytes.copy(state.bytes, 0, 0, state.length);
  }
  chunk.copy(state.bytes, state.length);
  state.length = length;
}

/** The brackets of the list belong to what stands around it. */
function cut(state: State): Piece {
  const { bytes, start, at, place, depth, isPlain } = state;
  const ended = depth === 1;
  state.start = ended ? at - 1 : at;
  if (place === 'before') state.place = 'rows';
  else if (ended) state.place = 'after';
  state.isPlain = true;
  const piece = bytes.subarray(start, state.start);
  return { place, text: piece.toString('utf8'), isPlain, isUtf8: isUtf8(piece) };
}

/** Goes on to the next place to cut at, the end of a group or of the list; false where the bytes end before it. */
function goOn(state: State): boolean {
  const { bytes, length, start, place } = state;
  let { at, depth, inText } = state;
  let found = false;
  while (at < length && !found) {
    const byte = bytes[at] ?? 0;
    at += 1;
    if (inText) {
      // What is escaped may be in the bytes to come.
      if (byte === BACKSLASH) at += 1;
      else inText = byte !== QUOTE;
    } else if (byte === QUOTE) {
      inText = true;
      state.text = at - 1;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (byte === OPEN_OBJECT) state.isPlain = false;
      found = place === 'before' && depth === 2 && byte === OPEN_LIST && state.isResults;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth -= 1;
      found = place === 'rows' && (depth === 1 || (depth === 2 && at - start >= GROUP_BYTES));
    } else if (byte >= ZERO && byte <= NINE) state.isPlain = false;
    else if (depth === 1 && place === 'before') heedKey(state, byte, at);
  }
  Object.assign(state, { at, depth, inText });
  return found;
}

function heedKey(state: State, byte: number, at: number): void {
  if (byte === COMMA) state.isResults = false;
  if (byte === COLON) state.isResults = isResults(state.bytes.toString('utf8', state.text, at - 1));
}

/** Whether a key, with whatever escapes, is that of the rows. */
function isResults(text: string): boolean {
  try {
    return parseText(text) === 'results';
  } catch {
    // No JSON, as the parser of the whole will say.
    return false;
  }
}
