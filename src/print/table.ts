import Table from 'cli-table3';
import { type Column, isNumber, isObject, type Json } from '../json/kinds.ts';
import { largest } from '../json/numbers.ts';
import { dataText, roundedDigits } from '../json/text.ts';
import { displayWidth, escapeControls, inChunks, padding, truncate, wrap } from '../system/text.ts';
import { atMost, fitCell, fitRow } from './fit-cell.ts';
import { headingText, isShared, titleLines } from './headings.ts';
import {
  type Cell,
  createColumnReader,
  displayCell,
  keysOf,
  type Note,
  type OutputFormat,
  rowCell,
} from './rows.ts';
import { ellipsisOf, firstLayout, grow, type Layout, omissions, pickCells } from './table-layout.ts';

/** Narrower terminals get lines of this width all the same: below it nothing can be read. */
const leastWidth = 40;

/**
 * A table, page by page. On a terminal no line is wider than `width`, text columns of later pages grow only where there is
 * room, and rows that fit no layout become blocks of lines. Elsewhere the columns are two spaces apart and nothing is
 * shortened.
 */
export async function* tableRows(
  pages: AsyncIterable<readonly Json[]>,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: false }, note);
  const width = outputFormat.width === undefined ? undefined : Math.max(outputFormat.width, leastWidth);
  const bold = await boldWriter(outputFormat);
  let layout: Layout | undefined;
  let isFirst = true;
  let isRounded = false;
  const omitted = new Set<string>();
  for await (const page of pages) {
    if (page.length === 0) continue;
    const columns = reader.columns(page);
    const values = page.map((row) => reader.read(row));
    const cells = values.map((row) => row.map(width === undefined ? rowCell : roundedCell));
    isRounded ||= width !== undefined && values.some((row) => row.some(isRoundedFigure));
    if (layout === undefined || !layout.shared.every((heading) => isShared(heading, cells))) {
      if (layout !== undefined) yield '\n';
      layout = firstLayout(columns, { values, cells }, { ...outputFormat, width });
      yield layout.shared.map((heading) => `${headingText(heading)}\n`).join('');
      if (outputFormat.headers && layout.widths !== undefined) yield headerLines(layout, outputFormat, bold);
      isFirst = true;
    } else layout = grow(layout, cells);
    const { fields, given, unicode } = layout;
    const picked = cells.map((row) => pickCells({ fields, given, unicode }, row));
    yield* inChunks(
      layout.widths === undefined
        ? blocks(layout, picked, { outputFormat, bold, first: isFirst })
        : rowLines(layout, picked, outputFormat),
    );
    isFirst = false;
    const sentence = omissions(layout);
    if (sentence !== undefined) omitted.add(sentence);
  }
  if (layout === undefined) note('no rows', 'note');
  for (const sentence of omitted) note(sentence, 'note');
  if (isRounded) note('Figures are rounded to two decimals; -o csv has all digits.', 'note');
  reader.finish();
}

/** A terminal shows figures as charts do. */
function roundedCell(value: Json | undefined): Cell {
  return isNumber(value) ? { text: roundedDigits(dataText(value) ?? '') } : rowCell(value);
}

function isRoundedFigure(value: Json | undefined): boolean {
  return isNumber(value) && Number(roundedCell(value).text) !== Number(dataText(value));
}

/** One answer as lines of key and value, long values wrapped. */
export async function* tableRecord(
  record: Json,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: false }, note);
  const chosen = outputFormat.columns !== undefined || outputFormat.defaultColumns !== undefined;
  const columns = chosen ? reader.columns([record]) : [];
  const entries = recordEntries(record, columns, chosen ? reader.read(record) : []);
  const width = outputFormat.width === undefined ? undefined : Math.max(outputFormat.width, leastWidth);
  const bold = await boldWriter(outputFormat);
  const lines = recordLines(entries, { ...outputFormat, width, bold, long: 'wrap' });
  yield* inChunks(lines.map((line) => `${line}\n`));
  reader.finish();
}

type Writer = (text: string) => string;

/** Colour is decided by the caller, never by what the process looks like. chalk is loaded only for colour. */
async function boldWriter({ color }: OutputFormat): Promise<Writer> {
  if (!color) return (text) => text;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 }).bold;
}

