import { usageError } from '../../errors.ts';
import type { DoubtfulCell } from './checks.ts';
import { type ColumnChoice, isNoId } from './csv.ts';
import { createPlace, spanOf } from './places.ts';
import { chooseSheet, findSheets, nameOf, type SheetEntry } from './sheets.ts';
import { isOle } from './text-lines.ts';
import { readStrings, type Strings, type Text, textReader, unescapeText } from './texts.ts';
import { createUnseen, isTrue, type Unseen } from './unseen.ts';
import {
  type Archive,
  openArchive,
  readPart,
  readRelations,
  readWhole,
  SAVE_AGAIN,
  unreadable,
} from './zip-parts.ts';

/** A cell as people see it. */
type WorkbookCell = {
  readonly text: string;
  /** What the workbook holds that is neither text nor number: a date was perhaps an id once. */
  readonly doubtful?: DoubtfulCell;
  /** Of a date the day, however it is shown. */
  readonly day?: string;
};

/** A row with its number in the sheet, from 1. Cells that are empty are `undefined`. */
type WorkbookRow = { readonly line: number; readonly cells: readonly (WorkbookCell | undefined)[] };

type SheetChoice = ColumnChoice & {
  readonly sheet: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Opens a sheet of an .xlsx workbook: the one of this name, else the only one that has the column, or the first if no
 * column is wanted. Its rows hold what a person sees in each cell; a number without a format keeps the digits of the
 * file. Throws a usage error for another format, a damaged file, one that is too large when unpacked, no such sheet, and
 * hidden rows, columns or sheets.
 */
export async function openSheet(bytes: Uint8Array, { sheet: wanted, signal, ...choice }: SheetChoice) {
  if (isOle(bytes))
    throw unreadable(
      'it is an .xls workbook or is locked with a password',
      'save it as .xlsx, without a password',
    );
  const archive = await openArchive(bytes, signal);
  const book = await readBook(archive);
  const sheets = findSheets(book.sheets, wanted);
  const strings = await readStrings(archive, book.strings);
  const reading = { strings, show: await createFormatter(archive, book), limits: archive.limits };
  const namesIn = (one: SheetEntry) => readFirstRow(readRows(archive, one, reading));
  const sheet = await chooseSheet(sheets, choice, namesIn);
  const others = book.sheets.filter((one) => one !== sheet).map(nameOf);
  return { name: sheet.name, others, rows: readRows(archive, sheet, reading) };
}

/** The names of the sheets that can be seen. */
export async function listSheets(bytes: Uint8Array, signal: AbortSignal): Promise<readonly string[]> {
  const { sheets } = await readBook(await openArchive(bytes, signal));
  return sheets.flatMap(({ name, isHidden, hasCells }) => (isHidden || !hasCells ? [] : name));
}

async function readFirstRow(pages: AsyncGenerator<readonly WorkbookRow[]>): Promise<readonly string[]> {
  for await (const page of pages) {
    for (const { cells } of page) {
      const names = Array.from(cells, (cell) => cell?.text ?? '');
      if (!names.every(isNoId)) return names;
    }
  }
  return [];
}

type Book = Awaited<ReturnType<typeof readBook>>;

async function readBook(archive: Archive) {
  const start = (await readRelations(archive, '')).find(({ type }) => type === 'officeDocument');
  const path = start?.path ?? 'xl/workbook.xml';
  const relations = await readRelations(archive, path);
  const byId = new Map(relations.map((one) => [one.id, one]));
  const pathOf = (type: string) => relations.find((one) => one.type === type)?.path;
  const sheets: SheetEntry[] = [];
  let date1904 = false;
  await readWhole(archive, path, {
    open: (name, attributes) => {
      if (name === 'workbookPr') date1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key === 'r:id' || key.endsWith(':id'))?.[1] ?? '';
      const isHidden = attributes.state !== undefined && attributes.state !== 'visible';
      const relation = byId.get(id);
      // A sheet may be a chart.
      const hasCells = relation === undefined || relation.type === 'worksheet';
      sheets.push({ name: attributes.name ?? '', path: relation?.path ?? '', isHidden, hasCells });
    },
  });
  return { sheets, strings: pathOf('sharedStrings'), styles: pathOf('styles'), date1904 };
}

/** More than spreadsheet programs have. */
const MOST_STYLES = 100_000;
const LONGEST_FORMAT = 1000;

