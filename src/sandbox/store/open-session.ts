import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Json } from '../../json/kinds.ts';
import { toJsonValue } from './json-values.ts';
import type { SqlRow, SqlValue } from './sql-row.ts';

/** Values of one column in one part of an answer. `memory` is what they stand in, which lives as long as they do. */
export type Vector = { readonly getItem: (row: number) => unknown; readonly memory: object };

/** A part of an answer, column by column. Vectors stay readable after the next part has come. */
export type Chunk = { readonly rowCount: number; readonly vectors: readonly Vector[] };

/**
 * A look at the database as it was at one moment, beside all other work. Nothing can be written through it.
 * `interrupt` ends the statement that is running, which then throws, and every later one.
 */
export type Session = {
  readonly rows: (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;
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
  await connection.run('begin transaction read only');
  // A transaction sees the data as of its first statement.
  await connection.run('select now from store.sandbox');
  return {
    rows: async (sql, values = []) => {
      interruption.check();
      const reader = await connection.runAndReadAll(sql, [...values]);
      // Statements select text, integers, booleans and doubles only, which arrive as these types.
      return reader.getRowObjectsJS() as SqlRow[];
    },
    chunks: (sql, values = []) => {
      interruption.check();
      return readChunks(connection, sql, values);
    },
    select: (sql, most) => {
      interruption.check();
      return select(database, connection, { sql, most });
    },
    interrupt: interruption.begin,
    close: () => {
      interruption.end();
      connection.closeSync();
    },
  };
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

async function* readChunks(
  connection: DuckDBConnection,
  sql: string,
  values: readonly SqlValue[],
): AsyncIterable<Chunk> {
  const result = await connection.stream(sql, [...values]);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    const vectors = Array.from({ length: chunk.columnCount }, (_, index) => {
      const vector = chunk.getColumnVector(index);
      return { getItem: (row: number): unknown => vector.getItem(row), memory: chunk };
    });
    yield { rowCount: chunk.rowCount, vectors };
  }
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
  while (rows.length < most) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const row of chunk.getRows()) rows.push(row.map((value) => toJsonValue(database, value)));
  }
  return { columns, rows: rows.slice(0, most) };
}
