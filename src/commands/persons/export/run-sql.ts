import { platform } from '../../../api/endpoints/platform.ts';
import type { Json, JsonObject } from '../../../api/json.ts';
import { asObject } from '../../../api/json-kinds.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';

import { MOST_ROWS, sqlQuery } from '../../../queries/sql-query.ts';

export type Row = readonly Json[];

/**
 * Runs a statement and returns its rows, which may be many: they are parsed as pages are. Throws where the service says
 * that it failed, or answers with anything else.
 */
export async function runSql(sql: string, values: JsonObject, context: Context): Promise<readonly Row[]> {
  const client = await context.client();
  const query = sqlQuery({ sql: `${sql} LIMIT ${MOST_ROWS}`, values });
  const { bytes } = await client.raw(platform.query, { query });
  const answer = asObject(await parse(Buffer.from(bytes).toString('utf8'), context));
  const status = asObject(answer?.query_status);
  if (status?.error === true)
    throw failed(`the query failed: ${String(status.error_message ?? 'no reason')}`);
  const rows = answer?.results;
  if (isRows(rows)) return rows;
  throw failed('the query answered without rows');
}

async function parse(text: string, context: Context): Promise<Json> {
  try {
    return await context.files.parsePage(text);
  } catch (cause) {
    throw failed('the answer to the query is broken JSON', cause);
  }
}

function failed(message: string, cause?: unknown): CliError {
  return new CliError('unavailable', message, { hint: 'try again later', cause });
}

function isRows(value: Json | undefined): value is readonly Row[] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}

const LARGE_NUMBER = /\d{16}|\de[+-]?\d{3}/i;

/** Properties are JSON in a text, each number with its own digits where a plain one would lose some. */
export async function readProperties(value: Json | undefined, context: Context): Promise<Json> {
  if (typeof value !== 'string') return value ?? {};
  try {
    return LARGE_NUMBER.test(value) ? await context.files.parseJson(value) : JSON.parse(value);
  } catch {
    // Whatever the service keeps there is exported as it is.
    return value;
  }
}
