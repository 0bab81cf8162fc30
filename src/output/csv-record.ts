import { CLOSE_OBJECT, COMMA, LINE_FEED, OPEN_OBJECT } from '../api/json-bytes.ts';
import type { RowSlices } from '../api/row-slices.ts';
import { type Place, UNSURE, writeCell } from './csv-cell.ts';
import type { Column } from './look.ts';

/** Writes rows of JSON without white space as records of CSV, without parsing them. */
export type RecordWriter = {
  /** Returns the position after the record, which has room for `roomFor` bytes; `UNSURE` for a row that must be parsed. */
  readonly write: (bytes: Buffer, row: RowPlace, place: Place) => number;
  readonly roomFor: (length: number) => number;
  /** A key that no column shows and that was told of. */
  readonly pass: (key: string) => void;
};

/** Where a row begins, and where its values end, from one of them on. */
type RowPlace = {
  readonly from: number;
  readonly valueEnds: RowSlices['valueEnds'];
  readonly firstValue: number;
};

type Field = { readonly quoted: Buffer; readonly column: number };

const PASSED = -1;

/** Undefined for columns that are paths, and for a single one: an empty cell alone is written in a way of its own. */
export function createRecordWriter(columns: readonly Column[]): RecordWriter | undefined {
  if (columns.length < 2 || !columns.every(({ key }) => isPlain(key) && !key.includes('.'))) return undefined;
  const fields: Field[] = [];
  const add = (key: string, column: number): void => {
    if (isPlain(key)) fields.push({ quoted: Buffer.from(`"${key}"`), column });
  };
  for (const [index, { key }] of columns.entries()) add(key, index);
  /** Which field stood at which place in the row before: most often it does again. */
  const order: number[] = [];
  const spans = new Int32Array(columns.length * 2);
  const fieldAt = (bytes: Buffer, key: number, place: number): Field | undefined => {
    const guess = fields[order[place] ?? 0];
    if (guess !== undefined && isKey(guess.quoted, bytes, key)) return guess;
    const found = fields.findIndex(({ quoted }) => isKey(quoted, bytes, key));
    order[place] = Math.max(found, 0);
    return fields[found];
  };
  const findCells = (bytes: Buffer, { from, valueEnds, firstValue }: RowPlace): boolean => {
    spans.fill(0);
    let at = from + 1;
    for (let place = 0; bytes[at] !== CLOSE_OBJECT; place += 1) {
      const field = fieldAt(bytes, at, place);
      if (field === undefined) return false;
      const start = at + field.quoted.length + 1;
      const end = valueEnds[firstValue + place] ?? start;
      if (field.column !== PASSED) {
        spans[field.column * 2] = start;
        spans[field.column * 2 + 1] = end;
      }
      at = bytes[end] === COMMA ? end + 1 : end;
    }
    return true;
  };
  return {
    write: (bytes, row, place) =>
      bytes[row.from] === OPEN_OBJECT && findCells(bytes, row) ? writeCells(bytes, spans, place) : UNSURE,
    // Each byte may become two, a quote stands on either side of a cell, and a separator behind it.
    roomFor: (length) => 2 * length + 3 * columns.length,
    pass: (key) => {
      const quoted = Buffer.from(`"${key}"`);
      if (!fields.some((field) => quoted.equals(field.quoted))) add(key, PASSED);
    },
  };
}

function writeCells(bytes: Buffer, spans: Int32Array, { target, at }: Place): number {
  let end = at;
  for (let index = 0; index < spans.length; index += 2) {
    const [from = 0, to = 0] = [spans[index], spans[index + 1]];
    if (from !== to) end = writeCell(bytes, from, to, { target, at: end });
    if (end === UNSURE) return UNSURE;
    target[end++] = COMMA;
  }
  target[end - 1] = LINE_FEED;
  return end;
}

function isKey(quoted: Buffer, bytes: Buffer, at: number): boolean {
  for (let index = quoted.length - 1; index >= 0; index -= 1) {
    if (bytes[at + index] !== quoted[index]) return false;
  }
  return true;
}

/** Whether a key is spelled without escapes in JSON. */
function isPlain(key: string): boolean {
  return JSON.stringify(key) === `"${key}"`;
}
