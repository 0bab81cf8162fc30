export type Format = 'table' | 'json' | 'ndjson' | 'csv' | 'tsv';

/**
 * One column of a list. `key` is a dotted path into the row (`properties.plan`, `distinct_ids.0`) and the header of CSV
 * and TSV; `title` is what tables show instead. An `id` is never shortened. A `number` stands on the right and loses
 * nothing but decimals beyond the second, on a terminal that is too narrow for them. Without a kind, a column that
 * holds nothing but numbers counts as `number`. Of a `prominent` one the others leave as much as they can: it says what
 * a row is.
 */
export type Column = {
  readonly key: string;
  readonly title?: string | undefined;
  readonly kind?: 'id' | 'number' | undefined;
  readonly prominent?: true;
};

/** How rows are to be shown. */
export type Look = {
  readonly format: Format;
  /** What the user asked for with `--columns`: keys or titles of `defaultColumns`, or dotted paths. */
  readonly columns?: readonly string[] | undefined;
  /** What the command shows when nobody asks. CSV and TSV add the other keys of the first page to them. */
  readonly defaultColumns?: readonly Column[] | undefined;
  readonly headers: boolean;
  /** Display cells of the terminal, at least 40. Absent where there is none: then nothing is shortened. */
  readonly width?: number | undefined;
  readonly color: boolean;
  readonly unicode: boolean;
  /** CSV and TSV for spreadsheets: cells that would be run as formulas get an apostrophe, CSV a byte order mark. */
  readonly spreadsheetSafe: boolean;
};

/** Takes text for stderr, without control characters. Warnings matter to whoever uses the data, notes do not. */
export type Note = (text: string, weight: 'note' | 'warning') => void;
