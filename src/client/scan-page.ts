import { BACKSLASH, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../api/json-bytes.ts';
import type { RowSlices } from '../api/row-slices.ts';
import { BROKEN, type Traits } from './skip-scalar.ts';
import { skipItems, skipSpace, skipValue } from './skip-value.ts';

/** Where the rows of a page stand in its bytes, which are known to be JSON. */
export type PageMap = Pick<RowSlices, 'starts' | 'ends' | 'valueEnds' | 'firstValues'> & {
  /** The brackets around the rows. */
  readonly list: Span;
  /** For each row the span of its uuid where that is text, else of its id; an empty span where it has neither. */
  readonly names: readonly Span[];
  /** Whether there is no white space between values. */
  readonly compact: boolean;
  /** Whether numbers would lose digits as JavaScript numbers. */
  readonly long: boolean;
};

/** Positions from and up to, the second not included. */
export type Span = readonly [number, number];

const RESULTS = quoted('results');
const UUID = quoted('uuid');
const ID = quoted('id');
const NO_SPAN: Span = [0, 0];

/**
 * Finds the rows of a page, an envelope with `results` or a bare array, in one pass and without parsing them.
 * Undefined where the bytes are not exactly that; the parser then has the last word.
 */
export function scanPage(bytes: Buffer): PageMap | undefined {
  const traits: Traits = { spaced: false, long: false };
  const starts: number[] = [];
  const ends: number[] = [];
  const found: Found = { names: [], valueEnds: [], firstValues: [] };
  let list: Span | undefined;
  const scanList = (from: number): number => {
    const end = skipItems(bytes, from, {
      traits,
      visit: (start) => {
        const row = scanRow(bytes, start, traits, found);
        starts.push(start);
        ends.push(row);
        return row;
      },
    });
    // A second list of results: which one counts is not for us to say.
    if (list !== undefined) return BROKEN;
    list = [from, end];
    return end;
  };
  const scanField = (from: number, key: number): number => {
    if (isKey(RESULTS, bytes, key) && bytes[from] === OPEN_LIST) return scanList(from);
    return isPlainKey(bytes, key) ? skipValue(bytes, from, traits) : BROKEN;
  };
  const first = skipSpace(bytes, 0, traits);
  const bare = bytes[first] === OPEN_LIST;
  if (!bare && bytes[first] !== OPEN_OBJECT) return undefined;
  const end = bare ? scanList(first) : skipItems(bytes, first, { traits, visit: scanField });
  if (end === BROKEN || list === undefined) return undefined;
  if (skipSpace(bytes, end, traits) !== bytes.length) return undefined;
  return { list, starts, ends, ...found, compact: !traits.spaced, long: traits.long };
}

type Found = {
  readonly names: Span[];
  readonly valueEnds: number[];
  readonly firstValues: number[];
};

function scanRow(bytes: Buffer, from: number, traits: Traits, found: Found): number {
  const { names, valueEnds, firstValues } = found;
  firstValues.push(valueEnds.length);
  let uuid = NO_SPAN;
  let id = NO_SPAN;
  if (bytes[from] !== OPEN_OBJECT) {
    names.push(NO_SPAN);
    return skipValue(bytes, from, traits);
  }
  const end = skipItems(bytes, from, {
    traits,
    visit: (start, key) => {
      if (!isPlainKey(bytes, key)) return BROKEN;
      const stop = skipValue(bytes, start, traits);
      valueEnds.push(stop);
      if (isKey(UUID, bytes, key)) uuid = [start, stop];
      else if (isKey(ID, bytes, key)) id = [start, stop];
      return stop;
    },
  });
  names.push(bytes[uuid[0]] === QUOTE && uuid !== NO_SPAN ? uuid : id);
  return end;
}

/** Whether the key at this quote is the one given. */
export function isKey(name: Buffer, bytes: Buffer, key: number): boolean {
  for (let index = name.length - 1; index > 0; index -= 1) {
    if (bytes[key + index] !== name[index]) return false;
  }
  return true;
}

/** Whether a key is written without escapes, so that its bytes tell its name. */
function isPlainKey(bytes: Buffer, key: number): boolean {
  let at = key + 1;
  while (bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at += 1;
  return bytes[at] === QUOTE;
}

/** A key between its quotes. */
export function quoted(name: string): Buffer {
  return Buffer.from(`"${name}"`);
}