/** Titles stand at the bottom of the header, next to their column. */
function headerLines(layout: Layout, outputFormat: OutputFormat, bold: Writer): string {
  const { widths = [], limits = [], width, fields } = layout;
  const broken = fields.map(({ title }, index) => {
    if (width === undefined) return [title];
    const lines = titleLines(title, widths[index] ?? 0);
    return lines.map((line) => truncate(line, limits[index] ?? 0, ellipsisOf(outputFormat)));
  });
  const height = largest(
    broken.map((lines) => lines.length),
    1,
  );
  const rows = Array.from({ length: height }, (_, row) =>
    broken.map((lines) => lines[row - height + lines.length] ?? ''),
  );
  const lines = drawRows(layout, rows, { outputFormat, decorate: bold });
  return [...lines, ...(width === undefined ? [] : [drawRule(layout, outputFormat)])]
    .map((line) => `${line}\n`)
    .join('');
}

/** The time of cli-table3 grows faster than the number of rows, so it draws this many at once. */
const BLOCK = 25;

function* rowLines(layout: Layout, cells: readonly Cell[][], outputFormat: OutputFormat): Generator<string> {
  const { limits } = layout;
  for (let from = 0; from < cells.length; from += BLOCK) {
    const rows = cells
      .slice(from, from + BLOCK)
      .flatMap((row) =>
        limits === undefined ? [row.map(({ text }) => text)] : fitRow(row, layout, outputFormat),
      );
    yield `${drawRows(layout, rows, { outputFormat, decorate: (text) => text }).join('\n')}\n`;
  }
}

type Drawing = { readonly outputFormat: OutputFormat; readonly decorate: (text: string) => string };

/** Rows of one line each, in columns. Spaces at the end of a line are left out, those that belong to a value are not. */
function drawRows(
  layout: Layout,
  rows: readonly (readonly string[])[],
  { outputFormat, decorate }: Drawing,
): readonly string[] {
  if (layout.width === undefined) return rows.map((row) => padRow(layout, row, decorate));
  const { widths = [], limits = widths, measures } = layout;
  const last = widths.length - 1;
  const isNumber = (index: number) => measures[index]?.kind === 'number';
  const wide: string[] = [];
  const table = new Table({
    chars: charsOf(layout, outputFormat),
    style: STYLE,
    colWidths: [...limits],
    // The last column may be as wide as what is left of the line; its numbers end where it ends itself.
    colAligns: limits.map((_, index) => (isNumber(index) && index < last ? 'right' : 'left')),
  });
  for (const row of rows) {
    table.push(
      row.map((text, index) => {
        const before = isNumber(index) && index === last ? padding(text, widths[index] ?? 0) : '';
        return text === '' ? before : before + decorate(standIn(text, wide));
      }),
    );
  }
  const lines = table.toString().split('\n');
  return rows.map((row, place) => {
    const cells = cellsOf(row[last] ?? '');
    const used = isNumber(last) ? Math.max(widths[last] ?? 0, cells) : cells;
    const line = lines[place] ?? '';
    const end = line.length - Math.max(0, (limits[last] ?? 0) - used);
    return line.slice(0, end).replace(/\ue000+/g, () => wide.shift() ?? '');
  });
}

/** Without a terminal there is no frame to draw, and tables may be long: cli-table3 takes 20 times as long. */
function padRow(
  { widths = [], measures }: Layout,
  row: readonly string[],
  decorate: Drawing['decorate'],
): string {
  const last = row.findLastIndex((text) => text !== '');
  return row
    .slice(0, last + 1)
    .map((text, index) => {
      const shown = text === '' ? '' : decorate(text);
      const spaces = padding(text, widths[index] ?? 0);
      if (measures[index]?.kind === 'number') return spaces + shown;
      return index < last ? shown + spaces : shown;
    })
    .join('  ');
}

/** The line under the header. */
function drawRule({ widths = [], isNarrow }: Layout, { unicode }: OutputFormat): string {
  const [line, cross] = unicode ? ['─', '─┼─'] : ['-', '-+-'];
  return widths.map((width) => line.repeat(width)).join(isNarrow ? '  ' : cross);
}

const STYLE = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };

