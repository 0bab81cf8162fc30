/** A place in a query, counted from 1, and the words there. */
export type SqlPlace = { readonly line: number; readonly column: number; readonly text: string };

const NEAR = 30;

/** The place in a query that a message of the service names, by line and column or by character; undefined for none. */
export function placeIn(sql: string, message: string): SqlPlace | undefined {
  const lines = sql.split('\n');
  const [, line, column] = /\bline (\d+)(?:,| at)? *(?:column|col|char|:) *(\d+)/i.exec(message) ?? [];
  const found =
    line === undefined ? fromCharacter(sql, message) : { line: Number(line), column: Number(column) };
  if (found === undefined) return undefined;
  const text = lines[found.line - 1];
  if (text === undefined || found.column < 1 || found.column > text.length + 1) return undefined;
  const start = Math.max(0, found.column - 1 - NEAR);
  const before = text.slice(start, found.column - 1);
  const after = text.slice(found.column - 1, found.column - 1 + NEAR);
  return { ...found, text: `${start > 0 ? '...' : ''}${before} >>> ${after === '' ? 'end' : after}` };
}

function fromCharacter(sql: string, message: string): { line: number; column: number } | undefined {
  const [, digits] = /\bat (?:character|position) (\d+)/i.exec(message) ?? [];
  if (digits === undefined || Number(digits) - 1 > sql.length) return undefined;
  const before = sql.slice(0, Number(digits) - 1);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
