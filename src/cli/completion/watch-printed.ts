import { isList, type Json } from '../../json/kinds.ts';
import type { Column } from '../../output/look.ts';
import type { RowPage } from '../../output/row-page.ts';

import type { Printable } from '../context.ts';
import type { Memory } from './memory.ts';

type Watching = {
  readonly memory: Memory;
  readonly columns: readonly Column[] | undefined;
  /** Rows are passed on as they came: only those that are looked at need parsing. */
  readonly passedOn: boolean;
};

const MOST_ROWS = 200;
const MOST_BYTES = 200_000;

/** The same data, of whose first rows the memory is told when they are printed. */
export function watchPrinted(data: Printable, { memory, columns = [], passedOn }: Watching): Printable {
  if (!memory.isOpen) return data;
  const fields = columns.map(({ key }) => key);
  const see = (rows: readonly Json[]) => memory.printed(rows.slice(0, MOST_ROWS), fields);
  // A page is a page in whatever kind of list it came.
  if (isPages(data)) return watchPages(data, { see, passedOn }) as typeof data;
  see(isList(data) ? data : [data]);
  return data;
}

type Pages = AsyncIterable<RowPage | readonly Json[]>;

async function* watchPages(
  pages: Pages,
  { see, passedOn }: { see(rows: readonly Json[]): void; passedOn: boolean },
): AsyncGenerator<RowPage | readonly Json[]> {
  let hasSeen = false;
  for await (const page of pages) {
    if (!hasSeen) {
      const rows = 'rows' in page ? firstRows(page, passedOn) : page;
      hasSeen = rows.length > 0;
      if (hasSeen) see(rows);
    }
    yield page;
  }
}

function firstRows(page: RowPage, passedOn: boolean): readonly Json[] {
  const slices = passedOn ? page.slices() : undefined;
  if (slices === undefined) return page.rows();
  const { starts, ends, parse } = slices;
  const rows: Json[] = [];
  let bytes = 0;
  for (const [index, start] of starts.slice(0, MOST_ROWS).entries()) {
    bytes += (ends[index] ?? start) - start;
    if (bytes > MOST_BYTES) break;
    rows.push(parse(index));
  }
  return rows;
}

function isPages(data: Printable): data is Extract<Printable, AsyncIterable<unknown>> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}
