import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { CliError, usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { parseJson } from '../../json/parse.ts';
import { makePrivate } from '../../system/files.ts';
import { SCHEMA, SCHEMA_VERSION, VIEWS } from './schema.ts';
import { appendRows, openSession, type Session, type SqlRow, type SqlValue } from './session.ts';

export type Store = {
  readonly rows: (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;
  readonly run: (sql: string, values?: readonly SqlValue[]) => Promise<void>;
  /** Adds rows to a table of the `store` schema, values in the table's order, times as moments. */
  readonly append: (table: string, rows: readonly (readonly SqlValue[])[]) => Promise<void>;
  /** Runs `work` so that all of it is kept or none. */
  readonly together: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Reads the rows of a file of persons or events, a batch at a time; every value is text or null. */
  readonly readFile: (sql: string, path: string) => AsyncIterable<readonly SqlRow[]>;
  /** Opens a look at the data as committed now, apart from whatever this store does meanwhile. */
  readonly openSession: () => Promise<Session>;
  readonly close: () => Promise<void>;
};

/** What can be read from: the store itself, or a session. */
export type Readable = Pick<Store, 'rows'>;

type Database = typeof import('@duckdb/node-api');

/**
 * Opens the database, in memory without a file, and makes the tables if there are none.
 * Throws a `CliError` of kind usage without the package, or for a file that is not a sandbox.
 */
export async function openStore(file: string | undefined): Promise<Store & { readonly isNew: boolean }> {
  const database = await loadDatabase();
  const instance = await openInstance(database, file);
  const connection = await instance.connect();
  const store = makeStore(database, connection, instance);
  try {
    const isNew = await prepareTables(store, file);
    // It will hold persons, and the database makes files that others may read.
    if (isNew && file !== undefined) makePrivate(file);
    for (const statement of VIEWS) await store.run(statement);
    // The SQL of users runs in this database: nothing outside it may be reached.
    for (const setting of LOCKS) await store.run(setting);
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
    throw new CliError('usage', 'the sandbox needs the package @duckdb/node-api, which is not installed', {
      hint: 'install it beside hogctl: npm install --global @duckdb/node-api',
      cause,
    });
  }
}

/**
 * Nothing is written beside the database: what needs more memory fails. Texts that grow lie outside of its limit: with
 * 1,000 MB the process took 1,200 MB at most, with 1,500 MB 2,400 MB.
 */
const SETTINGS = {
  threads: '2',
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
      hint: 'one process at a time can use a sandbox file, and it must be one that the sandbox made',
      cause,
    });
  }
}

async function prepareTables(store: Store, file: string | undefined): Promise<boolean> {
  const tables = await store.rows(
    "select table_schema || '.' || table_name as name from information_schema.tables",
  );
  if (tables.length === 0) {
    await store.together(async () => {
      for (const statement of SCHEMA) await store.run(statement);
    });
    return true;
  }
  const known = tables.some(({ name }) => name === 'store.sandbox');
  const [row] = known ? await store.rows('select version from store.sandbox') : [];
  if (row?.version === SCHEMA_VERSION) return false;
  throw usageError(
    `${file ?? 'the database'} is not a sandbox of this version`,
    'name a file that does not exist yet',
  );
}

function makeStore(database: Database, connection: DuckDBConnection, instance: DuckDBInstance): Store {
  const rows: Store['rows'] = async (sql, values = []) => {
    const reader = await connection.runAndReadAll(sql, [...values]);
    // Statements select text, integers, booleans and doubles only, which arrive as these types.
    return reader.getRowObjectsJS() as SqlRow[];
  };
  const run: Store['run'] = async (sql, values = []) => {
    await connection.run(sql, [...values]);
  };
  return {
    rows,
    run,
    append: async (table, added) => {
      const appender = await connection.createAppender(table, 'store');
      appendRows(database, appender, added);
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
    // Statements of read-file.ts cast every column to VARCHAR.
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

/** How many rows there are in a table, or that meet a condition behind it. */
export async function countRows(
  readable: Readable,
  from: string,
  values: readonly SqlValue[] = [],
): Promise<number> {
  const [row] = await readable.rows(`select count(*) as total from ${from}`, values);
  return Number(integerOf(row, 'total'));
}

/** The entries of $1, a list as JSON text, for `in`. */
export const LISTED_TEXTS = `(select unnest(from_json($1, '["VARCHAR"]')))`;

export const LISTED_NUMBERS = `(select unnest(from_json($1, '["BIGINT"]')))`;

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
