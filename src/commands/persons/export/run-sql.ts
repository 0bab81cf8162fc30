import { platform } from '../../../api/endpoints/platform.ts';
import type { Json, JsonObject } from '../../../api/json.ts';
import { asObject } from '../../../api/json-kinds.ts';
import { parseText } from '../../../api/parse-text.ts';
import type { Context } from '../../../cli/context.ts';
import type { Results } from '../../../cli/create-files.ts';
import { CliError } from '../../../errors.ts';

import { MOST_ROWS, sqlQuery } from '../../../queries/sql-query.ts';

export type Row = readonly Json[];

/** The rows of an answer, which may be many: they are parsed part by part. */
export type Rows = {
  readonly size: number;
  readonly first: Row | undefined;
  readonly last: Row | undefined;
  readonly parts: () => Iterable<readonly Row[]>;
};

/** Rows in a part: their values take many times the room of their bytes. */
const PART = 1000;

/** Runs a statement. Throws where the service says that it failed, or answers with anything else than rows. */
export async function runSql(sql: string, values: JsonObject, context: Context): Promise<Rows> {
  const client = await context.client();
  const query = sqlQuery({ sql: `${sql} LIMIT ${MOST_ROWS}`, values });
  const { bytes } = await client.raw(platform.query, { query });
  const { envelope, size, at, batches } = await parse(bytes, context);
  refuseFailed(envelope);
  const edge = (index: number) => (size === 0 ? undefined : rowOf(at(index) ?? null));
  return { size, first: edge(0), last: edge(size - 1), parts: () => inParts(batches()) };
}

function* inParts(batches: Iterable<readonly Json[]>): Generator<readonly Row[]> {
  let part: Row[] = [];
  for (const batch of batches) {
    for (const row of batch) part.push(rowOf(row));
    if (part.length < PART) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

async function parse(bytes: Uint8Array, context: Context): Promise<Results> {
  try {
    return await context.files.parseResults(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) {
      refuseFailed(asObject(await context.files.parseJson(Buffer.from(bytes).toString('utf8'))) ?? {});
      throw failed('the query answered without rows');
    }
    throw failed('the answer to the query is broken JSON', cause);
  }
}

/** The service answers 200 for a query that failed. */
function refuseFailed(envelope: JsonObject): void {
  const status = asObject(envelope.query_status);
  if (status?.error === true)
    throw failed(`the query failed: ${String(status.error_message ?? 'no reason')}`);
}

function rowOf(row: Json): Row {
  if (isList(row)) return row;
  throw failed('the query answered without rows');
}

function isList(value: Json): value is Row {
  return Array.isArray(value);
}

function failed(message: string, cause?: unknown): CliError {
  return new CliError('unavailable', message, { hint: 'try again later', cause });
}

const LARGE_NUMBER = /\d{16}|\de[+-]?\d{3}/i;

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
