import type { RowSlices } from '../api/row-slices.ts';
import type { Json } from '../json/kinds.ts';

/** A page of a list as the service sent it. `slices` are its rows in its bytes, where they came without white space. */
export type RowPage = {
  readonly rows: () => readonly Json[];
  /** The same rows in parts, each parsed when it is asked for. */
  readonly batches: () => Iterable<readonly Json[]>;
  readonly slices: () => RowSlices | undefined;
};
