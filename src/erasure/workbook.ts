import { CliError, usageError } from '../errors.ts';
import { isOle } from './read-rows.ts';
import type { DoubtfulCell } from './suspicious-ids.ts';
import {
  type Entries,
  readEntries,
  readPart,
  readWholePart,
  refuseOthers,
  textReader,
  unescapeText,
  unreadable,
} from './workbook-parts.ts';

/** A cell as people see it. `kind` says what the workbook holds it as: a date was perhaps an id once. */
export type WorkbookCell = {
  readonly text: string;
  readonly kind: 'text' | 'number' | DoubtfulCell;
};

/** A row with its number in the sheet, from 1. Cells that are empty are `undefined`. */
export type WorkbookRow = { readonly line: number; readonly cells: readonly (WorkbookCell | undefined)[] };

/** An open sheet. `others` are the names of the sheets that are not read. */
export type Sheet = {
  readonly name: string;
  readonly others: readonly string[];
  readonly rows: AsyncGenerator<readonly WorkbookRow[]>;
};

/**
 * Opens a sheet of an .xlsx workbook: the one of this name, else the first that is not hidden. Its rows hold what a
 * person sees in each cell; a number without a format keeps the digits of the file. Throws a usage error for another
 * format, a damaged file, one that is too large when unpacked, no such sheet, and hidden rows, columns or sheets.
 */
export async function openSheet(bytes: Uint8Array, wanted?: string): Promise<Sheet> {
  if (isOle(bytes))
    throw unreadable(
      'it is an .xls workbook or is locked with a password',
      'save it as .xlsx, without a password',
    );
  try {
    const entries = await readEntries(bytes);
    refuseOthers(entries);
    const book = await readBook(entries);
    const { sheet, others } = chooseSheet(book.sheets, wanted);
    const strings = await readStrings(entries, book.strings);
    const formats = { ...(await readFormats(entries, book.styles)), date1904: book.date1904 };
    const rows = guarded(readRows(entries, sheet, { strings, formats: await formatter(formats) }));
    return { name: sheet.name, others, rows };
  } catch (cause) {
    throw asUsage(cause);
  }
}

/** What the packages throw is about the file; it stays as the cause. */
function asUsage(cause: unknown): Error {
  if (cause instanceof CliError) return cause;
  const { kind, message, hint } = unreadable(
    'it is damaged, or is no .xlsx workbook',
    'open it in a spreadsheet program and save it as .xlsx or CSV',
  );
  return new CliError(kind, message, { hint, cause });
}

async function* guarded(
  rows: AsyncGenerator<readonly WorkbookRow[]>,
): AsyncGenerator<readonly WorkbookRow[]> {
  try {
    yield* rows;
  } catch (cause) {
    throw asUsage(cause);
  }
}

type SheetEntry = { readonly name: string; readonly path: string; readonly isHidden: boolean };
type Book = {
  readonly sheets: readonly SheetEntry[];
  readonly strings: string | undefined;
  readonly styles: string | undefined;
  readonly date1904: boolean;
};

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

