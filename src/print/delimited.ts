import { stringify } from 'csv-stringify/sync';
import type { Column, Json } from '../json/kinds.ts';
import { dataText } from '../json/text.ts';
import { createColumnReader, type Note, type OutputFormat, withoutKeys } from './rows.ts';

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
  const write = outputFormat.format === 'tsv' ? tsvRecords : csvRecords;
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  const cells = createCells(outputFormat, note);
  let started = false;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const columns = reader.columns(page);
    if (!started) yield heading(columns, outputFormat, cells.ofText);
    started = true;
    for (let from = 0; from < page.length; from += ROWS_AT_ONCE)
      yield write(page.slice(from, from + ROWS_AT_ONCE).map((row) => reader.read(row).map(cells.of)));
  }
  if (!started) yield heading(reader.columns([]), outputFormat, cells.ofText);
  reader.finish();
  cells.finish();
  if (reader.late().length > 0) throw withoutKeys(reader.late(), outputFormat);
}

/** Memory for whole pages would be requested each time, which takes twice as long. */
const ROWS_AT_ONCE = 100;

function heading(
  columns: readonly Column[],
  outputFormat: OutputFormat,
  ofText: (text: string) => string,
): string {
  const mark = outputFormat.format === 'csv' && outputFormat.spreadsheetSafe ? '\uFEFF' : '';
  if (!outputFormat.headers || columns.length === 0) return mark;
  const names = columns.map(({ key }, index) => ofText(outputFormat.columns?.[index] ?? key));
  return mark + (outputFormat.format === 'tsv' ? tsvRecords([names]) : csvRecords([names]));
}

/**
 * Quoted besides what RFC 4180 asks for: empty text, which is not null; outer white space, which some readers drop; and
 * a leading U+FEFF, which would pass for a byte order mark. The package quotes a lone carriage return by itself.
 */
const OPTIONS = { quoted_match: /^\s|\s$|^$/ };

function csvRecords(rows: readonly Cells[]): string {
  // A record of one empty cell would be an empty line, which readers skip.
  return stringify(
    rows.map((cells) => (cells.length === 1 ? [cells[0] ?? ''] : cells)),
    OPTIONS,
  );
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function tsvRecords(rows: readonly Cells[]): string {
  const escapeCell = (cell: string | null) =>
    (cell ?? '').replace(/[\t\n\r\\]/g, (character) => TSV_ESCAPES[character] ?? character);
  return rows.map((cells) => `${cells.map(escapeCell).join('\t')}\n`).join('');
}

/** What makes a spreadsheet run a cell: the ASCII signs, their full-width forms, and white space it skips first. */
const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;

const PLAIN_NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/**
 * What a spreadsheet makes another text of: it drops zeros in front and digits beyond the fifteenth, and takes `12E5`,
 * `1-3`, `1:30`, `MAR1` and `true` for a number, a date, a time and a word of its own. A date with its year stays one.
 */
const CHANGED = new RegExp(
  [
    '^[+-]?0\\d',
    '^\\+\\d',
    '^[+-]?\\d{16}',
    '^[+-]?\\d+(?:\\.\\d*)?[eE][+-]?\\d+$',
    '^[+-]?\\d*\\.\\d*0$',
    '^\\d{1,4}[-/]\\d{1,2}$',
    '^\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}$',
    '^\\d{1,4}:\\d{2}(?::\\d{2})?$',
    '^(?:\\d{1,2}[- ]?)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[- ]?\\d{0,4}$',
    '^(?:true|false)$',
  ].join('|'),
  'i',
);

/** A spreadsheet cuts a cell after so many characters. */
const LONGEST_CELL = 32_767;

/**
 * Text for cells. With `--spreadsheet-safe` text that a spreadsheet would run, or make another of, gets a leading
 * apostrophe. Without it each cell keeps its exact bytes, so that ids can be fed back, and a warning at the end says how
 * many to beware of. Half of a character cannot be written in UTF-8, so U+FFFD stands in its place, and NUL ends a cell
 * for some readers, so it is written as an escape; warnings say how often.
 */
function createCells({ spreadsheetSafe }: OutputFormat, note: Note) {
  let formulas = 0;
  let [halves, zeros, long] = [0, 0, 0];
  const ofText = (text: string): string => {
    if (spreadsheetSafe && text.length > LONGEST_CELL) long += 1;
    if (spreadsheetSafe && CHANGED.test(text)) return `'${text}`;
    if (!FORMULA.test(text) || PLAIN_NUMBER.test(text)) return text;
    formulas += 1;
    return spreadsheetSafe ? `'${text}` : text;
  };
  const withoutNul = (text: string): string => {
    if (!text.includes('\0')) return text;
    zeros += 1;
    return text.replaceAll('\0', '\\u0000');
  };
  return {
    ofText,
    of: (value: Json | undefined): string | null => {
      if (typeof value !== 'string') return dataText(value);
      if (!value.isWellFormed()) halves += 1;
      return ofText(withoutNul(value));
    },
    finish: (): void => {
      if (formulas > 0 && !spreadsheetSafe) note(formulaWarning(formulas), 'warning');
      if (halves > 0) note(halfWarning(halves), 'warning');
      if (zeros > 0) note(`${cells(zeros)} NUL, written as \\u0000; -o ndjson keeps it as it is`, 'warning');
      if (long > 0)
        note(`${cells(long)} more characters than a spreadsheet keeps in one, which is 32,767`, 'warning');
    },
  };
}

function formulaWarning(count: number): string {
  const cells =
    count === 1
      ? '1 text cell looks like a spreadsheet formula'
      : `${count} text cells look like spreadsheet formulas`;
  return `${cells}; add --spreadsheet-safe before you open this in a spreadsheet`;
}

function halfWarning(count: number): string {
  return `${cells(count)} half a character, written as U+FFFD; -o ndjson keeps it`;
}

function cells(count: number): string {
  return count === 1 ? '1 text cell contains' : `${count} text cells contain`;
}