/** Shows a number as a person sees it, by its digits in the file and the number format of its style. */
async function createFormatter(archive: Archive, { styles: path, date1904 }: Book) {
  // By style: a code such as `00000`, or the id of one that every program knows.
  const codes = new Map<string, string>();
  const styles: { readonly format: string; readonly font: number }[] = [];
  const struckFonts: boolean[] = [];
  const addCode = ({ numFmtId: id = '', formatCode: code = '' }: Readonly<Record<string, string>>) => {
    if (code.length > LONGEST_FORMAT) throw unreadable('a number format of it is too long', SAVE_AGAIN);
    codes.set(id, code);
  };
  let within = '';
  await readWhole(archive, path, {
    open: (name, attributes) => {
      if (styles.length > MOST_STYLES) throw unreadable('it has too many cell formats', SAVE_AGAIN);
      if (name === 'numFmt') addCode(attributes);
      else if (name === 'cellXfs' || name === 'fonts') within = name;
      else if (name === 'xf' && within === 'cellXfs')
        styles.push({ format: attributes.numFmtId ?? '0', font: Number(attributes.fontId ?? 0) });
      else if (name === 'font' && within === 'fonts') struckFonts.push(false);
      else if (name === 'strike' && within === 'fonts')
        struckFonts[struckFonts.length - 1] = isTrue(attributes.val ?? '1');
    },
    close: (name) => {
      if (name === within) within = '';
    },
  });
  const isPlain = styles.every(({ format }) => ['0', '1', '49'].includes(format));
  const numfmt = isPlain ? undefined : (await import('numfmt')).default;
  const styleOf = (style: string | undefined) => styles[Number(style ?? 0)];
  const codeOf = (style: string | undefined) => {
    const id = styleOf(style)?.format ?? '0';
    // Formats beyond 81 are written down in the book; numfmt makes one up for any number.
    const builtIn = Number(id) < 82 ? numfmt?.getFormatFromId(Number(id)) : undefined;
    return codes.get(id) ?? builtIn ?? 'General';
  };
  const isStruck = (style: string | undefined) => struckFonts[styleOf(style)?.font ?? 0] === true;
  /** A format of four sections, or with an @, says how texts are shown: `;;;` shows none. */
  const showText = (text: string, style: string | undefined) => {
    const code = codeOf(style);
    const isOther = code !== '@' && (code.includes('@') || code.split(';').length > 3);
    return isOther && numfmt ? numfmt.format(code, text, { throws: false }) : text;
  };
  const showNumber = (digits: string, style: string | undefined): WorkbookCell => {
    const code = codeOf(style);
    // The digits of the file, which General shows rounded: a rounded id is somebody else's.
    if (numfmt === undefined || ['General', '0', '@', ''].includes(code))
      return { text: plainDigits(digits) };
    archive.limits.format();
    const isDate = numfmt.isDateFormat(code);
    // Days are counted from 1904 in books that an old Macintosh began.
    const value = Number(digits) + (isDate && date1904 ? 1462 : 0);
    const text = numfmt.format(code, value, { throws: false });
    if (!isDate) return { text };
    return { text, doubtful: 'date', day: numfmt.format('yyyy-mm-dd', value, { throws: false }) };
  };
  return { showNumber, showText, isStruck };
}

/** A whole number has one value, however a program spelt it: `1.2345678E7` and `100.0` are shown as 12345678 and 100. */
function plainDigits(digits: string): string {
  const value = Number(digits);
  return /[.E]/i.test(digits) && Number.isSafeInteger(value) ? String(value) : digits;
}

type Reading = {
  readonly strings: Strings;
  readonly show: Awaited<ReturnType<typeof createFormatter>>;
  readonly limits: Archive['limits'];
};

async function* readRows(
  archive: Archive,
  sheet: SheetEntry,
  reading: Reading,
): AsyncGenerator<readonly WorkbookRow[]> {
  await refuseTotals(archive, sheet);
  const unseen = createUnseen();
  yield* readCells(archive, sheet, { ...reading, unseen });
  if (unseen.hasMerged()) {
    // The file tells last which cells cover others.
    const again = readCells(archive, sheet, { ...reading, unseen: createUnseen() });
    for await (const page of again) for (const row of page) unseen.cover(row.line, row.cells);
  }
  unseen.refuse(sheet.name);
}

/** The last row of a table may sum up those above it. */
async function refuseTotals(archive: Archive, { path, name }: SheetEntry): Promise<void> {
  for (const { type, path: table } of await readRelations(archive, path)) {
    if (type !== 'table') continue;
    await readWhole(archive, table, {
      open: (tag, { ref, totalsRowCount }) => {
        if (tag !== 'table' || !(Number(totalsRowCount ?? 0) > 0)) return;
        throw usageError(
          `row ${spanOf(ref)?.bottom ?? ''} of sheet "${name}" is the totals row of a table`,
          'turn the totals row off, or copy the rows you mean into a new sheet',
        );
      },
    });
  }
}

