import { platform } from '../../../api/endpoints/platform.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { MOST_ROWS, sqlQuery } from '../../../insights/sql.ts';
import { asObject, isList, type Json, type JsonObject } from '../../../json/kinds.ts';
import { parseText } from '../../../json/parse.ts';

export type Row = readonly Json[];

/** A statement without its limit. */
export type Statement = { readonly sql: string; readonly values: JsonObject };

/** Groups of rows as they come; at the end the last row, and whether there may be more behind it. */
export type Rows = AsyncGenerator<
  readonly Json[],
  { readonly last: Row | undefined; readonly more: boolean }
>;

/**
 * Asks for as many rows of a statement as one answer may have, `after` nothing, and where the answer breaks off after
 * the last row that was handed on. Throws where the service says that it failed, at the end of the answer too.
 */
export async function* runSql(after: (row: Row | undefined) => Statement, context: Context): Rows {
  const client = await context.client();
  const rowOfPlace = (row: Json | undefined) => (row === undefined ? undefined : rowOf(row));
  const input = (row: Json | undefined) => {
    const { sql, values } = after(rowOfPlace(row));
    return { query: sqlQuery({ sql: `${sql} LIMIT ${MOST_ROWS}`, values }) };
  };
  const { last, rows, envelope } = yield* client.rows(platform.query, input, refuseFailed);
  return { last: rowOfPlace(last), more: rows >= MOST_ROWS || envelope.hasMore === true };
}

/**
 * All rows of a statement in the order of a key, over as many answers as it takes. `after` is what to ask for after a
 * row. Where it is known that nothing comes behind a row whose first column is `last`, it alone, or an answer without
 * rows, is the end.
 */
export async function* allRows(
  after: (row: Row | undefined) => Statement,
  { last, context }: { readonly last?: Json; readonly context: Context },
): AsyncGenerator<readonly Json[]> {
  let row: Row | undefined;
  for (;;) {
    const start = row;
    const end = yield* runSql((own) => after(own ?? start), context);
    const isLast = last !== undefined && end.last?.[0] === last;
    const isOver = !end.more && (last === undefined || end.last === undefined);
    if (isLast || isOver) return;
    if (end.last === undefined || end.last[0] === start?.[0]) throw stuck();
    row = end.last;
  }
}

/** A service that answers what it answered before would go on doing so. */
export function stuck(): CliError {
  return failed('the query did not advance: it answers the same rows');
}

/** The service answers 200 for a query that failed, or that is still to be calculated. */
function refuseFailed({ query_status: status, error }: JsonObject): void {
  const { error: isFailed, error_message: message, complete } = asObject(status) ?? {};
  if (isFailed === true) throw failed(`the query failed: ${String(message ?? 'no reason')}`);
  if (complete === false) throw failed('the query is still running');
  if (typeof error === 'string' && error !== '') throw failed(`the query failed: ${error}`);
}

/** Throws for anything else than a row. */
export function rowOf(row: Json): Row {
  if (isList(row)) return row;
  throw failed('the query answered without rows');
}

function failed(message: string): CliError {
  return new CliError('unavailable', message, { hint: 'try again later' });
}

/** What may be a number with digits that a plain one would lose. */
export const LARGE_NUMBER = /\d{16}|\de[+-]?\d{3}/i;

/** Properties are JSON in a text, each number with its own digits where a plain one would lose some. */
export async function readProperties(value: Json | undefined, context: Context): Promise<Json> {
  if (typeof value !== 'string') return value ?? {};
  try {
    return LARGE_NUMBER.test(value) ? await context.files.parseJson(value) : parseText(value);
  } catch {
    // Whatever the service keeps there is exported as it is.
    return value;
  }
}
