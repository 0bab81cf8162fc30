import type { Json } from '../json/kinds.ts';

/** Rows as JSON in UTF-8 without white space, as parts of one stretch of bytes. */
export type RowSlices = {
  readonly bytes: Uint8Array;
  /** Where each row begins and ends. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Where the values of rows that are objects end, and which of these is the first of each row. */
  readonly valueEnds: Int32Array;
  readonly firstValues: Int32Array;
  /** One of the rows as a value. */
  readonly parse: (index: number) => Json;
};
