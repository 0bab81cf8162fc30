import type {
  DuckDBAppender,
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBVector,
} from '@duckdb/node-api';
import { isList, isObject, type Json } from '../../json/kinds.ts';
import { toJsonInteger, writeJson } from '../../json/text.ts';
import { writeMoment } from '../operator.ts';

/** A part of an answer, column by column. It stays readable after the next part has come. */
export type Chunk = Pick<DuckDBDataChunk, 'rowCount' | 'getColumnVector'>;

/**
 * A look at the database as it was at one moment, beside all other work. Nothing can be written through it.
 * `interrupt` ends the statement that is running, which then throws, and every later one.
 */
export type Session = {
  readonly rows: (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;
  /** The same of what is read with each request and only `run` changes: these rows are kept until then. */
  readonly keptRows: (sql: string) => Promise<readonly SqlRow[]>;
  readonly chunks: (sql: string, values?: readonly SqlValue[]) => AsyncIterable<Chunk>;
  /** Runs one statement of type SELECT and reads at most so many of its rows. Throws what the database throws. */
  readonly select: (sql: string, most: number) => Promise<Selected>;
  readonly interrupt: () => void;
  readonly close: () => void;
};

export type Selected = {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly Json[])[];
};

type Database = typeof import('@duckdb/node-api');

/** Opens a session, with the data of this very moment. */
export async function openSession(database: Database, instance: DuckDBInstance): Promise<Session> {
  const connection = await instance.connect();
  const interruption = makeInterruption(connection);
  let running: Promise<unknown> = Promise.resolve();
  const started = <Result>(work: () => Promise<Result>): Promise<Result> => {
    interruption.check();
    const result = work();
    running = result.catch(() => {});
    return result;
  };
  await connection.run('begin transaction read only');
  // A transaction sees the data as of its first statement.
  await connection.run('select now from store.sandbox');
  const rows: Session['rows'] = (sql, values) => started(() => selectRows(connection, sql, values));
  return {
    rows,
    keptRows: rows,
    chunks: (sql, values) => {
      interruption.check();
      return readChunks(connection, sql, values);
    },
    select: (sql, most) => started(() => select(database, connection, { sql, most })),
    interrupt: interruption.begin,
    close: () => {
      // A statement that was left behind keeps its connection until it ends.
      running.then(() => {
        interruption.end();
        connection.closeSync();
      });
    },
  };
}

export async function* readChunks(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[] = [],
): AsyncIterable<Chunk> {
  yield* await connection.stream(sql, [...values]);
}

/** All rows of a statement. */
export async function selectRows(
  connection: DuckDBConnection,
  sql: string,
  values?: readonly SqlValue[],
): Promise<readonly SqlRow[]> {
  const reader = await connection.runAndReadAll(sql, values && [...values]);
  // Statements select text, integers, booleans and doubles only, which arrive as these types.
  return reader.getRowObjectsJS() as SqlRow[];
}

/** A statement that begins forgets an earlier interrupt, so it is repeated for as long as the session is open. */
function makeInterruption(connection: DuckDBConnection) {
  let again: NodeJS.Timeout | undefined;
  return {
    begin: () => {
      connection.interrupt();
      again ??= setInterval(() => connection.interrupt(), 20);
    },
    check: () => {
      if (again !== undefined) throw new Error('the session was interrupted');
    },
    end: () => clearInterval(again),
  };
}

