import { CsvError, parse as parseCsv } from 'csv-parse';
import { type CliError, usageError } from '../errors.ts';
import type { IdCollector } from './collect-ids.ts';
import type { DoubtfulCell } from './suspicious-ids.ts';

const saveAsUtf8 = 'save the file as UTF-8 (in a spreadsheet: "CSV UTF-8") and run the command again';

/**
 * Bytes to text: UTF-8 with or without a byte order mark, UTF-16 with one, which is told from the first piece.
 * Throws a usage error that names the encoding when the bytes are not valid in it.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decode: ((bytes?: Uint8Array) => string) | undefined;
  for await (const chunk of chunks) {
    decode ??= createDecoder(chunk);
    const text = decode(chunk);
    if (text !== '') yield text;
  }
  // Nothing is left to give, but half a character at the end is refused.
  decode?.();
}

function createDecoder(head: Uint8Array): (bytes?: Uint8Array) => string {
  const label = recognizeEncoding(head);
  const decoder = new TextDecoder(label, { fatal: true });
  let line = 1;
  // A CR that ends a piece may be the first half of a CRLF.
  let held = '';
  return (bytes) => {
    try {
      const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
      line += countEnds(held + text);
      if (text !== '') held = text.endsWith('\r') ? '\r' : '';
      return text;
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      const at = line + countEnds(held + validStart(bytes ?? new Uint8Array(0), label));
      throw usageError(`line ${at} of the input is not valid ${label.toUpperCase()}`, saveAsUtf8);
    }
  };
}

function countEnds(text: string): number {
  return text.match(/\n|\r(?!\n|$)/g)?.length ?? 0;
}

/** The text of a piece before its first invalid byte; empty if that began in the piece before. */
function validStart(bytes: Uint8Array, label: string): string {
  const start = label === 'utf-8' ? bytes.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0;
  const decoder = new TextDecoder(label, { fatal: true });
  let text = '';
  try {
    for (const byte of bytes.subarray(start)) text += decoder.decode(Uint8Array.of(byte), { stream: true });
  } catch {
    return text;
  }
  return '';
}

function recognizeEncoding(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const mark = markOf(head);
  if (mark === 'fffe0000' || mark === '0000feff') throw notSupported('UTF-32');
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
  if (/^(?:00|..00)/.test(mark)) throw notSupported('UTF-16 without a byte order mark');
  return 'utf-8';
}

function notSupported(encoding: string): CliError {
  return usageError(`the input looks like ${encoding}, which is not supported`, saveAsUtf8);
}

/** Whether bytes begin as a workbook does, in a format that is read or not. */
export function isWorkbook(start: Uint8Array): boolean {
  return markOf(start) === '504b0304' || isOle(start);
}

/** Whether bytes begin as the older workbooks, and those with a password. */
export function isOle(start: Uint8Array): boolean {
  return markOf(start) === 'd0cf11e0';
}

function markOf(start: Uint8Array): string {
  return Buffer.from(start.subarray(0, 4)).toString('hex');
}

/** The first bytes of a file, and the same chunks from their beginning. */
export async function peekBytes(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly chunks: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  // A pipe may deliver them one by one.
  while (head.length < 4) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return { head, chunks: resume(head, iterator) };
}

/** Characters that a line of ids may have: longer ones are no list of ids, and would take memory without end. */
const longestLine = 1 << 20;

/** Characters from which the layout of a file is told, where its first line has so many. */
const longestHead = 1 << 16;

/**
 * Text to lines, as many at a time as a piece of text holds. A line ends with LF, CRLF or a lone CR, as old
 * spreadsheets write it. Throws a usage error for a line of more than 1 MiB.
 */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let open = '';
  let held = '';
  let count = 0;
  for await (const text of texts) {
    // A long line is looked into only once it ends: it may come in many pieces.
    if (held === '' && !/[\r\n]/.test(text)) open += text;
    else {
      const known = open + held + text;
      // A CR at the end may be the first half of a CRLF.
      held = known.endsWith('\r') ? '\r' : '';
      const lines = splitText(held === '' ? known : known.slice(0, -1));
      open = lines.pop() ?? '';
      refuseLong(lines, count);
      count += lines.length;
      if (lines.length > 0) yield lines;
    }
    refuseLong([open], count);
  }
  if (open !== '') yield [open];
}

