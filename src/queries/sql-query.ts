import { filled, type JsonObject } from '../json/kinds.ts';
import { withLimit } from './sql-limit.ts';

/** The most rows that the service answers to one query. */
export const MOST_ROWS = 50_000;

/** How many rows the service answers to a query that does not say how many. */
export const USUAL_ROWS = 100;

export type SqlWish = {
  readonly sql: string;
  /** Values for `{name}` in the query. */
  readonly values?: JsonObject | undefined;
  /** Rows at most; one more is asked for, which tells whether there are more. */
  readonly limit?: number | undefined;
};

/** The query node of an SQL statement. Throws a usage error for a limit beside the statement's own. */
export function sqlQuery({ sql, values, limit }: SqlWish): JsonObject {
  const query = limit === undefined ? sql : withLimit(sql, Math.min(limit + 1, MOST_ROWS));
  return filled({ kind: 'HogQLQuery', query, values });
}
