import type { Json } from '../json/kinds.ts';
import type { RowPage } from '../output/row-page.ts';

/** Tells how many rows a page has when they are read from it, in whichever way and however often that is. */
export function countRows(page: RowPage, tell: (rows: number) => void): RowPage {
  let told = false;
  const once = (rows: number) => {
    if (!told) tell(rows);
    told = true;
  };
  return {
    rows: () => {
      const rows = page.rows();
      once(rows.length);
      return rows;
    },
    slices: () => {
      const slices = page.slices();
      if (slices !== undefined) once(slices.starts.length);
      return slices;
    },
    batches: () => countBatches(page.batches(), once),
  };
}

function* countBatches(
  batches: Iterable<readonly Json[]>,
  tell: (rows: number) => void,
): Generator<readonly Json[]> {
  let rows = 0;
  for (const batch of batches) {
    rows += batch.length;
    yield batch;
  }
  tell(rows);
}
