import type { Json } from '../api/json.ts';
import { readJson } from './json-text.ts';
import { invalid } from './refusal.ts';
import type { Store } from './store/open-store.ts';
import type { SqlRow } from './store/sql-row.ts';

/** One row of an imported file and where it stands in it. */
export type FileRow = { readonly value: Json; readonly where: string };

/** Each batch costs a look at all distinct ids, so batches are large. */
const BATCH = 20_000;

const LINES = `select line from read_csv($1, delim = '\u0001', quote = '', escape = '', header = false,
  columns = {'line': 'VARCHAR'}, auto_detect = false, max_line_size = 20000000) where line is not null`;
const CSV = `select columns(*)::varchar from read_csv($1, header = true, all_varchar = true)`;
const PARQUET = `select columns(*)::varchar from read_parquet($1)`;

/**
 * Reads an NDJSON, CSV or Parquet file, a batch of rows at a time. In CSV and Parquet the columns `properties` and
 * `distinct_ids` hold JSON. Throws a `Refusal` 400 that names `attr` for a file that cannot be read.
 */
export async function* readRows(store: Store, path: string, attr: string): AsyncIterable<readonly FileRow[]> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) throw invalid(attr, 'Only files of this computer can be read.');
  const { sql, toValue } = formatOf(path, attr);
  let count = 0;
  let batch: FileRow[] = [];
  for await (const rows of refuseUnreadable(store.readFile(sql, path), attr)) {
    for (const row of rows) {
      count += 1;
      const where = `row ${count}`;
      batch.push({ value: parse(() => toValue(row), `${attr}, ${where}`, attr), where });
    }
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type Format = { readonly sql: string; readonly toValue: (row: SqlRow) => Json };

function formatOf(path: string, attr: string): Format {
  if (/\.(ndjson|jsonl|json)$/i.test(path))
    return { sql: LINES, toValue: (row) => readJson(String(row.line)) };
  if (/\.csv$/i.test(path)) return { sql: CSV, toValue: fromColumns };
  if (/\.parquet$/i.test(path)) return { sql: PARQUET, toValue: fromColumns };
  throw invalid(attr, 'The file must end in .ndjson, .jsonl, .csv or .parquet.');
}

function fromColumns(row: SqlRow): Json {
  const fields = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const isJson = name === 'properties' || name === 'distinct_ids';
      return [name, isJson ? readJson(String(value)) : String(value)];
    }),
  );
}

function parse(read: () => Json, where: string, attr: string): Json {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw invalid(attr, `${where} is not JSON: ${cause.message}`);
  }
}

async function* refuseUnreadable(
  batches: AsyncIterable<readonly SqlRow[]>,
  attr: string,
): AsyncIterable<readonly SqlRow[]> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    for (;;) {
      const batch = await nextBatch(iterator, attr);
      if (batch.done === true) return;
      yield batch.value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function nextBatch(iterator: AsyncIterator<readonly SqlRow[]>, attr: string) {
  try {
    return await iterator.next();
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw invalid(attr, `The file cannot be read: ${reason}`);
  }
}