/** No lines around the table. */
const EDGES = Object.fromEntries(
  ['top', 'bottom', 'left', 'right'].flatMap((edge) =>
    [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`].map((name) => [name, '']),
  ),
);

/** Narrow tables do without lines between the columns. */
function charsOf({ isNarrow }: Layout, { unicode }: OutputFormat) {
  const bar = unicode ? ' │ ' : ' | ';
  return { ...EDGES, middle: isNarrow ? '  ' : bar };
}

const plain = /^[\x20-\x7e\u2026]*$/;

/**
 * Text for cli-table3, which takes the family emoji for six cells: what is not plain is put in afterwards, and as many
 * cells of a private character keep its place.
 */
function standIn(text: string, wide: string[]): string {
  if (plain.test(text)) return text;
  const cells = cellsOf(text);
  wide.push(displayWidth(text) === 0 ? `${text} ` : text);
  return '\ue000'.repeat(cells);
}

/** A mark without a cell of its own gets one. */
function cellsOf(text: string): number {
  return text === '' ? 0 : Math.max(1, displayWidth(text));
}

type Dress = { readonly outputFormat: OutputFormat; readonly bold: Writer; readonly first: boolean };

/** Rows that do not fit side by side, one below the other, an empty line between two. */
function* blocks(
  layout: Layout,
  cells: readonly Cell[][],
  { outputFormat, bold, first }: Dress,
): Generator<string> {
  for (const [position, row] of cells.entries()) {
    const entries = row.map((cell, index) => ({
      key: layout.fields[index]?.title ?? '',
      cell,
      kind: layout.fields[index]?.kind,
    }));
    const lines = recordLines(entries, { ...outputFormat, width: layout.width, bold, long: 'cut' });
    yield `${first && position === 0 ? '' : '\n'}${lines.join('\n')}\n`;
  }
}

/** One line of a record: what it is called and what it holds. */
type Entry = { readonly key: string; readonly cell: Cell; readonly kind?: Column['kind'] };

/** A value on a terminal takes at most this many lines of a record, so that one long text does not bury the rest. */
const mostLines = 10;

/** The entries of a record, nested objects by dotted path; of each column if there are some. */
function recordEntries(
  record: Json,
  columns: readonly Column[],
  cells: readonly (Json | undefined)[],
): Entry[] {
  if (columns.length === 0)
    return isObject(record) ? entriesOf('', record) : [{ key: 'value', cell: displayCell(record) }];
  return columns.flatMap(({ key, title }, index) => entriesOf(title ?? key, cells[index]));
}

function entriesOf(path: string, value: Json | undefined): Entry[] {
  if (!isObject(value) || (path !== '' && keysOf(value).length === 0)) {
    return [{ key: escapeControls(path), cell: displayCell(value) }];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    entriesOf(path === '' ? key : `${path}.${key}`, inner),
  );
}

type RecordShape = Pick<OutputFormat, 'headers' | 'width' | 'unicode'> & {
  readonly bold: Writer;
  /** `wrap` shows long values on several lines, `cut` shortens them to one; numbers and ids stay whole. */
  readonly long: 'wrap' | 'cut';
};

/** The lines of a record, keys on the left; without headers only the values. */
function recordLines(entries: readonly Entry[], shape: RecordShape): string[] {
  const keys = shape.headers ? entries.map(({ key }) => key) : [];
  const widest = largest(keys.map(displayWidth), 0);
  const keyWidth = shape.width === undefined ? widest : Math.min(widest, Math.floor(shape.width / 2));
  const valueWidth = shape.width === undefined ? undefined : shape.width - (shape.headers ? keyWidth + 2 : 0);
  return entries.flatMap(({ key, cell, kind }) => {
    const long = kind === undefined ? shape.long : 'wrap';
    const [first = '', ...more] = valueLines(cell, valueWidth, { ...shape, long });
    if (!shape.headers) return [first, ...more];
    const name = truncate(key, keyWidth, ellipsisOf(shape));
    const gap = first === '' ? '' : padding(name, keyWidth + 2);
    const head = `${shape.bold(name)}${gap}${first}`;
    return [head, ...more.map((line) => ' '.repeat(keyWidth + 2) + line)];
  });
}

function valueLines(cell: Cell, width: number | undefined, shape: RecordShape): readonly string[] {
  if (width === undefined) return [cell.text];
  if (shape.long === 'cut') return [fitCell(cell, width, ellipsisOf(shape))];
  return atMost(wrap(cell.text, width), { most: mostLines, between: '', width, ellipsis: ellipsisOf(shape) });
}
