import type { Json } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { type ColumnReader, createColumnReader } from './column-reader.ts';
import { inChunks } from './in-chunks.ts';
import type { Look, Note } from './look.ts';

type Pages = AsyncIterable<readonly Json[]>;

/**
 * One JSON array of all rows, written as it comes: indented on a terminal, else a row to a line. When `pages` throws, the array stays open: a document that is cut
 * short must not pass for a whole one.
 */
export async function* jsonRows(pages: Pages, look: Look, note: Note): AsyncGenerator<string> {
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
export async function* ndjsonRows(pages: Pages, look: Look, note: Note): AsyncGenerator<string> {
  const reader = createColumnReader({ ...look, everyKey: true }, note);
  for await (const page of pages) yield* inChunks(lines(page, look, reader));
  reader.finish();
}

/** One JSON document for one answer. */
export function* jsonRecord(record: Json, look: Look, note: Note): Generator<string> {
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
