import { CliError, excerpt, usageError } from '../errors.ts';
import {
  asObject,
  type Column,
  type ColumnType,
  filled,
  isList,
  type Json,
  type JsonObject,
} from '../json/kinds.ts';

/** The most rows that the service answers to one query. */
export const MOST_ROWS = 50_000;

/** How many rows the service answers to a query that does not say how many. */
const USUAL_ROWS = 100;

type SqlInput = {
  readonly sql: string;
  /** Values for `{name}` in the query. */
  readonly values?: JsonObject | undefined;
  /** Variables of the project by id, for `{variables.name}`. */
  readonly variables?: JsonObject | undefined;
  /** Rows at most; one more is asked for, which tells whether there are more. */
  readonly limit?: number | undefined;
};

/** The query node of an SQL statement. Throws a usage error for a limit beside the statement's own. */
export function sqlQuery({ sql, values, variables, limit }: SqlInput): JsonObject {
  const query = limit === undefined ? sql : withLimit(sql, Math.min(limit + 1, MOST_ROWS));
  return filled({ kind: 'HogQLQuery', query, values, variables });
}

/** Texts, quoted names and comments of the service's SQL. What never ends goes on to the end. */
const QUOTED =
  /'(?:\\[\s\S]?|''|[^'\\])*(?:'|$)|"(?:\\[\s\S]?|""|[^"\\])*(?:"|$)|`(?:\\[\s\S]?|``|[^`\\])*(?:`|$)|(?:--|\/\/|#)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;

/** The same, with brackets, and the semicolon that ends a statement. */
const TOKENS = new RegExp(`${QUOTED.source}|[([{]|[)\\]}]|;`, 'g');

const QUIET = new RegExp(QUOTED.source, 'g');

/** How many statements there are: those without a word do not count. */
export function countStatements(sql: string): number {
  const plain = sql.replace(QUIET, (token) => (/^(?:--|\/|#)/.test(token) ? ' ' : 'x'));
  return plain.split(';').filter((statement) => statement.trim() !== '').length;
}

const SETS = /\b(?:UNION|INTERSECT|EXCEPT)\b/gi;

/** A limit of rows; `LIMIT n BY x` is none, and a column may be called limit. */
const LIMIT =
  /\bLIMIT(?:\s+\d+|\s*\{\s*\}|\s*\(\s*\))(?!\s*(?:(?:,|OFFSET\b)\s*(?:\d+|\{\s*\}|\(\s*\)))?\s*BY\b)(?!\d)/i;

/** The statement before its semicolon, with blanks for all that is quoted, a comment or in brackets. */
function outline(sql: string): string {
  let text = '';
  let depth = 0;
  let at = 0;
  for (const { 0: token, index } of sql.matchAll(TOKENS)) {
    const between = sql.slice(at, index);
    text += depth === 0 ? between : ' '.repeat(between.length);
    at = index + token.length;
    if (token === ';' && depth === 0) return text;
    if (/^[)\]}]$/.test(token)) depth = Math.max(0, depth - 1);
    text += depth === 0 && /^[([{)\]}]$/.test(token) ? token : ' '.repeat(token.length);
    if (/^[([{]$/.test(token)) depth += 1;
  }
  const rest = sql.slice(at);
  return text + (depth === 0 ? rest : ' '.repeat(rest.length));
}

/** The SELECTs that UNION and the like join, each where the outline has it. */
function arms(sql: string): readonly { readonly sql: string; readonly outline: string }[] {
  const whole = outline(sql);
  const cuts = [...whole.matchAll(SETS)].map(({ 0: word, index }) => ({ index, end: index + word.length }));
  return [...cuts, { index: whole.length, end: whole.length }].map(({ index }, number) => {
    const from = cuts[number - 1]?.end ?? 0;
    return { sql: sql.slice(from, index), outline: whole.slice(from, index) };
  });
}

/** Whether every SELECT that the service cuts by itself says how many rows it wants: those of a UNION are cut one by one. */
export function hasLimit(sql: string): boolean {
  return arms(sql).every((arm) => {
    const [, start = '', inner = ''] =
      /^(\s*(?:(?:ALL|DISTINCT)\b\s*)?\()(\s*)\)\s*$/i.exec(arm.outline) ?? [];
    if (start === '') return LIMIT.test(arm.outline);
    return hasLimit(arm.sql.slice(start.length, start.length + inner.length));
  });
}

/** Whether several SELECTs are joined, of which the service says for none that it has more rows. */
function isJoined(sql: string): boolean {
  return arms(sql).length > 1;
}

/**
 * The statement with a limit of so many rows. Throws a usage error for one that has its own. What joins several
 * SELECTs is put in brackets first: there a limit would belong to the last of them.
 */
export function withLimit(sql: string, rows: number): string {
  const whole = outline(sql);
  if (LIMIT.test(whole)) throw usageError('the query has its own LIMIT', 'leave out --limit, or the LIMIT');
  const statement = sql.slice(0, whole.length).trimEnd();
  // On a line of its own, since the statement may end with a comment.
  if (isJoined(sql)) return `SELECT * FROM (\n${statement}\n)\nLIMIT ${rows}`;
  return `${statement}\nLIMIT ${rows}`;
}

const COLUMN_TYPES: readonly (readonly [RegExp, ColumnType])[] = [
  [/^(?:String|FixedString|UUID|Enum\d+|IPv[46])\b/, 'text'],
  [/^(?:Int(?:8|16|32|64)|UInt(?:8|16|32))$/, 'integer'],
  [/^UInt64$/, 'unsigned'],
  [/^Float(?:32|64)$/, 'number'],
  [/^Bool$/, 'boolean'],
  [/^Date(?:32)?$/, 'day'],
  [/^DateTime(?:\('[^']*'\))?$|^DateTime64\([0-6]\b/, 'time'],
];

/** What a column of an answer holds, by the database's name of its type: JSON for lists and what has no counterpart. */
export function typedAs(name: string): Pick<Column, 'type' | 'zone' | 'digits'> {
  const [, inner] = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(name) ?? [];
  if (inner !== undefined) return typedAs(inner);
  const [, precision, scale = '0'] = /^Decimal\((\d+)(?:, *(\d+))?\)$/.exec(name) ?? [];
  if (precision !== undefined) return { type: 'decimal', digits: [Number(precision), Number(scale)] };
  const type = COLUMN_TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? 'json';
  const [, zone] = /^DateTime(?:64)?\((?:\d+, *)?'([^']+)'\)$/.exec(name) ?? [];
  return zone === undefined ? { type } : { type, zone };
}

type CutInput = {
  readonly sql: string;
  /** The rows that `--limit` asked for, if it did. */
  readonly limit?: number | undefined;
  /** Rows that came. */
  readonly found: number;
  readonly hasMore: boolean | undefined;
};

/**
 * Whether rows of an SQL answer were cut off. What the service says counts first; if it says nothing, as for a
 * UNION, an answer as long as its own limits may have lost some.
 */
export function cutOf({ sql, limit, found, hasMore }: CutInput): 'more' | 'maybe' | undefined {
  if (hasMore !== undefined) return hasMore ? 'more' : undefined;
  if (found >= MOST_ROWS) return 'maybe';
  if (limit !== undefined || hasLimit(sql)) return undefined;
  return found === USUAL_ROWS || (found > USUAL_ROWS && isJoined(sql)) ? 'maybe' : undefined;
}

export type QueryRow = readonly Json[];

/**
 * The rows of an answer to a query. Throws `unavailable` if it has none: the service answers 200 for a query that
 * failed, or that is still to be calculated.
 */
export function queryRows(answer: Json | undefined): {
  readonly rows: readonly QueryRow[];
  readonly hasMore: boolean;
} {
  const { results, query_status: status, error, hasMore } = asObject(answer) ?? {};
  const { error: isFailed, error_message: message, complete } = asObject(status) ?? {};
  if (isFailed === true) throw failedQuery(`the query failed: ${excerpt(String(message ?? 'no reason'))}`);
  if (complete === false) throw failedQuery('the query is still running');
  if (typeof error === 'string' && error !== '') throw failedQuery(`the query failed: ${excerpt(error)}`);
  if (!isList(results) || !results.every(isList)) throw failedQuery('the query answered without rows');
  return { rows: results, hasMore: hasMore === true };
}

export function failedQuery(message: string): CliError {
  return new CliError('unavailable', message, { hint: 'try again later' });
}