function refuseLong(lines: readonly string[], before: number): void {
  const at = lines.findIndex(({ length }) => length > longestLine);
  if (at >= 0) throw tooLong(`line ${before + at + 1}`);
}

function tooLong(what: string) {
  return usageError(`${what} has more than 1 MiB`, 'give one id, or one JSON value, per line');
}

/** Most texts hold no CR, and splitting at one character takes a fifth of the time. */
function splitText(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
}

/** The first line that is not blank, or the beginning of a very long one, and the same texts from their beginning. */
export async function peekFirstLine(
  texts: AsyncIterable<string>,
): Promise<{ readonly line: string; readonly texts: AsyncGenerator<string> }> {
  const iterator = texts[Symbol.asyncIterator]();
  let head = '';
  for (;;) {
    const { done = false, value } = await iterator.next();
    if (!done) head += value;
    const start = head.search(/\S/);
    if (start < 0 && head.length > longestLine)
      throw usageError('the input begins with more than 1 MiB of blank lines', 'remove them');
    const rest = start < 0 ? '' : head.slice(start);
    const end = rest.search(/[\r\n]/);
    if (!done && end < 0 && rest.length < longestHead) continue;
    const beginning = Math.max(head.lastIndexOf('\n', start), head.lastIndexOf('\r', start)) + 1;
    const line = head.slice(beginning, end < 0 ? head.length : start + end);
    return { line: rest === '' ? '' : line, texts: resume(head, iterator) };
  }
}

async function* resume<Piece extends string | Uint8Array>(
  head: Piece,
  iterator: AsyncIterator<Piece>,
): AsyncGenerator<Piece> {
  if (head.length > 0) yield head;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}

/** Where a reader of one format puts what it finds. */
export type IdSink = IdCollector & { readonly column: string | undefined };

const headers = new Set(['distinct_id', 'distinct_ids', 'id', 'ids', 'person_id', 'uuid', 'email']);

/** Whether a lone cell is the name of a column and no id. */
export function isHeader(cell: string, column: string | undefined): boolean {
  const name = cell.trim().toLowerCase();
  return headers.has(name) || name === column?.toLowerCase();
}

/** Nothing, or the separators of an empty row. */
export function isNoId(text: string): boolean {
  return /^[\s,;]*$/.test(text);
}

/** Spreadsheets read it from the first line, and some programs write it for them: `sep=;`. */
export const separatorLine = /^"?sep=([^\w"\s]|\t|)"?$/i;

type Row = readonly string[];

/** Hands each cell of the column to the sink. The first row of several columns names them, so it is never an id. */
export async function readCsv(texts: AsyncIterable<string>, delimiter: string, sink: IdSink): Promise<void> {
  const take = createRowReader(sink);
  // Lines are counted here: the parser's own count of each row takes a third of its time.
  let line = 0;
  for await (const rows of parseRows(texts, delimiter)) {
    for (const row of rows) {
      line += 1 + breaksIn(row);
      take(row, line);
    }
  }
}

/** Takes rows with what is doubtful about each of their cells. Empty ones are skipped. */
export function createRowReader(
  sink: IdSink,
): (row: Row, line: number, cells?: readonly (DoubtfulCell | undefined)[]) => void {
  let column: { readonly index: number; readonly width: number } | undefined;
  let names: Row = [];
  return (row, line, cells) => {
    const isFirst = column === undefined;
    if (row.every(isNoId) || (isFirst && separatorLine.test(row.join('')))) return;
    column ??= { index: findColumn(row, sink.column), width: row.length };
    const { index } = column;
    const cell = row[index];
    if (cell === undefined || row.length !== column.width) return sink.addRagged(line);
    if (isFirst && (row.length > 1 || isHeader(cell, sink.column))) {
      sink.header(cell);
      names = nameApart(row);
      return;
    }
    if (isFirst && sink.column !== undefined) throw noSuchColumn(sink.column, row);
    const own = () => Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']));
    sink.add(cell, line, { ...(isFirst ? {} : { own }), isFirst, cell: cells?.[index] });
  };
}

