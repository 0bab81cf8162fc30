import { CliError } from '../errors.ts';
import { type Column, filled, isList, isObject, type Json, readCell } from '../json/kinds.ts';
import { dataText, toJsonText } from '../json/text.ts';
import { escapeControls, inChunks } from '../system/text.ts';
import type { Format } from './formats.ts';

/** Rows of a list (an array, or pages as they arrive), or one record. */
export type Printable =
  | Json
  | AsyncIterable<{ readonly rows: readonly Json[] }>
  | AsyncIterable<readonly Json[]>;

/** Whether it is a list whose pages are still to come. */
export function isPages(data: Printable): data is Exclude<Printable, Json> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

type Pages = AsyncIterable<readonly Json[]>;

/**
 * One JSON array of all rows, written as it comes: indented on a terminal, else a row to a line. When `pages` throws,
 * the array stays open: a document that is cut short must not pass for a whole one.
 */
export async function* jsonRows(
  pages: Pages,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  const [indent, line] = outputFormat.width === undefined ? [0, '\n'] : [2, '\n  '];
  let open = '[';
  function* items(page: readonly Json[]): Generator<string> {
    for (const row of page) {
      const text = toJsonText(pick(row, outputFormat, reader), { indent });
      yield open + line + (indent === 0 ? text : text.replaceAll('\n', line));
      open = ',';
    }
  }
  for await (const page of pages) yield* inChunks(items(page));
  yield open === '[' ? '[]\n' : '\n]\n';
  reader.finish();
}

/** One line of JSON for each row. */
export async function* ndjsonRows(
  pages: Pages,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  function* lines(page: readonly Json[]): Generator<string> {
    for (const row of page) yield `${toJsonText(pick(row, outputFormat, reader))}\n`;
  }
  for await (const page of pages) yield* inChunks(lines(page));
  reader.finish();
}

/** One JSON document for one answer. */
export function* jsonRecord(record: Json, outputFormat: OutputFormat, note: Note): Generator<string> {
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  yield `${toJsonText(pick(record, outputFormat, reader), { indent: 2 })}\n`;
  reader.finish();
}

/** With `--columns` a row becomes an object of just those; what the row lacks stays absent, which is not null. */
function pick(row: Json, outputFormat: OutputFormat, reader: ColumnReader): Json {
  if (outputFormat.columns === undefined) return row;
  const values = reader.read(row);
  return filled(Object.fromEntries(outputFormat.columns.map((name, index) => [name, values[index]])));
}

/** How rows are to be shown. */
export type OutputFormat = {
  readonly format: Format;
  /** What the user asked for with `--columns`: keys or titles of `defaultColumns`, or dotted paths. */
  readonly columns?: readonly string[] | undefined;
  /** What the command shows without `--columns`. CSV and TSV add the other keys of the first page to them. */
  readonly defaultColumns?: readonly Column[] | undefined;
  readonly headers: boolean;
  /** Display cells of the terminal, at least 40. Absent without a terminal: then nothing is shortened. */
  readonly width?: number | undefined;
  readonly color: boolean;
  readonly unicode: boolean;
  /** CSV and TSV for spreadsheets: cells that would be run as formulas get an apostrophe, CSV a byte order mark. */
  readonly spreadsheetSafe: boolean;
};

/** Takes text for stderr, without control characters. Warnings matter to people who use the data, notes do not. */
export type Note = (text: string, weight: 'note' | 'warning') => void;

/** Reads rows into cells, column by column, and tells of what the columns miss. */
export type ColumnReader = {
  /** The columns; settled by the first page that has rows, or known before. Warns, once a key, of keys of later pages that none shows. */
  columns(page: readonly Json[]): readonly Column[];
  /** The cells of one row in the order of the columns; undefined if the row has no such thing. */
  read(row: Json): (Json | undefined)[];
  /** The keys that it warned of. */
  late(): readonly string[];
  /** Warns of columns that were asked for and that no row had. */
  finish(): void;
};

type Settings = Pick<OutputFormat, 'columns' | 'defaultColumns'> & {
  /** Whether the keys of the first page are added to the command's columns. */
  readonly everyKey: boolean;
};

