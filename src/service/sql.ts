import { usageError } from '../errors.ts';
import { filled, type JsonObject } from '../json/kinds.ts';

/** The most rows that the service answers to one query. */
export const MOST_ROWS = 50_000;

/** How many rows the service answers to a query that does not say how many. */
export const USUAL_ROWS = 100;

type SqlInput = {
  readonly sql: string;
  /** Values for `{name}` in the query. */
  readonly values?: JsonObject | undefined;
  /** Rows at most; one more is asked for, which tells whether there are more. */
  readonly limit?: number | undefined;
};

/** The query node of an SQL statement. Throws a usage error for a limit beside the statement's own. */
export function sqlQuery({ sql, values, limit }: SqlInput): JsonObject {
  const query = limit === undefined ? sql : withLimit(sql, Math.min(limit + 1, MOST_ROWS));
  return filled({ kind: 'HogQLQuery', query, values });
}

/** What separates words of SQL: texts, quoted names, comments, brackets. */
const TOKENS =
  /'(?:\\.|''|[^'\\])*'|"(?:\\.|""|[^"\\])*"|`(?:\\.|[^`\\])*`|--[^\n]*|\/\*[\s\S]*?\*\/|[([{]|[)\]}]|;|[A-Za-z_][A-Za-z0-9_]*/g;

const SETS = ['UNION', 'INTERSECT', 'EXCEPT'];

type Words = { readonly outer: readonly string[]; readonly end: number };

/** The words outside all brackets, in capitals, and where the statement ends before its semicolon. */
function readWords(sql: string): Words {
  const outer: string[] = [];
  let depth = 0;
  let end = sql.length;
  for (const { 0: token, index } of sql.matchAll(TOKENS)) {
    if (/^[([{]$/.test(token)) depth += 1;
    else if (/^[)\]}]$/.test(token)) depth -= 1;
    else if (token === ';' && depth === 0) {
      end = index;
      break;
    } else if (depth === 0 && /^[a-z_]/i.test(token)) outer.push(token.toUpperCase());
  }
  return { outer, end };
}

/** Whether the outermost SELECT says itself how many rows it wants. */
export function hasLimit(sql: string): boolean {
  return readWords(sql).outer.includes('LIMIT');
}

/**
 * The statement with a limit of so many rows. Throws a usage error for one that has its own. What joins several
 * SELECTs is put in brackets first: there a limit would belong to the last of them.
 */
export function withLimit(sql: string, rows: number): string {
  const { outer, end } = readWords(sql);
  if (outer.includes('LIMIT')) {
    throw usageError('the query has its own LIMIT', 'leave out --limit, or the LIMIT');
  }
  const statement = sql.slice(0, end).trimEnd();
  // On a line of its own, since the statement may end with a comment.
  if (outer.some((word) => SETS.includes(word))) return `SELECT * FROM (\n${statement}\n)\nLIMIT ${rows}`;
  return `${statement}\nLIMIT ${rows}`;
}
