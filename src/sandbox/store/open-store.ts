import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { CliError, usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { parseJson, writeJson } from '../../json/text.ts';
import { lacksPeers } from '../../semantics/sql-parser.ts';
import { makePrivate, refuseIrregular } from '../../system/files.ts';
import {
  appendNumbers,
  appendRows,
  openSession,
  readChunks,
  type Session,
  type SqlRow,
  type SqlValue,
  selectRows,
} from './session.ts';

/**
 * The tables. Properties are kept as the JSON text that came in, so that every number keeps its digits.
 */
export const SCHEMA_VERSION = 6;

const SCHEMA = `create schema store;
  create table store.sandbox (version integer, seed varchar, first_now bigint, now bigint, project json);
  create table store.counters (name varchar, value bigint);
  create table store.persons (id bigint, uuid varchar, properties json, created_at timestamp,
    is_identified boolean);
  create table store.removed_persons (id bigint, uuid varchar);
  create table store.distinct_ids (distinct_id varchar, person_id bigint, place bigint);
  create table store.events (id bigint, event varchar, distinct_id varchar, person_id bigint,
    timestamp timestamp, created_at timestamp, properties json);
  create table store.property_history (person_id bigint, changed_at timestamp, properties json);
  create table store.cohorts (id bigint, name varchar, filters json);
  create table store.cohort_persons (cohort_id bigint, person_id bigint);
  create table store.activity (id bigint, scope varchar, item_id varchar, created_at timestamp, entry json);
  create table store.event_deletions (id bigint, person_id bigint, person_uuid varchar, created_at timestamp,
    due_at timestamp, last_event_id bigint, completed_at timestamp);
  create table store.insights (id bigint, short_id varchar, document json);
  create table store.results (key varchar, calculated_at timestamp, is_outdated boolean, document json);
  create table store.insight_views (insight_id bigint, user_id bigint, viewed_at timestamp);
  create table store.dashboards (id bigint, document json);
  create table store.dashboard_tiles (id bigint, dashboard_id bigint, insight_id bigint)`;

export type Store = Readable & {
  /** Without values it may be several statements. */
  readonly run: (sql: string, values?: readonly SqlValue[]) => Promise<void>;
  /** Adds rows to a table of the `store` schema, values in the table's order, times as moments. */
  readonly append: (table: string, rows: readonly (readonly SqlValue[])[]) => Promise<void>;
  /** Adds rows to a table with one column of doubles. */
  readonly appendNumbers: (table: string, numbers: readonly number[]) => Promise<void>;
  /** Runs `work` so that all of it is kept or none. */
  readonly together: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Reads the rows of a file of persons or events, a batch at a time; every value is text or null. */
  readonly readFile: (sql: string, path: string) => AsyncIterable<readonly SqlRow[]>;
  /** Opens a look at the data as committed now, apart from whatever this store does meanwhile. */
  readonly openSession: () => Promise<Session>;
  readonly close: () => Promise<void>;
};

/** What can be read from: the store itself, or a session. */
export type Readable = Pick<Session, 'rows' | 'chunks' | 'keptRows'>;

type Database = typeof import('@duckdb/node-api');

/**
 * Opens the database, in memory without a file, and makes the tables if there are none.
 * Throws a `CliError` of kind usage without the package, or for a file that is not a sandbox.
 */
export async function openStore(file: string | undefined): Promise<Store & { readonly isNew: boolean }> {
  if (file !== undefined) refuseIrregular(file);
  const database = await loadDatabase();
  const instance = await openInstance(database, file);
  const connection = await instance.connect();
  const store = makeStore(database, connection, instance);
  try {
    const isNew = await prepareTables(store, file);
    // It will hold persons, and the database makes files that others may read.
    if (isNew && file !== undefined) makePrivate(file);
    // The SQL of users runs in this database: nothing outside it may be reached.
    await store.run(LOCKS.join(';\n'));
    return { ...store, isNew };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const LOCKS = [
  'set enable_external_access = false',
  'set allow_community_extensions = false',
  'set autoinstall_known_extensions = false',
  'set autoload_known_extensions = false',
  'set lock_configuration = true',
];

async function loadDatabase(): Promise<Database> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw lacksPeers('the sandbox', '@duckdb/node-api', cause);
  }
}

/**
 * Nothing is written beside the database: what needs more memory fails. Texts that grow lie outside of its limit: with
 * 1,000 MB the process took 1,200 MB at most, with 1,500 MB 2,400 MB. On a busy computer a second thread costs more than
 * it saves: a start takes a fifth longer with it, and a funnel as long.
 */
const SETTINGS = {
  threads: '1',
  storage_compatibility_version: 'latest',
  memory_limit: '1000MB',
  temp_directory: '',
};

/** A file is read part by part. */
const READING = { threads: '2', memory_limit: '500MB', temp_directory: '' };

async function openInstance(database: Database, file: string | undefined): Promise<DuckDBInstance> {
  try {
    return await database.DuckDBInstance.create(file ?? ':memory:', SETTINGS);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new CliError('usage', `cannot open ${file ?? 'the database'}: ${reason}`, {
      hint: 'check that the sandbox made this file, and that no other process uses it',
      cause,
    });
  }
}

async function prepareTables(store: Store, file: string | undefined): Promise<boolean> {
  const select = "select schema_name || '.' || table_name as name from duckdb_tables()";
  const tables = file === undefined ? [] : await store.rows(select);
  if (tables.length === 0) {
    await store.together(() => store.run(SCHEMA));
    return true;
  }
  const known = tables.some(({ name }) => name === 'store.sandbox');
  const [row] = known ? await store.rows('select version from store.sandbox') : [];
  if (row?.version === SCHEMA_VERSION) return false;
  throw usageError(`${file} is not a sandbox of this version`, 'choose a file that does not exist yet');
}

function makeStore(database: Database, connection: DuckDBConnection, instance: DuckDBInstance): Store {
  const kept = new Map<string, ReturnType<Store['keptRows']>>();
  const run: Store['run'] = async (sql, values) => {
    await connection.run(sql, values && [...values]);
    kept.clear();
  };
  return {
    rows: (sql, values) => selectRows(connection, sql, values),
    keptRows: (sql) => {
      const rows = kept.get(sql) ?? selectRows(connection, sql);
      kept.set(sql, rows);
      return rows;
    },
    chunks: (sql, values) => readChunks(connection, sql, values),
    run,
    append: async (table, added) => {
      const appender = await connection.createAppender(table, 'store');
      appendRows(database, appender, added);
      appender.closeSync();
    },
    appendNumbers: async (table, numbers) => {
      const appender = await connection.createAppender(table);
      appendNumbers(database, appender, numbers);
      appender.closeSync();
    },
    together: async (work) => {
      await run('begin');
      try {
        const result = await work();
        await run('commit');
        return result;
      } catch (error) {
        await run('rollback');
        throw error;
      }
    },
    openSession: () => openSession(database, instance),
    readFile: (sql, path) => readOutside(database, sql, path),
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Files are read by a second database in memory, since the first one can reach no files. */
async function* readOutside(database: Database, sql: string, path: string): AsyncIterable<readonly SqlRow[]> {
  const instance = await database.DuckDBInstance.create(':memory:', READING);
  const connection = await instance.connect();
  try {
    const result = await connection.stream(sql, [path]);
    // Statements of content.ts cast every column to VARCHAR.
    for await (const batch of result.yieldRowObjectJs()) yield batch as SqlRow[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The JSON pointer of a property. Pointers take any key, unlike JSON paths. */
export function pointerOf(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A text within SQL, which ends at the first NUL. */
export function quoteText(text: string): string {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' || chr(0) || ')})`;
}

/** How many rows there are in a table, or that meet a condition behind it. */
export async function countRows(
  readable: Readable,
  from: string,
  values: readonly SqlValue[] = [],
): Promise<number> {
  const [row] = await readable.rows(`select count(*) as total from ${from}`, values);
  return Number(integerOf(row, 'total'));
}

/** A list for `in`: a few are compared sooner as they are than as rows. */
export function listedTexts(texts: readonly string[]): string {
  return isShort(texts) ? `(${texts.map(quoteText).join(', ')})` : rowsOfTexts(texts);
}

export function listedNumbers(numbers: readonly (bigint | number)[]): string {
  return isShort(numbers) ? `(${numbers.join(', ')})` : rowsOfNumbers(numbers);
}

/** A list as rows, which is one word to the parser: that takes long over many. */
export function rowsOfTexts(texts: readonly string[]): string {
  return `(select unnest(from_json(${quoteText(writeJson(texts))}, '["VARCHAR"]')))`;
}

export function rowsOfNumbers(numbers: readonly (bigint | number)[]): string {
  return `(select unnest(from_json('[${numbers.join(',')}]', '["BIGINT"]')))`;
}

function isShort({ length }: readonly unknown[]): boolean {
  return length > 0 && length <= 10;
}

/** A text column. */
export function textOf(row: SqlRow | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === 'string' ? value : String(value ?? '');
}

/** A whole number column, whichever integer type it has. */
export function integerOf(row: SqlRow | undefined, column: string): bigint {
  const value = row?.[column];
  return typeof value === 'bigint' ? value : BigInt(Number(value ?? 0));
}

/** A JSON column, digits kept. */
export function jsonOf(row: SqlRow | undefined, column: string): Json {
  const value = row?.[column];
  return typeof value === 'string' ? parseJson(value) : null;
}