type ReadingCells = Reading & { readonly unseen: Unseen };

/** The elements that lead to a cell. */
const PATH = ['worksheet', 'sheetData', 'row', 'c'];
/** What of a cell is read as text. */
const PARTS: ReadonlyMap<string, 'value' | 'formula'> = new Map([
  ['v', 'value'],
  ['f', 'formula'],
]);

async function* readCells(
  archive: Archive,
  { path }: SheetEntry,
  { unseen, ...reading }: ReadingCells,
): AsyncGenerator<readonly WorkbookRow[]> {
  let rows: WorkbookRow[] = [];
  let cells: (WorkbookCell | undefined)[] = [];
  let cell: { type: string; style: string | undefined; value: string; formula: string } | undefined;
  let open: 'value' | 'formula' | undefined;
  let isHidden = false;
  const place = createPlace();
  const inline = textReader();
  let depth = 0;
  /** How many of the open elements, from the outermost, lead to a cell. */
  let onPath = 0;
  let isInline = false;
  const pieces = readPart(archive, path, {
    open: (tag, attributes) => {
      if (onPath === depth && tag === PATH[depth]) onPath += 1;
      depth += 1;
      unseen.open(tag, attributes);
      if (depth === 2 && tag === 'sheetData') place.begin();
      if (onPath === depth && depth === 3) {
        place.row(attributes);
        cells = [];
        isHidden = unseen.isHiddenRow(attributes);
      } else if (onPath === depth && depth === 4) {
        place.cell(attributes);
        cell = { type: attributes.t ?? 'n', style: attributes.s, value: '', formula: '' };
      } else if (depth === 5 && cell !== undefined) {
        isInline = tag === 'is';
        open = PARTS.get(tag);
        if (open === 'formula') cell.formula = '=';
      }
      if (isInline) inline.open(tag, attributes);
    },
    text: (piece) => {
      if (open !== undefined && cell !== undefined) cell[open] += piece;
      inline.add(piece);
    },
    close: (tag) => {
      inline.close(tag);
      if (depth === 5) {
        open = undefined;
        isInline = false;
      }
      if (depth === 4 && cell !== undefined) {
        const shown = readCell({ ...cell, inline: inline.take() }, reading);
        if (shown?.text === '') unseen.value(place.line());
        if (shown?.isStruck) unseen.strike(place.line());
        cells[place.column()] = shown;
        cell = undefined;
      }
      if (depth === 3 && onPath === 3) {
        rows.push({ line: place.line(), cells });
        if (isHidden && cells.some((one) => one !== undefined)) unseen.row(place.line());
      }
      depth -= 1;
      onPath = Math.min(onPath, depth);
    },
  });
  for await (const _ of pieces) {
    if (rows.length > 0) yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

type RawCell = Readonly<Record<'type' | 'value' | 'formula', string>> & {
  readonly style: string | undefined;
  readonly inline: Text;
};

type ShownCell = WorkbookCell & { readonly isStruck?: boolean };

function readCell(cell: RawCell, reading: Reading): ShownCell | undefined {
  const shown = showCell(cell, reading);
  if (shown !== undefined) reading.limits.show(shown.text);
  return shown && reading.show.isStruck(cell.style) ? { ...shown, isStruck: true } : shown;
}

function showCell(cell: RawCell, { strings, show, limits }: Reading): ShownCell | undefined {
  const { type, style, value, formula, inline } = cell;
  const text = (one: string, isStruck = false): ShownCell | undefined => {
    if (one === '') return undefined;
    limits.show(one);
    return { text: show.showText(one, style), isStruck };
  };
  if (type === 's' && value !== '') {
    const shared = strings.texts[Number(value)];
    if (shared === undefined) throw unreadable('it lacks the text of a cell', SAVE_AGAIN);
    return text(shared, strings.struck.has(Number(value)));
  }
  if (type === 'inlineStr') return text(inline.text, inline.isStruck);
  if (type === 'str') return text(unescapeText(value));
  // A program that cannot calculate wrote the formula without its result: somebody was meant.
  if (value === '') return text(formula);
  if (type === 'b') return { text: value === '1' ? 'TRUE' : 'FALSE', doubtful: 'boolean' };
  if (type === 'e') return { text: value, doubtful: 'error' };
  if (type === 'd') return { text: value, doubtful: 'date' };
  return show.showNumber(value, style);
}
