import { platform } from '../../../api/endpoints/platform.ts';
import type { Json, JsonObject } from '../../../api/json.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { MOST_ROWS, sqlQuery } from '../../../queries/sql-query.ts';

export type Row = readonly Json[];

/** Runs a statement and returns its rows. Throws where the service says that it failed, or answers with anything else. */
export async function runSql(sql: string, values: JsonObject, context: Context): Promise<readonly Row[]> {
  const client = await context.client();
  const query = sqlQuery({ sql: `${sql} LIMIT ${MOST_ROWS}`, values });
  const { results, query_status: status } = await client.call(platform.query, { query });
  if (status?.error === true) {
    const { error_message: message } = status;
    throw new CliError('unavailable', `the query failed${message ? `: ${message}` : ''}`, {
      hint: 'Try again later',
    });
  }
  if (Array.isArray(results) && results.every((row: Json) => Array.isArray(row))) return results;
  throw new CliError('unavailable', 'the query answered without rows', { hint: 'Try again later' });
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
