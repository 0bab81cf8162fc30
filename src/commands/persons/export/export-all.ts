import type { Context } from '../../../cli/context.ts';
import type { Json } from '../../../json/kinds.ts';
import type { RowPage } from '../../../output/row-page.ts';
import { exportInParts } from './export-in-parts.ts';
import { exportColumns } from './exported-row.ts';
import { type Part, personParts, type Way } from './person-parts.ts';
import { tellProgress } from './tell-progress.ts';

type Wish = { readonly via?: 'auto' | Way | undefined; readonly resume?: string | undefined };

/** Exports all persons in one go, or with `resume` part by part. */
export async function exportAll({ via = 'auto', resume }: Wish, context: Context): Promise<void> {
  if (resume !== undefined) return exportInParts({ via, resume }, context);
  const pages = pagesOf(personParts({ via, from: undefined }, context), context);
  await context.print(context.outputFormat().format === 'table' ? inLargePages(pages) : pages, exportColumns);
}

/** Rows of a page of a table, whose columns are as wide as its rows need. */
const LARGE_PAGE = 1000;

async function* inLargePages(pages: AsyncIterable<RowPage>): AsyncGenerator<readonly Json[]> {
  let large: Json[] = [];
  for await (const page of pages) {
    large.push(...page.rows());
    if (large.length < LARGE_PAGE) continue;
    yield large;
    large = [];
  }
  yield large;
}

async function* pagesOf(parts: AsyncIterable<Part>, context: Context): AsyncGenerator<RowPage> {
  const progress = context.progress({
    label: 'persons',
    first: 'waiting for the first persons',
    amidRows: true,
  });
  try {
    for await (const { page, place, total } of parts) {
      tellProgress(progress, { done: place.rows, total });
      yield page;
    }
  } finally {
    progress.end();
  }
}
