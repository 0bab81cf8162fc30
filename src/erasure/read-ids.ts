import { pipeline } from 'node:stream';
import { CsvError, parse as parseCsv } from 'csv-parse';
import { CliError, usageError } from '../errors.ts';
import { parseText } from '../json/parse.ts';
import { createIdCollector, type IdCollector, type IdList } from './collect-ids.ts';
import { decodeText, longestLine, peekFirstLine, splitLines, tooLong } from './id-text.ts';
import type { IdKind } from './ids.ts';
import { raceAbort } from './stopping.ts';

export type IdReading = {
  readonly kind: IdKind;
  /** The column that holds the ids, where there are several. */
  readonly column?: string | undefined;
  /** Told from the first line if absent. */
  readonly format?: IdFormat | undefined;
  /** Whether distinct ids that look damaged are taken as they stand; if absent, they are. */
  readonly allowSuspicious?: boolean | undefined;
  /** What messages call the input. */
  readonly name?: string | undefined;
  /** Ends the reading, also while nothing comes. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads ids from a file or a pipe: plain list, CSV or NDJSON, in UTF-8 or in UTF-16 with a mark. Distinct ids keep every
 * byte, white space at their ends included; blank lines are skipped, repeats counted, in memory that grows by the ids
 * alone. Throws a usage error for an invalid encoding before any other, and names the line of what is no id.
 */
export async function readIds(chunks: AsyncIterable<Uint8Array>, reading: IdReading): Promise<IdList> {
  const { kind, allowSuspicious = true, name = 'the input' } = reading;
  const collector = createIdCollector(kind, { allowSuspicious, places: 'line', name });
  const decoded = decodeText(reading.signal === undefined ? chunks : untilAborted(chunks, reading.signal));
  const { line, texts } = await peekFirstLine(keepOpen(decoded));
  const layout = recognizeLayout(line, reading);
  try {
    await readTexts(texts, layout, { reading, collector });
  } catch (error) {
    // Text in the wrong encoding explains most other errors, so more is decoded before one of them is reported.
    let more = 0;
    for await (const text of decoded) {
      more += text.length;
      if (more > mostToDecode) break;
    }
    throw error;
  }
  return collector.finish();
}

/** Characters that are decoded after an error. */
const mostToDecode = 1 << 24;

/** Ends with the chunks, or throws at once when a signal asks to stop: nothing was sent by then. */
async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await raceAbort(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw signal.aborted ? new CliError('interrupted', 'interrupted, nothing was sent') : error;
  } finally {
    // Not waited for: it may still be reading from a pipe to which nobody writes.
    iterator.return?.()?.catch(() => undefined);
  }
}

/** Where a reader of one format puts what it finds. */
type IdSink = IdCollector & { readonly column: string | undefined };

async function readTexts(
  texts: AsyncGenerator<string>,
  layout: Layout,
  { reading, collector }: { readonly reading: IdReading; readonly collector: IdCollector },
): Promise<void> {
  const sink: IdSink = { ...collector, column: reading.column };
  if (layout.format === 'csv') await readCsv(texts, layout.delimiter, sink);
  else if (layout.format === 'ndjson') await readJsonLines(texts, sink);
  else await readList(texts, sink);
}

/** Readers that stop early would end the decoder, which has to check the rest. */
async function* keepOpen(texts: AsyncGenerator<string>): AsyncGenerator<string> {
  for (let next = await texts.next(); next.done !== true; next = await texts.next()) yield next.value;
}

async function readList(texts: AsyncIterable<string>, sink: IdSink): Promise<void> {
  let number = 0;
  let isFirst = true;
  for await (const lines of splitLines(texts)) {
    for (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      if (isFirst && isHeader(line, sink.column)) sink.header(line.trim());
      else if (isFirst && sink.column !== undefined) throw noColumns(sink.column);
      else if (isFirst) sink.addFirst(line, number);
      else sink.add(line, number);
      isFirst = false;
    }
  }
}

function noColumns(column: string) {
  return usageError(`the input is a plain list, so it has no column "${column}"`, 'leave --column out');
}

