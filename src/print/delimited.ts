import { CliError } from '../errors.ts';
import type { Column, Json } from '../json/kinds.ts';
import { dataText } from '../json/write.ts';
import { inChunks } from '../system/text.ts';
import { createColumnReader, type Note, named, type OutputFormat } from './columns.ts';

type Cells = readonly (string | null)[];

/**
 * CSV (RFC 4180, LF) or TSV. In CSV null is an empty cell and an empty text is `""`; in TSV both are empty, and tab,
 * line breaks and backslash are written `\t`, `\n`, `\r`, `\\`, so that a row is a line. Nested values are JSON texts.
 * Throws a `partial` error at the end if keys that no column shows had to be left out.
 */
export async function* delimitedRows(
  pages: AsyncIterable<readonly Json[]>,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<string> {
  const record = outputFormat.format === 'tsv' ? tsvRecord : csvRecord;
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  const cells = createCells(outputFormat, note);
  let started = false;
  for await (const page of pages) {
    if (page.length === 0) continue;
    if (started) reader.watch(page);
    else yield heading(reader.columns(page), outputFormat, cells.ofText);
    started = true;
    yield* inChunks(records(page, (row) => record(reader.read(row).map(cells.of))));
  }
  if (!started) yield heading(reader.columns([]), outputFormat, cells.ofText);
  reader.finish();
  cells.finish();
  if (reader.late().length > 0) throw withoutKeys(reader.late(), outputFormat);
}

function* records(page: readonly Json[], write: (row: Json) => string): Generator<string> {
  for (const row of page) yield write(row);
}

function heading(
  columns: readonly Column[],
  outputFormat: OutputFormat,
  ofText: (text: string) => string,
): string {
  const mark = outputFormat.format === 'csv' && outputFormat.spreadsheetSafe ? '\uFEFF' : '';
  if (!outputFormat.headers || columns.length === 0) return mark;
  const names = columns.map(({ key }, index) => ofText(outputFormat.columns?.[index] ?? key));
  return mark + (outputFormat.format === 'tsv' ? tsvRecord(names) : csvRecord(names));
}

/** The header is written by then, and people miss the warnings of a nightly job. */
function withoutKeys(keys: readonly string[], { format }: OutputFormat): CliError {
  return new CliError('partial', `this ${format.toUpperCase()} lacks the ${named('key', keys)}`, {
    hint: 'name the columns with --columns, or use --output ndjson',
  });
}

/**
 * Quoted besides what RFC 4180 asks for: empty text, which is not null; outer white space, which some readers drop; a
 * leading U+FEFF, which would pass for a byte order mark; and a lone carriage return, which some take for an end.
 */
const QUOTABLE = /[",\n\r]|^\s|\s$|^$/;

function csvRecord(cells: Cells): string {
  // A record of one empty cell would be an empty line, which readers skip.
  if (cells.length === 1 && cells[0] === null) return '""\n';
  let record = '';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) record += ',';
    if (cell !== null) record += QUOTABLE.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  }
  return `${record}\n`;
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function tsvRecord(cells: Cells): string {
  const texts = cells.map((cell) =>
    (cell ?? '').replace(/[\t\n\r\\]/g, (character) => TSV_ESCAPES[character] ?? character),
  );
  return `${texts.join('\t')}\n`;
}

/** What makes a spreadsheet run a cell: the ASCII signs, their full-width forms, and white space it skips first. */
const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;

const PLAIN_NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Text for cells. With `--spreadsheet-safe` text that a spreadsheet would run gets a leading apostrophe. Without it
 * each cell keeps its exact bytes, so that ids can be fed back, and a warning at the end says how many to beware of.
 * Half of a character cannot be written in UTF-8, so U+FFFD stands in its place, and another warning says how often.
 */
function createCells({ spreadsheetSafe }: OutputFormat, note: Note) {
  let formulas = 0;
  let halves = 0;
  const ofText = (text: string): string => {
    if (!FORMULA.test(text) || PLAIN_NUMBER.test(text)) return text;
    formulas += 1;
    return spreadsheetSafe ? `'${text}` : text;
  };
  return {
    ofText,
    of: (value: Json | undefined): string | null => {
      if (typeof value !== 'string') return dataText(value);
      if (!value.isWellFormed()) halves += 1;
      return ofText(value);
    },
    finish: (): void => {
      if (formulas > 0 && !spreadsheetSafe) note(formulaWarning(formulas), 'warning');
      if (halves > 0) note(halfWarning(halves), 'warning');
    },
  };
}

function formulaWarning(count: number): string {
  const cells =
    count === 1
      ? '1 text cell looks like a spreadsheet formula'
      : `${count} text cells look like spreadsheet formulas`;
  return `${cells}; use --spreadsheet-safe before opening this in a spreadsheet`;
}

function halfWarning(count: number): string {
  const cells = count === 1 ? '1 text cell holds' : `${count} text cells hold`;
  return `${cells} half of a character, written as U+FFFD; --output ndjson keeps it`;
}
