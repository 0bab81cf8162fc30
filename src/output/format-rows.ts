import { isList, type Json } from '../json/kinds.ts';
import { jsonRecord, jsonRows, ndjsonRows } from './format-json.ts';
import type { Look, Note } from './look.ts';

/**
 * A list as text, page by page: nothing is held longer than its page, and the next page is asked for only when the
 * text of this one was taken. Throws what `pages` throws, after the text of the pages before. A list without rows is
 * `[]`, a header, or nothing but a note.
 */
export async function* formatRows(
  pages: AsyncIterable<readonly Json[]>,
  look: Look,
  note: Note,
): AsyncGenerator<string> {
  yield* await rowsIn(look)(pages, look, note);
}

type RowsFormatter = (
  pages: AsyncIterable<readonly Json[]>,
  look: Look,
  note: Note,
) => AsyncGenerator<string>;

/** Table and CSV are loaded when they are used: start-up pays for each package. */
function rowsIn({ format }: Look): RowsFormatter {
  switch (format) {
    case 'json':
      return jsonRows;
    case 'ndjson':
      return ndjsonRows;
    case 'table':
      return async function* (pages, look, note) {
        const { tableRows } = await import('./format-table.ts');
        yield* tableRows(pages, look, note);
      };
    default:
      return async function* (pages, look, note) {
        const { delimitedRows } = await import('./format-delimited.ts');
        yield* delimitedRows(pages, look, note);
      };
  }
}

/**
 * One answer as text: a table has a line for each key, JSON is one document, the other formats show it as a list of
 * one. An answer that is itself a list is shown as one.
 */
export async function* formatRecord(record: Json, look: Look, note: Note): AsyncGenerator<string> {
  if (isList(record)) {
    yield* formatRows(onePage(record), look, note);
    return;
  }
  if (look.format === 'json') {
    yield* jsonRecord(record, look, note);
    return;
  }
  if (look.format === 'table') {
    const { tableRecord } = await import('./format-table.ts');
    yield* tableRecord(record, look, note);
    return;
  }
  yield* formatRows(onePage([record]), look, note);
}

/** Rows that are all there already, as the pages that `formatRows` takes. */
export async function* onePage(rows: readonly Json[]): AsyncGenerator<readonly Json[]> {
  yield rows;
}