/** Makes a `ColumnReader` for one list. */
export function createColumnReader(settings: Settings, note: Note): ColumnReader {
  let columns: readonly Column[] | undefined;
  let rows = 0;
  const known = new Set<string>();
  const late: string[] = [];
  const missing = new Set(settings.columns ?? []);
  const watched =
    settings.columns === undefined && (settings.everyKey || settings.defaultColumns === undefined);

  const choose = (page: readonly Json[]): readonly Column[] => {
    columns ??= chooseColumns(page, settings);
    return columns;
  };

  return {
    columns(page) {
      if (columns === undefined) {
        for (const { key } of choose(page)) known.add(key);
      } else if (watched) {
        const fresh = newKeys(page, known);
        for (const one of fresh) late.push(one);
        if (fresh.length > 0) note(lateKeys(fresh), 'warning');
      }
      return choose(page);
    },
    late: () => late,
    read(row) {
      rows += 1;
      return choose([row]).map(({ key }, index) => {
        const value = readCell(row, key);
        if (value !== undefined && missing.size > 0) missing.delete(settings.columns?.[index] ?? key);
        return value;
      });
    },
    finish() {
      if (rows === 0 || missing.size === 0) return;
      note(`no row has the ${named('column', [...missing])}`, 'warning');
    },
  };
}

function chooseColumns(
  page: readonly Json[],
  { columns, defaultColumns = [], everyKey }: Settings,
): readonly Column[] {
  if (columns !== undefined) return columns.map((name) => columnNamed(name, defaultColumns));
  if (defaultColumns.length > 0 && !everyKey) return defaultColumns;
  const known = new Set(defaultColumns.map(({ key }) => key));
  return [...defaultColumns, ...newKeys(page, known).map((key) => ({ key }))];
}

/** People type what they see: a column is found by its key, then by its title; anything else is a path. */
function columnNamed(name: string, columns: readonly Column[]): Column {
  const found = columns.find(({ key }) => key === name) ?? columns.find(({ title }) => title === name);
  return found ?? { key: name };
}

function newKeys(page: readonly Json[], known: Set<string>): string[] {
  const fresh: string[] = [];
  for (const row of page) {
    for (const key of keysOf(row)) {
      if (known.has(key)) continue;
      known.add(key);
      fresh.push(key);
    }
  }
  return fresh;
}

function lateKeys(keys: readonly string[]): string {
  const left = `the ${named('column', keys)} appeared after the first page and ${keys.length === 1 ? 'is' : 'are'} left out`;
  return `${left}; list the columns with --columns, or use -o ndjson`;
}

/** The header is written by then, and people miss the warnings of a nightly job. */
export function withoutKeys(keys: readonly string[], { format }: OutputFormat): CliError {
  return new CliError('partial', `this ${format.toUpperCase()} lacks the ${named('column', keys)}`, {
    hint: 'list the columns with --columns, or use -o ndjson',
  });
}

/** Names with their noun. */
function named(noun: string, names: readonly string[]): string {
  const quoted = names.map((name) => `"${escapeControls(name)}"`).join(', ');
  return names.length === 1 ? `${noun} ${quoted}` : `${noun}s ${quoted}`;
}

/** The keys of a row. A row that is a list has positions, a bare value has the one key `value`. */
export function keysOf(row: Json): readonly string[] {
  return isObject(row) || isList(row) ? Object.keys(row) : ['value'];
}

/** A value as tables show it. `items` are the parts of a list, so that a long one can be shortened by whole items. */
export type Cell = { readonly text: string; readonly items?: readonly string[] };

/** Text of a value for people: no control character, lists of plain values as `a, b`, nothing for null. */
export function displayCell(value: Json | undefined): Cell {
  if (isList(value) && value.length > 0 && !value.some((item) => isList(item) || isObject(item))) {
    const items = value.map(itemText);
    return { text: items.join(', '), items };
  }
  return { text: escapeControls(dataText(value) ?? '') };
}

/** In a table of many rows an empty list says nothing; a record keeps it, since null says something else there. */
export function rowCell(value: Json | undefined): Cell {
  return isList(value) && value.length === 0 ? { text: '' } : displayCell(value);
}

/** An item that could be taken for two, or for none, is quoted. */
function itemText(item: Json): string {
  const ambiguous = typeof item !== 'string' || item === '' || /[,"]|^\s|\s$/.test(item);
  return escapeControls(ambiguous ? toJsonText(item) : item);
}

/**
 * The same items, the first of which has been read: what the service refuses is known before anything is printed.
 * Throws what reading it throws.
 */
export async function begun<Item>(reader: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
  const first = await reader.next();
  return (async function* () {
    try {
      if (!first.done) yield first.value;
      yield* reader;
    } finally {
      await reader.return(undefined);
    }
  })();
}

const PAGE = 1000;

/** Rows in pages, as `print` takes them, without holding all. */
export async function* inPages<Row>(rows: Iterable<Row>): AsyncGenerator<readonly Row[]> {
  let page: Row[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}
