import { CliError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { dataText } from './cell-text.ts';
import { createColumnReader, named } from './column-reader.ts';
import { createFormulaPolicy, type FormulaPolicy } from './formulas.ts';
import { countHalfCharacters } from './half-characters.ts';
import { inChunks } from './in-chunks.ts';
import type { Column, Look, Note } from './look.ts';
import { ordinaryRecord } from './ordinary-record.ts';

type Cells = (string | null)[];
type WriteRecords = (records: readonly Cells[]) => string;

/** Enough records to make the writer's preparations cheap, few enough to keep strings short. */
const batch = 64;

/** A list of CSV or TSV on its way: the heading once, then rows, part by part. */
export type Delimited = {
  /** Settles the columns by the first rows, and gives the heading. */
  begin(rows: readonly Json[]): { readonly columns: readonly Column[]; readonly heading: string };
  /** Warns of keys that no column shows. */
  watch(rows: readonly Json[]): void;
  chunks(rows: readonly Json[]): Iterable<string>;
  /** Says what there is to say at the end. Throws a `partial` error where keys had to be left out. */
  finish(): void;
};

/**
 * CSV (RFC 4180, LF) or TSV. In CSV null is an empty cell and an empty text is `""`; in TSV both are empty, and tab,
 * line breaks and backslash are written `\t`, `\n`, `\r`, `\\`, so that a row is a line. Nested values are JSON texts.
 */
export async function* delimitedRows(
  pages: AsyncIterable<readonly Json[]>,
  look: Look,
  note: Note,
): AsyncGenerator<string> {
  const delimited = await openDelimited(look, note);
  let started = false;
  for await (const page of pages) {
    if (page.length === 0) continue;
    if (started) delimited.watch(page);
    else yield delimited.begin(page).heading;
    started = true;
    yield* delimited.chunks(page);
  }
  if (!started) yield delimited.begin([]).heading;
  delimited.finish();
}

/** For those who have more than parsed rows. */
export async function openDelimited(look: Look, note: Note): Promise<Delimited> {
  const write = look.format === 'tsv' ? writeTsv : await loadCsvWriter();
  const reader = createColumnReader({ ...look, everyKey: true }, note);
  const formulas = createFormulaPolicy({ safe: look.spreadsheetSafe }, note);
  const halves = countHalfCharacters(note);
  const cell = (value: Json | undefined): string | null => {
    if (typeof value !== 'string') return dataText(value);
    halves.watch(value);
    return formulas.apply(value);
  };
  return {
    begin: (rows) => {
      const columns = reader.columns(rows);
      return { columns, heading: heading(columns, { look, formulas, write }) };
    },
    watch: (rows) => reader.watch(rows),
    chunks: (rows) => inChunks(texts(rows, (row) => reader.read(row).map(cell), write)),
    finish: () => {
      reader.finish();
      formulas.finish();
      halves.finish();
      if (reader.late().length > 0) throw withoutKeys(reader.late(), look);
    },
  };
}

/** The header is written by then, and nobody looks at warnings in the morning. */
function withoutKeys(keys: readonly string[], { format }: Look): CliError {
  return new CliError('partial', `this ${format.toUpperCase()} lacks the ${named('key', keys)}`, {
    hint: 'name the columns with --columns, or use --output ndjson',
  });
}

type Heading = { readonly look: Look; readonly formulas: FormulaPolicy; readonly write: WriteRecords };

function heading(columns: readonly Column[], { look, formulas, write }: Heading): string {
  const mark = look.format === 'csv' && look.spreadsheetSafe ? '\uFEFF' : '';
  if (!look.headers || columns.length === 0) return mark;
  const names = columns.map(({ key }, index) => formulas.apply(look.columns?.[index] ?? key));
  return mark + write([names]);
}

function* texts(page: readonly Json[], cells: (row: Json) => Cells, write: WriteRecords): Generator<string> {
  for (let start = 0; start < page.length; start += batch) {
    yield write(page.slice(start, start + batch).map(cells));
  }
}

function writeTsv(records: readonly Cells[]): string {
  return records.map((record) => `${record.map((cell) => escapeTsv(cell ?? '')).join('\t')}\n`).join('');
}

const tsvEscapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function escapeTsv(cell: string): string {
  return cell.replace(/[\t\n\r\\]/g, (character) => tsvEscapes[character] ?? character);
}

async function loadCsvWriter(): Promise<WriteRecords> {
  const { stringify } = await import('csv-stringify/sync');
  // Quoted besides what RFC 4180 asks for: empty text, which is not null, outer white space, which some readers drop,
  // a leading U+FEFF, which would pass for a byte order mark, and a lone carriage return, which some take for an end.
  const options = { record_delimiter: '\n', eof: true, quoted_match: [/^$/, /^\s|\s$/, /^\uFEFF/, /\r/] };
  const write: WriteRecords = (records) => stringify(records.map(visible), options);
  return (records) => records.map((record) => ordinaryRecord(record) ?? write([record])).join('');
}

/** A record of one empty cell would be an empty line, which readers skip. */
function visible(record: Cells): Cells {
  return record.length === 1 && record[0] === null ? [''] : record;
}
