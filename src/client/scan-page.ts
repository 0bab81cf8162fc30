import { BACKSLASH, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../api/json-bytes.ts';
import { gatherPositions } from './gather-positions.ts';
import { BROKEN, type Traits } from './skip-scalar.ts';
import { skipItems, skipSpace, skipValue } from './skip-value.ts';

/** Where the rows of a page stand in its bytes, which are known to be JSON. */
export type PageMap = {
  /** The brackets around the rows. */
  readonly list: Span;
  /** Where each row begins and ends. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** For each row the place of its uuid where that is text, else of its id; nothing from 0 to 0 where it has neither. */
  readonly nameStarts: Int32Array;
  readonly nameEnds: Int32Array;
  /** Where the values of rows that are objects end, and which of these is the first of each row. */
  readonly valueEnds: Int32Array;
  readonly firstValues: Int32Array;
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

const found = {
  starts: gatherPositions(),
  ends: gatherPositions(),
  nameStarts: gatherPositions(),
  nameEnds: gatherPositions(),
  valueEnds: gatherPositions(),
  firstValues: gatherPositions(),
};

/**
 * Finds the rows of a page, an envelope with `results` or a bare array, in one pass and without parsing them.
 * Undefined where the bytes are not exactly that; the parser then has the last word.
 */
export function scanPage(bytes: Buffer): PageMap | undefined {
  const traits: Traits = { spaced: false, long: false };
  takeFound();
  let list: Span | undefined;
  const scanList = (from: number): number => {
    const end = skipItems(bytes, from, {
      traits,
      visit: (start) => {
        const row = scanRow(bytes, start, traits);
        found.starts.add(start);
        found.ends.add(row);
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
  return { list, ...takeFound(), compact: !traits.spaced, long: traits.long };
}

/** What was found since the last time. */
function takeFound() {
  return {
    starts: found.starts.take(),
    ends: found.ends.take(),
    nameStarts: found.nameStarts.take(),
    nameEnds: found.nameEnds.take(),
    valueEnds: found.valueEnds.take(),
    firstValues: found.firstValues.take(),
  };
}

function scanRow(bytes: Buffer, from: number, traits: Traits): number {
  found.firstValues.add(found.valueEnds.count());
  if (bytes[from] !== OPEN_OBJECT) {
    addName(0, 0);
    return skipValue(bytes, from, traits);
  }
  let uuid = 0;
  let uuidEnd = 0;
  let id = 0;
  let idEnd = 0;
  const end = skipItems(bytes, from, {
    traits,
    visit: (start, key) => {
      if (!isPlainKey(bytes, key)) return BROKEN;
      const stop = skipValue(bytes, start, traits);
      found.valueEnds.add(stop);
      if (isKey(UUID, bytes, key)) {
        uuid = start;
        uuidEnd = stop;
      } else if (isKey(ID, bytes, key)) {
        id = start;
        idEnd = stop;
      }
      return stop;
    },
  });
  if (uuid > 0 && bytes[uuid] === QUOTE) addName(uuid, uuidEnd);
  else addName(id, idEnd);
  return end;
}

function addName(start: number, end: number): void {
  found.nameStarts.add(start);
  found.nameEnds.add(end);
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
