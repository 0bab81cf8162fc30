import type { Context } from '../../../cli/context.ts';
import { exportInParts } from './export-in-parts.ts';
import { type ExportedRow, exportColumns } from './exported-row.ts';
import { type Part, personParts, type Way } from './person-parts.ts';

type Wish = { readonly via?: 'auto' | Way | undefined; readonly resume?: string | undefined };

/** Exports all persons in one go, or with `resume` part by part. */
export async function exportAll({ via = 'auto', resume }: Wish, context: Context): Promise<void> {
  if (resume !== undefined) return exportInParts({ via, resume }, context);
  const rows = rowsOf(personParts({ via, from: undefined }, context), context);
  await context.print(context.look().format === 'table' ? inPages(rows) : rows, exportColumns);
}

/** Rows of a page of a table, whose columns are as wide as its rows need. */
const PAGE = 1000;

async function* inPages(
  parts: AsyncIterable<readonly ExportedRow[]>,
): AsyncGenerator<readonly ExportedRow[]> {
  let page: ExportedRow[] = [];
  for await (const rows of parts) {
    page.push(...rows);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

async function* rowsOf(parts: AsyncIterable<Part>, context: Context): AsyncGenerator<readonly ExportedRow[]> {
  const progress = context.progress({ label: 'persons' });
  try {
    for await (const { rows, place } of parts) {
      progress.update(place.rows);
      yield rows;
    }
  } finally {
    progress.end();
  }
}
