import { isList, type Json } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { inChunks } from '../system/text.ts';
import { type ColumnReader, createColumnReader, type Note, type OutputFormat } from './columns.ts';

/** Rows of a list (an array, or pages as they arrive), or one record. */
export type Printable =
  | Json
  | AsyncIterable<{ readonly rows: readonly Json[] }>
  | AsyncIterable<readonly Json[]>;

/**
 * A list as text, page by page: nothing is held longer than its page, and the next page is asked for only when the
 * text of this one was taken. Throws what `pages` throws, after the text of the pages before. A list without rows is
 * `[]`, a header, or nothing but a note.
 */
export async function* formatRows(
  pages: AsyncIterable<readonly Json[]>,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string | Uint8Array> {
  yield* await rowsIn(outputFormat)(pages, outputFormat, note);
}

type RowsFormatter = (
  pages: AsyncIterable<readonly Json[]>,
  outputFormat: OutputFormat,
  note: Note,
) => AsyncGenerator<string | Uint8Array>;

/** Table and CSV are loaded when they are used: start-up pays for each package. */
function rowsIn({ format }: OutputFormat): RowsFormatter {
  switch (format) {
    case 'json':
      return jsonRows;
    case 'ndjson':
      return ndjsonRows;
    case 'table':
      return async function* (pages, outputFormat, note) {
        const { tableRows } = await import('./table.ts');
        yield* tableRows(pages, outputFormat, note);
      };
    case 'parquet':
      return async function* (pages, outputFormat, note) {
        const { parquetRows } = await import('./parquet.ts');
        yield* parquetRows(pages, outputFormat, note);
      };
    default:
      return async function* (pages, outputFormat, note) {
        const { delimitedRows } = await import('./delimited.ts');
        yield* delimitedRows(pages, outputFormat, note);
      };
  }
}

/**
 * One answer as text: a table has a line for each key, JSON is one document, the other formats show it as a list of
 * one. An answer that is itself a list is shown as one.
 */
export async function* formatRecord(
  record: Json,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string | Uint8Array> {
  if (isList(record)) {
    yield* formatRows(onePage(record), outputFormat, note);
    return;
  }
  if (outputFormat.format === 'json') {
    yield* jsonRecord(record, outputFormat, note);
    return;
  }
  if (outputFormat.format === 'table') {
    const { tableRecord } = await import('./table.ts');
    yield* tableRecord(record, outputFormat, note);
    return;
  }
  yield* formatRows(onePage([record]), outputFormat, note);
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
async function* jsonRows(pages: Pages, outputFormat: OutputFormat, note: Note): AsyncGenerator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  const [indent, line] = outputFormat.width === undefined ? [0, '\n'] : [2, '\n  '];
  let rows = 0;
  for await (const page of pages) {
    const texts = page.map((row) =>
      toJsonText(pick(row, outputFormat, reader), { indent }).replaceAll('\n', line),
    );
    const first = `${rows === 0 ? '[' : ','}${line}`;
    yield* inChunks(texts.map((text, index) => (index === 0 ? first : `,${line}`) + text));
    rows += page.length;
  }
  yield rows === 0 ? '[]\n' : '\n]\n';
  reader.finish();
}

/** One line of JSON for each row. */
async function* ndjsonRows(pages: Pages, outputFormat: OutputFormat, note: Note): AsyncGenerator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  for await (const page of pages) yield* inChunks(lines(page, outputFormat, reader));
  reader.finish();
}

/** One JSON document for one answer. */
function* jsonRecord(record: Json, outputFormat: OutputFormat, note: Note): Generator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  yield `${toJsonText(pick(record, outputFormat, reader), { indent: 2 })}\n`;
  reader.finish();
}

function* lines(page: readonly Json[], outputFormat: OutputFormat, reader: ColumnReader): Generator<string> {
  for (const row of page) yield `${toJsonText(pick(row, outputFormat, reader))}\n`;
}

/** With `--columns` a row becomes an object of just those; what the row lacks stays absent, which is not null. */
function pick(row: Json, outputFormat: OutputFormat, reader: ColumnReader): Json {
  if (outputFormat.columns === undefined) return row;
  const names = outputFormat.columns;
  const found: [string, Json][] = [];
  for (const [index, value] of reader.read(row).entries()) {
    const name = names[index];
    if (value !== undefined && name !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}
