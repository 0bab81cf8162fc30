import type { DuckDBAppender } from '@duckdb/node-api';

/** A column's type and its values, for loading many rows at once. */
export type Column =
  | { readonly type: 'integer' | 'moment'; readonly values: readonly (bigint | null)[] }
  | { readonly type: 'text'; readonly values: readonly (string | null)[] }
  | { readonly type: 'boolean'; readonly values: readonly boolean[] };

type Database = typeof import('@duckdb/node-api');

/** Writes columns through an appender, row by row, which is how it takes them. */
export function appendColumns(
  database: Database,
  appender: DuckDBAppender,
  columns: readonly Column[],
): void {
  const writers = columns.map((column) => writerOf(database, appender, column));
  const count = columns[0]?.values.length ?? 0;
  for (let index = 0; index < count; index += 1) {
    for (const write of writers) write(index);
    appender.endRow();
  }
}

function writerOf(database: Database, appender: DuckDBAppender, column: Column): (index: number) => void {
  if (column.type === 'boolean') return (index) => appender.appendBoolean(column.values[index] ?? false);
  if (column.type === 'text') {
    return (index) => {
      const value = column.values[index] ?? null;
      if (value === null) appender.appendNull();
      else appender.appendVarchar(value);
    };
  }
  const isMoment = column.type === 'moment';
  return (index) => {
    const value = column.values[index] ?? null;
    if (value === null) appender.appendNull();
    else if (isMoment) appender.appendTimestamp(new database.DuckDBTimestampValue(value));
    else appender.appendBigInt(value);
  };
}
