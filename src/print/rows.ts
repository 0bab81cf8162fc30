import { isList, type Json } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { inChunks } from '../system/text.ts';
import { type ColumnReader, createColumnReader, type Look, type Note } from './columns.ts';

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
        const { tableRows } = await import('./table.ts');
        yield* tableRows(pages, look, note);
      };
    default:
      return async function* (pages, look, note) {
        const { delimitedRows } = await import('./delimited.ts');
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
    const { tableRecord } = await import('./table.ts');
    yield* tableRecord(record, look, note);
    return;
  }
  yield* formatRows(onePage([record]), look, note);
}

/** Rows that are all there already, as the pages that `formatRows` takes. */
export async function* onePage(rows: readonly Json[]): AsyncGenerator<readonly Json[]> {
  yield rows;
}

type Pages = AsyncIterable<readonly Json[]>;

/**
 * One JSON array of all rows, written as it comes: indented on a terminal, else a row to a line. When `pages` throws, the array stays open: a document that is cut
 * short must not pass for a whole one.
 */
async function* jsonRows(pages: Pages, look: Look, note: Note): AsyncGenerator<string> {
  const reader = createColumnReader({ ...look, everyKey: true }, note);
  const [indent, line] = look.width === undefined ? [0, '\n'] : [2, '\n  '];
  let rows = 0;
  for await (const page of pages) {
    const texts = page.map((row) => toJsonText(pick(row, look, reader), { indent }).replaceAll('\n', line));
    const first = `${rows === 0 ? '[' : ','}${line}`;
    yield* inChunks(texts.map((text, index) => (index === 0 ? first : `,${line}`) + text));
    rows += page.length;
  }
  yield rows === 0 ? '[]\n' : '\n]\n';
  reader.finish();
}

/** One line of JSON for each row. */
async function* ndjsonRows(pages: Pages, look: Look, note: Note): AsyncGenerator<string> {
  const reader = createColumnReader({ ...look, everyKey: true }, note);
  for await (const page of pages) yield* inChunks(lines(page, look, reader));
  reader.finish();
}

/** One JSON document for one answer. */
function* jsonRecord(record: Json, look: Look, note: Note): Generator<string> {
  const reader = createColumnReader({ ...look, everyKey: true }, note);
  yield `${toJsonText(pick(record, look, reader), { indent: 2 })}\n`;
  reader.finish();
}

function* lines(page: readonly Json[], look: Look, reader: ColumnReader): Generator<string> {
  for (const row of page) yield `${toJsonText(pick(row, look, reader))}\n`;
}

/** With `--columns` a row becomes an object of just those; what the row lacks stays absent, which is not null. */
function pick(row: Json, look: Look, reader: ColumnReader): Json {
  if (look.columns === undefined) return row;
  const names = look.columns;
  const found: [string, Json][] = [];
  for (const [index, value] of reader.read(row).entries()) {
    const name = names[index];
    if (value !== undefined && name !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}
