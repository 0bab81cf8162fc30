import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { usageError } from '../errors.ts';
import { isHeader } from './id-format.ts';
import type { IdSink } from './id-sink.ts';
import { longestLine, tooLong } from './split-lines.ts';

type Row = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/** Hands each cell of the column to the sink. The first row of several columns names them, so it is never an id. */
export async function readCsv(texts: AsyncIterable<string>, delimiter: string, sink: IdSink): Promise<void> {
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
    if (isFirst) sink.first(cell, info.lines);
    else sink.id(cell, info.lines);
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
  const parser = parse({
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