/** Columns of one name are numbered, so that the receipt has all of them. */
function nameApart(names: Row): Row {
  const numbers = new Map<string, number>();
  return names.map((name) => {
    let apart = name;
    let number = numbers.get(name) ?? 1;
    for (; numbers.has(apart); apart = `${name} (${number})`) number += 1;
    numbers.set(name, number).set(apart, 1);
    return apart;
  });
}

/** Line breaks within quotes. */
function breaksIn(row: Row): number {
  return row.reduce((breaks, cell) => breaks + (cell.match(/\r\n?|\n/g)?.length ?? 0), 0);
}

function findColumn(names: readonly string[], column: string | undefined): number {
  if (names.length === 1) return 0;
  if (column === undefined) throw severalColumns(names);
  const positions = (isWanted: (name: string) => boolean) =>
    names.flatMap((name, index) => (isWanted(name) ? index : []));
  const exact = positions((name) => name === column);
  const places =
    exact.length > 0 ? exact : positions((name) => name.trim().toLowerCase() === column.toLowerCase());
  const [index, another] = places;
  if (index === undefined) throw noSuchColumn(column, names);
  if (another !== undefined) {
    throw usageError(
      `${places.length} columns of the input are called "${column}"`,
      'rename one of them; nothing was sent',
    );
  }
  return index;
}

function severalColumns(names: readonly string[]) {
  const known = listNames(names);
  return known === undefined
    ? usageError(`the input has ${names.length} columns, and its first line does not name them`, nameThem)
    : usageError(
        `the input has ${names.length} columns: ${known}`,
        'name the one that holds the ids with --column',
      );
}

function noSuchColumn(column: string, names: readonly string[]) {
  const message = `the input has no column "${column}"`;
  if (names.length === 1) return usageError(message, 'leave out --column: the input has one column');
  const known = listNames(names);
  return usageError(message, known === undefined ? nameThem : `give one of its columns: ${known}`);
}

const nameThem =
  'write each id on a line of its own, or name the columns on a first line and choose one with --column';
const mostNames = 20;

/** Nothing if one is like an address, a number or a hash: a first line of somebody's data is not shown. */
function listNames(names: readonly string[]): string | undefined {
  if (names.some((name) => /@|\d{4}|[\da-f]{16}/i.test(name))) return undefined;
  const shown = names.slice(0, mostNames).map((name) => JSON.stringify(name.slice(0, 60)));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** As many rows at a time as a piece of text holds, empty ones included: a step for each row would take as long again. */
async function* parseRows(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<readonly Row[]> {
  const parser = parseCsv({
    delimiter,
    max_record_size: longestLine,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
  });
  // It is thrown below, and must not end the program before that.
  parser.on('error', () => undefined);
  try {
    for await (const text of texts) {
      parser.write(text);
      yield takeRows(parser);
      if (parser.errored) throw parser.errored;
    }
    parser.end();
    // Cast: without options that say otherwise a row is the list of its cells.
    for await (const row of parser as AsyncIterable<Row>) yield [row];
  } catch (cause) {
    throw cause instanceof CsvError ? toUsage(cause) : cause;
  } finally {
    parser.destroy();
  }
}

function takeRows(parser: { read(): unknown }): readonly Row[] {
  const rows: Row[] = [];
  for (let row = parser.read(); row !== null; row = parser.read()) rows.push(row as Row); // Cast: as above.
  return rows;
}

function toUsage({ code, lines }: CsvError & { readonly lines?: unknown }) {
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(`the row near line ${String(lines)}`);
  const problem =
    code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is never closed' : 'a quote stands in the wrong place';
  return usageError(
    `the CSV cannot be read near line ${String(lines)}: ${problem}`,
    'put a cell that contains quotes in quotes, and double each quote in it',
  );
}
