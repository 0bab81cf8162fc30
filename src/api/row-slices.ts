import type { Json } from './json.ts';

/** Rows as JSON in UTF-8 without white space, as parts of one stretch of bytes. */
export type RowSlices = {
  readonly bytes: Uint8Array;
  /** Where each row begins and ends. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Where the values of rows that are objects end, and which of these is the first of each row. */
  readonly valueEnds: readonly number[];
  readonly firstValues: readonly number[];
  /** One of the rows as a value. */
  readonly parse: (index: number) => Json;
};