async function readBook(entries: Entries): Promise<Book> {
  const targets = new Map<string, string>();
  const found: { strings?: string; styles?: string } = {};
  await readWholePart(entries, 'xl/_rels/workbook.xml.rels', {
    open: ({ name, attributes: { Id = '', Target = '', Type = '' } }) => {
      if (name !== 'Relationship') return;
      const path = Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`;
      targets.set(Id, path);
      if (Type.endsWith('/sharedStrings')) found.strings = path;
      if (Type.endsWith('/styles')) found.styles = path;
    },
  });
  const sheets: SheetEntry[] = [];
  let date1904 = false;
  await readWholePart(entries, 'xl/workbook.xml', {
    open: ({ name, attributes }) => {
      if (name === 'workbookPr') date1904 = isTrue(attributes.date1904);
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key === 'r:id' || key.endsWith(':id'))?.[1] ?? '';
      const isHidden = attributes.state !== undefined && attributes.state !== 'visible';
      sheets.push({ name: attributes.name ?? '', path: targets.get(id) ?? '', isHidden });
    },
  });
  return { sheets, strings: found.strings, styles: found.styles, date1904 };
}

function chooseSheet(sheets: readonly SheetEntry[], wanted: string | undefined) {
  const sheet =
    wanted === undefined
      ? sheets.find(({ isHidden }) => !isHidden)
      : sheets.find(({ name }) => name === wanted);
  const names = sheets.map(({ name, isHidden }) => (isHidden ? `${name} (hidden)` : name));
  if (sheet === undefined)
    throw usageError(
      wanted === undefined
        ? 'the workbook has no sheet that can be seen'
        : `the workbook has no sheet "${wanted}"`,
      `its sheets: ${names.join(', ')}`,
    );
  const hidden = sheets.filter(({ isHidden }) => isHidden);
  if (wanted === undefined && hidden.length > 0)
    throw usageError(
      `the workbook hides ${hidden.length === 1 ? 'its sheet' : 'its sheets'} ${hidden.map(({ name }) => `"${name}"`).join(', ')}`,
      'show them and look at them, or name the sheet that is meant with --sheet',
    );
  if (sheet.isHidden)
    throw usageError(
      `the workbook hides its sheet "${sheet.name}"`,
      'show it in a spreadsheet program, and look at it first',
    );
  return { sheet, others: names.filter((name) => name !== sheet.name) };
}

/** The texts that cells point at. What tells how they are spoken is left out. */
async function readStrings(entries: Entries, path: string | undefined): Promise<readonly string[]> {
  const strings: string[] = [];
  if (path === undefined) return strings;
  const text = textReader();
  await readWholePart(entries, path, {
    open: (tag) => {
      if (tag.name === 'si') text.begin();
      text.open(tag.name);
    },
    text: text.add,
    close: (name) => {
      text.close(name);
      if (name === 'si') strings.push(text.take());
    },
  });
  return strings;
}

/** The number format of each style: a code such as `00000`, or the id of one that every program knows. */
async function readFormats(entries: Entries, path: string | undefined) {
  const codes = new Map<string, string>();
  const styles: string[] = [];
  if (path !== undefined) {
    let isCell = false;
    await readWholePart(entries, path, {
      open: ({ name, attributes }) => {
        if (name === 'numFmt') codes.set(attributes.numFmtId ?? '', attributes.formatCode ?? '');
        else if (name === 'cellXfs') isCell = true;
        else if (name === 'xf' && isCell) styles.push(attributes.numFmtId ?? '0');
      },
      close: (name) => {
        if (name === 'cellXfs') isCell = false;
      },
    });
  }
  return { codes, styles };
}

type Formatter = { readonly show: (digits: string, style: string | undefined) => WorkbookCell };

const DIGITS = new Set(['General', '0', '@', '']);

async function formatter({
  codes,
  styles,
  date1904,
}: {
  readonly codes: ReadonlyMap<string, string>;
  readonly styles: readonly string[];
  readonly date1904: boolean;
}): Promise<Formatter> {
  const isPlain = styles.every((id) => ['0', '1', '49'].includes(id));
  const numfmt = isPlain ? undefined : (await import('numfmt')).default;
  const codeOf = (style: string | undefined): string => {
    const id = styles[Number(style ?? 0)] ?? '0';
    return codes.get(id) ?? numfmt?.getFormatFromId(Number(id)) ?? 'General';
  };
  return {
    show: (digits, style) => {
      const code = codeOf(style);
      // The digits of the file, which General shows rounded: a rounded id is somebody else's.
      if (numfmt === undefined || DIGITS.has(code)) return { text: digits, kind: 'number' };
      const kind = numfmt.isDateFormat(code) ? 'date' : 'number';
      // Days are counted from 1904 in books that an old Macintosh began.
      const value = Number(digits) + (kind === 'date' && date1904 ? 1462 : 0);
      return { text: numfmt.format(code, value, { throws: false }), kind };
    },
  };
}

type Reading = { readonly strings: readonly string[]; readonly formats: Formatter };

async function* readRows(
  entries: Entries,
  { path, name }: SheetEntry,
  { strings, formats }: Reading,
): AsyncGenerator<readonly WorkbookRow[]> {
  let rows: WorkbookRow[] = [];
  let cells: (WorkbookCell | undefined)[] = [];
  let line = 0;
  let column = 0;
  let cell: { type: string; style: string | undefined; value: string } | undefined;
  let isValue = false;
  let isHidden = false;
  const hidden: Hidden = { rows: [], columns: [] };
  const inline = textReader();
  const pieces = readPart(entries, path, {
    open: (tag) => {
      const { attributes } = tag;
      if (tag.name === 'col' && isTrue(attributes.hidden)) hidden.columns.push(attributes);
      if (tag.name === 'row') {
        line = attributes.r === undefined ? line + 1 : Number(attributes.r);
        column = 0;
        cells = [];
        isHidden = isTrue(attributes.hidden);
      } else if (tag.name === 'c') {
        if (attributes.r !== undefined) column = columnOf(attributes.r);
        cell = { type: attributes.t ?? 'n', style: attributes.s, value: '' };
        inline.begin();
      } else if (tag.name === 'v') isValue = true;
      inline.open(tag.name);
    },
    text: (piece) => {
      if (isValue && cell !== undefined) cell.value += piece;
      inline.add(piece);
    },
    close: (tag) => {
      inline.close(tag);
      if (tag === 'v') isValue = false;
      if (tag === 'c' && cell !== undefined) {
        cells[column] = readCell({ ...cell, inline: inline.take() }, { strings, formats });
        column += 1;
        cell = undefined;
      }
      if (tag !== 'row') return;
      rows.push({ line, cells });
      if (isHidden && cells.some((one) => one !== undefined)) hidden.rows.push(line);
    },
  });
  for await (const _ of pieces) {
    if (rows.length > 0) yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
  refuseHidden(hidden, name);
}

/** The number of a column, from 0, of a reference such as `AB12`. */
function columnOf(reference: string): number {
  const [letters = ''] = /^[A-Z]+/.exec(reference) ?? [];
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** A column as people see it above the sheet. */
function letterOf(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest > 0 ? letterOf(rest) : '') + String.fromCharCode(65 + ((column - 1) % 26));
}

type RawCell = {
  readonly type: string;
  readonly style: string | undefined;
  readonly value: string;
  readonly inline: string;
};

function readCell(
  { type, style, value, inline }: RawCell,
  { strings, formats }: Reading,
): WorkbookCell | undefined {
  const text = (shown: string): WorkbookCell | undefined =>
    shown === '' ? undefined : { text: shown, kind: 'text' };
  if (type === 's') return text(strings[Number(value)] ?? '');
  if (type === 'inlineStr') return text(inline);
  if (type === 'str') return text(unescapeText(value));
  if (value === '') return undefined;
  if (type === 'b') return { text: value === '1' ? 'TRUE' : 'FALSE', kind: 'boolean' };
  if (type === 'e') return { text: value, kind: 'error' };
  if (type === 'd') return { text: value, kind: 'date' };
  return formats.show(value, style);
}

type Hidden = { readonly rows: number[]; readonly columns: Readonly<Record<string, string>>[] };

/** What is hidden was not looked at, by whoever made the list or filtered it. */
function refuseHidden({ rows, columns }: Hidden, sheet: string): void {
  const places = [
    ...(rows.length > 0 ? [`${rows.length === 1 ? 'row' : 'rows'} ${someOf(rows.map(String))}`] : []),
    ...(columns.length > 0
      ? [`columns ${someOf(columns.map(({ min, max }) => spanOf(Number(min), Number(max))))}`]
      : []),
  ];
  if (places.length === 0) return;
  throw usageError(
    `sheet "${sheet}" hides ${places.join(' and ')}`,
    'show them and look at them, or copy what is meant into a new sheet',
  );
}

function spanOf(first: number, last: number): string {
  return first === last ? letterOf(first) : `${letterOf(first)} to ${letterOf(last)}`;
}

const MOST_PLACES = 20;

function someOf(places: readonly string[]): string {
  const rest = places.length - MOST_PLACES;
  return places.slice(0, MOST_PLACES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