/** `list`: one id per line. `csv`: cells between commas, semicolons or tabs. `ndjson`: one JSON value per line. */
export type IdFormat = 'list' | 'csv' | 'ndjson';

type Layout = { readonly format: 'list' | 'ndjson' } | { readonly format: 'csv'; readonly delimiter: string };

const delimiters = ['\t', ';', ','] as const;
const headers = new Set(['distinct_id', 'distinct_ids', 'id', 'ids', 'person_id', 'uuid', 'email']);

/** Whether a lone cell is the name of a column and no id. */
function isHeader(cell: string, column: string | undefined): boolean {
  const name = cell.trim().toLowerCase();
  return headers.has(name) || name === column?.toLowerCase();
}

/**
 * Tells the layout from the first line that is not blank, as far as nobody named the format: an object is NDJSON; a
 * separator outside quotes, or the name of a column alone, is CSV; everything else is a plain list.
 */
function recognizeLayout(
  line: string,
  { format, column }: { readonly format?: IdFormat | undefined; readonly column?: string | undefined },
): Layout {
  const known = format ?? recognizeFormat(line, column);
  return known === 'csv'
    ? { format: known, delimiter: findDelimiter(line, column) ?? ',' }
    : { format: known };
}

function recognizeFormat(line: string, column: string | undefined): IdFormat {
  if (line.startsWith('{')) return 'ndjson';
  if (line.startsWith('[')) {
    throw usageError(
      'the input looks like a JSON array, which is not read',
      'give one id, or one JSON object, per line',
    );
  }
  const isNamed = splitCells(line, '\n').some((cell) => isHeader(cell, column));
  return findDelimiter(line, column) !== undefined || isNamed ? 'csv' : 'list';
}

function findDelimiter(line: string, column: string | undefined): string | undefined {
  const splits = delimiters
    .map((delimiter) => ({ delimiter, cells: splitCells(line, delimiter) }))
    .filter(({ cells }) => cells.length > 1);
  const named = splits.find(({ cells }) => column !== undefined && cells.includes(column));
  const most = Math.max(...splits.map(({ cells }) => cells.length));
  return (named ?? splits.find(({ cells }) => cells.length === most))?.delimiter;
}

function splitCells(line: string, delimiter: string): readonly string[] {
  const cells = [''];
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === delimiter && !quoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}

type Row = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/** Hands each cell of the column to the sink. The first row of several columns names them, so it is never an id. */
async function readCsv(texts: AsyncIterable<string>, delimiter: string, sink: IdSink): Promise<void> {
  let column: { readonly index: number; readonly width: number } | undefined;
  for await (const { record, info } of parseRows(texts, delimiter)) {
    const isFirst = column === undefined;
    column ??= { index: findColumn(record, sink.column), width: record.length };
    const cell = record[column.index];
    if (cell === undefined || record.length !== column.width) {
      throw raggedRow(info.lines, record.length, column.width);
    }
    if (isFirst && (record.length > 1 || isHeader(cell, sink.column))) {
      sink.header(cell);
      continue;
    }
    if (isFirst && sink.column !== undefined) throw noSuchColumn(sink.column, record);
    if (isFirst) sink.addFirst(cell, info.lines);
    else sink.add(cell, info.lines);
  }
}

function findColumn(names: readonly string[], column: string | undefined): number {
  if (names.length === 1) return 0;
  if (column === undefined) throw severalColumns(names);
  const exact = positionsOf(names, (name) => name === column);
  const places =
    exact.length > 0
      ? exact
      : positionsOf(names, (name) => name.trim().toLowerCase() === column.toLowerCase());
  const [index, another] = places;
  if (index === undefined) throw noSuchColumn(column, names);
  if (another !== undefined) {
    throw usageError(
      `${places.length} columns of the input are called "${column}", and which one holds the ids is not guessed`,
      'rename one of them; nothing was sent',
    );
  }
  return index;
}

