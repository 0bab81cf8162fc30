import { Chalk, type ChalkInstance } from 'chalk';
import type { Json } from '../json/kinds.ts';
import { type Cell, displayCell } from './cell-text.ts';
import { createColumnReader } from './column-reader.ts';
import { fitCell, padding } from './fit-text.ts';
import { inChunks } from './in-chunks.ts';
import type { Look, Note } from './look.ts';
import { ellipsisOf, recordEntries, recordLines } from './record-lines.ts';
import { firstLayout, grow, type Layout } from './table-layout.ts';
import { titleLines } from './title-lines.ts';

/** Narrower terminals get lines of this width all the same: below it nothing can be read. */
const leastWidth = 40;

/**
 * A table, page by page. On a terminal no line is wider than `width`, text columns keep the width the first page gave
 * them, and rows that fit no layout become blocks of lines. Elsewhere the columns are two spaces apart and nothing is
 * shortened.
 */
export async function* tableRows(
  pages: AsyncIterable<readonly Json[]>,
  look: Look,
  note: Note,
): AsyncGenerator<string> {
  const reader = createColumnReader({ ...look, everyKey: false }, note);
  const width = look.width === undefined ? undefined : Math.max(look.width, leastWidth);
  const paint = painter(look);
  let layout: Layout | undefined;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const columns = reader.columns(page);
    const values = page.map((row) => reader.read(row));
    const cells = values.map((row) => row.map(displayCell));
    const first = layout === undefined;
    if (layout === undefined) {
      layout = firstLayout(columns, { values, cells }, { ...look, width });
      if (look.headers && layout.widths !== undefined) yield headerLines(layout, look, paint);
    } else {
      reader.watch(page);
      layout = grow(layout, cells);
    }
    yield* inChunks(
      layout.widths === undefined
        ? blocks(layout, cells, { look, paint, first })
        : rowLines(layout, cells, look),
    );
  }
  if (layout === undefined) note('no rows', 'note');
  reader.finish();
}

/** One answer as lines of key and value, long values wrapped. */
export function* tableRecord(record: Json, look: Look, note: Note): Generator<string> {
  const reader = createColumnReader({ ...look, everyKey: false }, note);
  const chosen = look.columns !== undefined || look.defaultColumns !== undefined;
  const columns = chosen ? reader.columns([record]) : [];
  const entries = recordEntries(record, columns, chosen ? reader.read(record) : []);
  const width = look.width === undefined ? undefined : Math.max(look.width, leastWidth);
  const lines = recordLines(entries, { ...look, width, paint: painter(look), long: 'wrap' });
  yield* inChunks(lines.map((line) => `${line}\n`));
  reader.finish();
}

/** Colour is decided by the caller, never by what the process looks like. */
function painter({ color }: Look): ChalkInstance {
  return new Chalk({ level: color ? 1 : 0 });
}

/** Titles stand at the bottom of the header, next to their column. */
function headerLines(layout: Layout, look: Look, paint: ChalkInstance): string {
  const { widths = [], frame, titles } = layout;
  const broken = titles.map((title, index) =>
    frame === undefined ? [title] : titleLines(title, widths[index] ?? 0),
  );
  const height = Math.max(1, ...broken.map((lines) => lines.length));
  const rows = Array.from({ length: height }, (_, row) => {
    const cells = broken.map((lines) => ({ text: lines[row - height + lines.length] ?? '' }));
    return `${lineOf(layout, cells, look, (text) => paint.bold(text))}\n`;
  });
  return rows.join('') + (frame === undefined ? '' : `${frame.rule}\n`);
}

function* rowLines(layout: Layout, cells: readonly Cell[][], look: Look): Generator<string> {
  for (const row of cells) yield `${lineOf(layout, row, look, (text) => text)}\n`;
}

/** One row. Spaces at its end are left out, those that belong to a value are not. */
function lineOf(
  layout: Layout,
  cells: readonly Cell[],
  look: Look,
  decorate: (text: string) => string,
): string {
  const { widths = [], limits = [], frame, measures } = layout;
  const texts = cells.map((cell, index) =>
    frame === undefined ? cell.text : fitCell(cell, limits[index] ?? 0, ellipsisOf(look)),
  );
  const last = frame === undefined ? texts.findLastIndex((text) => text !== '') : texts.length - 1;
  let line = frame?.gaps[0] ?? '';
  for (const [index, text] of texts.slice(0, last + 1).entries()) {
    if (index > 0) line += frame?.gaps[index] ?? '  ';
    const right = measures[index]?.kind === 'number';
    const spaces = padding(text, widths[index] ?? 0);
    if (right) line += spaces;
    line += text === '' ? '' : decorate(text);
    if (!right && index < last) line += spaces;
  }
  return line;
}

type Dress = { readonly look: Look; readonly paint: ChalkInstance; readonly first: boolean };

/** Rows that do not fit side by side, one below the other, an empty line between two. */
function* blocks(layout: Layout, cells: readonly Cell[][], { look, paint, first }: Dress): Generator<string> {
  for (const [position, row] of cells.entries()) {
    const entries = row.map((cell, index) => ({
      key: layout.titles[index] ?? '',
      cell,
      kind: layout.measures[index]?.kind,
    }));
    const lines = recordLines(entries, { ...look, width: layout.width, paint, long: 'cut' });
    yield `${first && position === 0 ? '' : '\n'}${lines.join('\n')}\n`;
  }
}
