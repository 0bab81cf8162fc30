import type { Context } from '../../../cli/context.ts';
import { exportInParts } from './export-in-parts.ts';
import { type ExportedRow, exportColumns } from './exported-row.ts';
import { type Part, personParts, type Way } from './person-parts.ts';

type Wish = { readonly via?: 'auto' | Way | undefined; readonly resume?: string | undefined };

/** Exports all persons in one go, or with `resume` part by part. */
export async function exportAll({ via = 'auto', resume }: Wish, context: Context): Promise<void> {
  if (resume !== undefined) return exportInParts({ via, resume }, context);
  await context.print(rowsOf(personParts({ via, from: undefined }, context), context), exportColumns);
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
