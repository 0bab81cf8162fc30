import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { sqlQuery } from '../../../insights/sql.ts';
import { asObject, isList, isTooDeep, type Json, type JsonObject } from '../../../json/kinds.ts';
import { parsePageText } from '../../../json/parse.ts';
import { platform } from '../../../service/platform.ts';

export type Row = readonly Json[];

/** A statement without its limit. */
export type Statement = { readonly sql: string; readonly values: JsonObject };

/** So many rows are some 3 MB, and a million persons take 800 requests. */
export const STRETCH = 2500;

/** `more`: there may be rows behind these. */
export type Rows = { readonly rows: readonly Row[]; readonly more: boolean };

/** The first rows of a statement. Throws if the service says that it failed. */
export async function readRows({ sql, values }: Statement, context: Context): Promise<Rows> {
  const client = await context.client();
  const query = sqlQuery({ sql: `${sql} LIMIT ${STRETCH}`, values });
  const { results, ...envelope } = asObject(await client.call(platform.query, { query })) ?? {};
  refuseFailed(envelope);
  if (!isList(results)) throw failed('the query answered without rows');
  return { rows: results.map(rowOf), more: results.length >= STRETCH || envelope.hasMore === true };
}

type Reading = {
  /** What to ask for after a row; at first after none. */
  readonly after: (row: Row | undefined) => Statement;
  /** If it is known, the first column of the last row: only it, or an answer without rows, is the end. */
  readonly last?: Json;
};

/** All rows of a statement in the order of a key, over as many answers as it takes. */
export async function* allRows({ after, last }: Reading, context: Context): AsyncGenerator<readonly Row[]> {
  let row: Row | undefined;
  for (;;) {
    const { rows, more } = await readRows(after(row), context);
    yield rows;
    const end = rows.at(-1);
    const isLast = last !== undefined && end?.[0] === last;
    if (isLast || (!more && (last === undefined || end === undefined))) return;
    if (end === undefined || end[0] === row?.[0]) throw stuck();
    row = end;
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

function rowOf(row: Json): Row {
  if (isList(row)) return row;
  throw failed('the query answered without rows');
}

function failed(message: string): CliError {
  return new CliError('unavailable', message, { hint: 'try again later' });
}

/** Properties are JSON in a text. What is no JSON, or too deep to be written again, stays the text that it is. */
export function readProperties(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? {};
  try {
    const properties = parsePageText(value);
    return isTooDeep(properties) ? value : properties;
  } catch {
    return value;
  }
}