async function select(
  database: Database,
  connection: DuckDBConnection,
  { sql, most }: { readonly sql: string; readonly most: number },
): Promise<Selected> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw new Error('Only one statement can be run at a time');
  const statement = await statements.prepare(0);
  if (statement.statementType !== database.StatementType.SELECT) {
    throw new Error('Only statements of type SELECT can be run');
  }
  const result = await statement.stream();
  const columns = result
    .columnNames()
    .map((name, index) => ({ name, type: String(result.columnType(index)) }));
  const rows: (readonly Json[])[] = [];
  let characters = 0;
  while (rows.length < most) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const vectors = columns.map((_, index) => chunk.getColumnVector(index));
    if (vectors.reduce((sum, vector) => sum + entriesIn(database, vector), 0) > MOST_ENTRIES) {
      throw new Error('The answer has lists of more than a million entries');
    }
    for (let row = 0; row < chunk.rowCount; row += 1) {
      const values = vectors.map((vector) => toJsonValue(database, vector.getItem(row)));
      characters += values.reduce((sum: number, value) => sum + sizeOf(value), 0);
      if (characters > MOST_CHARACTERS) throw new Error('The answer is larger than 100 million characters');
      rows.push(values);
    }
  }
  return { columns, rows: rows.slice(0, most) };
}

/** An answer is written as one text, and texts cannot be of any length. */
const MOST_CHARACTERS = 100_000_000;

/** Each entry of a list becomes an object, which takes far more than its place in the database. */
const MOST_ENTRIES = 1_000_000;

/** How many entries the lists of a column have, before one of them is read. */
function entriesIn(database: Database, vector: DuckDBVector): number {
  if (vector instanceof database.DuckDBListVector) {
    return vector.childVector.itemCount + entriesIn(database, vector.childVector);
  }
  if (!(vector instanceof database.DuckDBStructVector)) return 0;
  return vector.type.entryTypes.reduce(
    (sum, _, index) => sum + entriesIn(database, vector.entryVectorAt(index)),
    0,
  );
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  return isObject(value) || isList(value) ? writeJson(value).length : 0;
}

/** Turns a value in one of the database's classes into JSON: times as ISO 8601 in UTC, whole numbers with all digits. */
function toJsonValue(database: Database, value: unknown): Json {
  const convert = (inner: unknown) => toJsonValue(database, inner);
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return toJsonInteger(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof database.DuckDBTimestampValue) return writeMoment(value.micros);
  if (value instanceof database.DuckDBTimestampTZValue) return writeMoment(value.micros);
  if (value instanceof database.DuckDBListValue) return value.items.map(convert);
  if (value instanceof database.DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, entry]) => [key, convert(entry)]));
  }
  if (value instanceof database.DuckDBDecimalValue) return Number(value.toString());
  return String(value);
}

/** What goes into a statement, and comes out of one. */
export type SqlValue = string | number | bigint | boolean | null;

export type SqlRow = { readonly [column: string]: SqlValue };

/** As many rows as the database takes at once. */
const CHUNK = 2048;

/** Writes rows through an appender, each value as the column's type has it. */
export function appendRows(
  database: Database,
  appender: DuckDBAppender,
  rows: readonly (readonly SqlValue[])[],
): void {
  const types = Array.from({ length: appender.columnCount }, (_, index) => appender.columnType(index));
  for (let start = 0; start < rows.length; start += CHUNK) {
    const part = rows.slice(start, start + CHUNK);
    const chunk = database.DuckDBDataChunk.create(types, part.length);
    for (const [column, { typeId }] of types.entries()) {
      const isMoment = typeId === database.DuckDBTypeId.TIMESTAMP;
      const values = part.map((row) => {
        const value = row[column] ?? null;
        if (typeof value !== 'number' && typeof value !== 'bigint') return value;
        return isMoment ? new database.DuckDBTimestampValue(BigInt(value)) : BigInt(value);
      });
      chunk.setColumnValues(column, values);
    }
    appender.appendDataChunk(chunk);
  }
}

/** Writes a column of doubles through an appender, many values in a call. */
export function appendNumbers(
  database: Database,
  appender: DuckDBAppender,
  numbers: readonly number[],
): void {
  for (let start = 0; start < numbers.length; start += CHUNK) {
    const values = numbers.slice(start, start + CHUNK);
    const chunk = database.DuckDBDataChunk.create([database.DOUBLE], values.length);
    chunk.setColumnValues(0, values);
    appender.appendDataChunk(chunk);
  }
}
