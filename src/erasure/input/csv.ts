import { CsvError, parse as parseCsv } from 'csv-parse';
import { firstOf, usageError } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import type { DoubtfulCell, GivenKind } from './checks.ts';
import { longestLine, tooLong } from './text-lines.ts';

/** What is known of an id beside its text. */
export type Taken = {
  readonly own?: (() => JsonObject) | undefined;
  /** What another column of the row holds, of a date its day. Throws a usage error for a column that is not there. */
  readonly cellIn?: (column: string) => string;
  readonly cell?: DoubtfulCell | undefined;
  /** Whether it is the first line of a list, which may be the name of its column. */
  readonly isFirst?: boolean;
};

/** Which column holds the ids, if there are several: that of this name, else what the first of these tests finds. */
export type ColumnChoice = {
  readonly column: string | undefined;
  readonly likely?: readonly ((name: string) => boolean)[] | undefined;
};

/** Where a reader of one format puts what it finds. */
export type IdSink = {
  readonly kind: GivenKind;
} & ColumnChoice & {
    readonly add: (text: string, place: number, taken?: Taken) => void;
    readonly addRagged: (place: number) => void;
    readonly note: (text: string) => void;
    /** Told which sheet of a workbook is read, and which others there are. */
    readonly noteSheet: (name: string, others: readonly string[]) => void;
    readonly header: (column: string) => void;
    /** All names, before one of them is chosen. */
    readonly names?: (names: readonly string[]) => void;
  };

const headers = new Set(['distinct_id', 'distinct_ids', 'id', 'ids', 'person_id', 'uuid', 'email']);

/** Whether a lone cell is the name of a column and no id. */
export function isHeader(cell: string, choice: ColumnChoice): boolean {
  return headers.has(cell.trim().toLowerCase()) || testsOf(choice).some((test) => test(cell));
}

/** What a column may be called, the surest first. */
export function testsOf({ column, likely = [] }: ColumnChoice): readonly ((name: string) => boolean)[] {
  return column === undefined ? likely : [isCalled(column)];
}

/** Whether a name is this one, in any case and without white space around it. */
export function isCalled(column: string): (name: string) => boolean {
  const wanted = column.trim().toLowerCase();
  return (name) => name.trim().toLowerCase() === wanted;
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

/** What a workbook knows of a cell beside its text. */
export type CellKind = { readonly doubtful?: DoubtfulCell | undefined; readonly day?: string | undefined };

/** Takes rows with what is doubtful about each of their cells. Empty ones are skipped. */
export function createRowReader(
  sink: IdSink,
): (row: Row, line: number, cells?: readonly (CellKind | undefined)[]) => void {
  let column: { readonly index: number; readonly width: number } | undefined;
  let header: Row = [];
  let names: Row = [];
  return (row, line, cells) => {
    const isFirst = column === undefined;
    if (row.every(isNoId) || (isFirst && separatorLine.test(row.join('')))) return;
    if (isFirst) sink.names?.(row);
    column ??= { index: findColumn(row, sink), width: row.length };
    const { index } = column;
    const cell = row[index];
    if (cell === undefined || row.length !== column.width) return sink.addRagged(line);
    if (isFirst && (row.length > 1 || isHeader(cell, sink))) {
      sink.header(cell);
      header = row;
      names = nameApart(row);
      return;
    }
    if (isFirst && sink.column !== undefined)
      throw usageError(
        `the input has no column "${sink.column}"`,
        'leave out --column, or remove what stands above the names of the columns',
      );
    const own = () => Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']));
    const cellIn = (name: string) => {
      const at = placeOf(name, header);
      return cells?.[at]?.day ?? row[at] ?? '';
    };
    sink.add(cell, line, { ...(isFirst ? {} : { own }), cellIn, isFirst, cell: cells?.[index]?.doubtful });
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

function findColumn(
  names: readonly string[],
  { column, likely = [], note }: Pick<IdSink, keyof ColumnChoice | 'note'>,
): number {
  if (names.length === 1) return 0;
  if (column === undefined) {
    const found = likely.map((test) => placesOf(test, names)).find(({ length }) => length > 0);
    const [index, another] = found ?? [];
    if (index === undefined || another !== undefined) throw severalColumns(names);
    return index;
  }
  const index = placeOf(column, names);
  const others = placesOf(isCalled(column), names).filter((place) => place !== index);
  const [read, ...beside] = [index, ...others].map((place) => JSON.stringify(names[place]));
  if (beside.length > 0) note(`the column ${read} is read, not ${beside.join(', ')} beside it`);
  return index;
}

function placesOf(isWanted: (name: string) => boolean, names: readonly string[]): readonly number[] {
  return names.flatMap((name, index) => (isWanted(name) ? index : []));
}

/** Where the column of this name stands, in the same case if there is one. Throws a usage error for none or several. */
function placeOf(column: string, names: readonly string[]): number {
  const places = placesOf(isCalled(column), names);
  const exact = places.filter((place) => names[place] === column);
  const found = exact.length > 0 ? exact : places;
  const [index, another] = found;
  if (index === undefined) throw noSuchColumn(column, names);
  if (another !== undefined)
    throw usageError(
      `${found.length} columns of the input are called "${column}"`,
      'rename one of them; nothing was sent',
    );
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

/** `names` are those that there are; none if nothing names them. */
export function noSuchColumn(column: string, names: readonly string[]) {
  const known = names.length === 0 ? undefined : listNames(names);
  return usageError(
    `the input has no column "${column}"`,
    known === undefined ? 'name the columns on a first line' : `give one of its columns: ${known}`,
  );
}

const nameThem =
  'write each id on a line of its own, or name the columns on a first line and choose one with --column';
const mostNames = 20;

/** Not if one is like an address, a number or a hash: a first line of somebody's data is not shown. A year is none. */
export function isShowable(names: readonly string[]): boolean {
  const year = /(?<=^|\p{L} ?)(?:19|20)\d\d(?=$| \p{L})/u;
  return !names.some((name) => /@|\d{4}|[\da-f]{16}/i.test(name.replace(year, '')));
}

function listNames(names: readonly string[]): string | undefined {
  if (!isShowable(names)) return undefined;
  return firstOf(
    names.map((name) => JSON.stringify(name.slice(0, 60))),
    mostNames,
  );
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