function positionsOf(names: readonly string[], isWanted: (name: string) => boolean): readonly number[] {
  return names.flatMap((name, index) => (isWanted(name) ? index : []));
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
  if (names.length === 1) return usageError(message, 'it has one column without that name');
  const known = listNames(names);
  return usageError(message, known === undefined ? nameThem : `its columns are ${known}`);
}

function raggedRow(line: number, cells: number, width: number) {
  const hint =
    width === 1
      ? 'put double quotes around an id that holds the separator'
      : 'correct the line; nothing was sent';
  return usageError(
    `the row that ends on line ${line} has ${cells} cells where the first row has ${width}`,
    hint,
  );
}

const nameThem =
  'put a line with the names of the columns before it, and name the one that holds the ids with --column';

/** Nothing where one is like an address, a number or a hash: a first line of somebody's data is not shown. */
function listNames(names: readonly string[]): string | undefined {
  if (names.some((name) => /@|\d{4}|[\da-f]{16}/i.test(name))) return undefined;
  return names.map((name) => `"${name}"`).join(', ');
}

async function* parseRows(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<Row> {
  const parser = parseCsv({
    delimiter,
    info: true,
    max_record_size: longestLine,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  });
  // The pipeline hands a failure of the source to the parser, whose reader below throws it.
  pipeline(texts, parser, () => undefined);
  try {
    // Cast: with `info` each row of the parser is a record and its place.
    for await (const row of parser as AsyncIterable<Row>) yield row;
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    if (cause.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(`the row near line ${String(cause.lines)}`);
    const problem =
      cause.code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is never closed' : 'a quote stands where none may';
    throw usageError(
      `the CSV cannot be read near line ${String(cause.lines)}: ${problem}`,
      'a cell with quotes stands in quotes, with each of its own quotes doubled',
    );
  }
}

/** Hands the id, or the list of ids, of each line to the sink: a JSON string, or an object's field. */
async function readJsonLines(texts: AsyncIterable<string>, sink: IdSink): Promise<void> {
  let number = 0;
  for await (const lines of splitLines(texts)) {
    for (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      for (const id of readLine(line, number, sink)) sink.add(id, number);
    }
  }
}

function readLine(line: string, number: number, sink: IdSink): readonly string[] {
  const value = parse(line, number);
  const cell = isObject(value) ? pick(value, number, sink.column) : value;
  const cells: readonly unknown[] = Array.isArray(cell) && isObject(value) ? cell : [cell];
  // Like an empty cell of a CSV: somebody was meant.
  if (cells.length === 0) return [''];
  return cells.map((one) => toId(one, number, sink));
}

function parse(line: string, number: number): unknown {
  try {
    return parseText(line);
  } catch (cause) {
    // The parser's own message quotes the line, which holds personal data.
    if (cause instanceof SyntaxError)
      throw usageError(
        `line ${number} is not JSON`,
        'give one JSON value per line; where these are ids that begin with {, put a line with distinct_id first',
      );
    throw cause;
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pick(
  value: { readonly [name: string]: unknown },
  number: number,
  column: string | undefined,
): unknown {
  const names = Object.keys(value);
  const name = column ?? (names.length === 1 ? names[0] : undefined);
  const known = names.map((one) => `"${one}"`).join(', ');
  if (name === undefined) {
    throw usageError(
      `the objects of the input have ${names.length} fields: ${known}`,
      'name the one that holds the ids with --column',
    );
  }
  if (!Object.hasOwn(value, name))
    throw usageError(`line ${number} has no field "${name}"`, `its fields are ${known}`);
  return value[name];
}

function toId(value: unknown, number: number, sink: IdSink): string {
  if (typeof value === 'string') return value;
  if (sink.kind === 'ids' && Number.isSafeInteger(value)) return String(value);
  // A JSON number has no leading zeros and may lose digits, so as a distinct id it may be somebody else's.
  throw usageError(
    `line ${number} holds no text where the id should be`,
    sink.kind === 'ids'
      ? 'person ids are integers or UUIDs'
      : 'distinct ids are JSON strings, in double quotes',
  );
}
