export type MarkdownRow = { readonly [column: string]: string };

function cells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1'));
}

/** The rows of the table that stands first below a heading, keyed by column name. Code marks around a cell are dropped. */
export function readTable(markdown: string, heading: string): readonly MarkdownRow[] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  const first = lines.findIndex((line, index) => index > start && line.startsWith('|'));
  if (start < 0 || first < 0) {
    throw new Error(`there is no table below the heading ${heading}`);
  }
  const table = lines.slice(first);
  const end = table.findIndex((line) => !line.startsWith('|'));
  const [columns = '', , ...rows] = end < 0 ? table : table.slice(0, end);
  return rows.map((row) =>
    Object.fromEntries(cells(columns).map((column, index) => [column, cells(row)[index] ?? ''])),
  );
}
