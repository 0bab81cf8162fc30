import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import { countStatements } from '../semantics/sql.ts';

/** Throws a usage error for several statements. */
export function wantOne(sql: string): void {
  if (countStatements(sql) > 1)
    throw usageError('the query contains several statements', 'run each one separately; nothing was sent');
}

/** Reads a statement as the service does, and sends nothing. Throws a usage error for what the service would refuse. */
export async function checkStatement(
  sql: string | undefined,
  others: object,
  context: Context,
): Promise<void> {
  if (Object.values(others).some((value) => value !== undefined))
    throw usageError('--check takes the query and nothing else', 'leave out the other options');
  if (sql === undefined) throw usageError('<sql> is missing', 'give a query, @file or -');
  wantOne(sql);
  const { findSqlFault } = await import('../semantics/sql-parser.ts');
  const fault = await findSqlFault(sql, context.signal);
  if (fault === undefined) return context.note('The query is SQL of the service; nothing was sent.');
  const { message, at } = fault;
  const place = at === undefined ? undefined : placeIn(sql, `at character ${at + 1}`);
  throw usageError(
    `the service would refuse this query: ${message}`,
    place === undefined ? undefined : `line ${place.line}, column ${place.column}: ${place.text}`,
  );
}

/** A place in a query, counted from 1, and the words there. */
type SqlPlace = { readonly line: number; readonly column: number; readonly text: string };

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
