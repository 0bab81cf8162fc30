import { usageError } from '../errors.ts';

/** `list`: one id per line. `csv`: cells between commas, semicolons or tabs. `ndjson`: one JSON value per line. */
export type IdFormat = 'list' | 'csv' | 'ndjson';

export type Layout =
  | { readonly format: 'list' | 'ndjson' }
  | { readonly format: 'csv'; readonly delimiter: string };

const delimiters = ['\t', ';', ','] as const;
const headers = new Set(['distinct_id', 'distinct_ids', 'id', 'ids', 'person_id', 'uuid', 'email']);

/** Whether a lone cell is the name of a column and no id. */
export function isHeader(cell: string, column: string | undefined): boolean {
  const name = cell.trim().toLowerCase();
  return headers.has(name) || name === column?.toLowerCase();
}

/**
 * Tells the layout from the first line that is not blank, as far as nobody named the format: an object is NDJSON; a
 * separator outside quotes, or the name of a column alone, is CSV; everything else is a plain list.
 */
export function recognizeLayout(
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
