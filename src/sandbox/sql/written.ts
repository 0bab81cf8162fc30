import { isExactNumber, isList, type Json } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import { SqlError, type SqlNode } from '../../semantics/sql-tree.ts';
import { listedTexts, quoteText } from '../store/open-store.ts';
import type { Kind } from './tables.ts';

/** A part of a query in the database's SQL. */
export type Written = {
  readonly sql: string;
  readonly kind: Kind;
  /** Whether there may be no value. */
  readonly isMissing: boolean;
  /** How many times as large as a stored value it can get. */
  readonly size: number;
};

/**
 * How large a value can get. Texts and lists lie outside of the database's own limit of memory, so that `concat(x, x)` of
 * `concat(x, x)` and so on has to end here.
 */
export const MOST_SIZE = 1000;

/** Values of these kinds do not grow with what they are made of. */
const SMALL: ReadonlySet<Kind> = new Set([
  'integer',
  'number',
  'flag',
  'boolean',
  'time',
  'day',
  'interval',
  'uuid',
]);

export function isSmall({ kind }: Written): boolean {
  return SMALL.has(kind);
}

type Place = { readonly start?: { readonly offset: number } };

/** A refusal with the place in the text. */
export function refuse(message: string, part?: Place | null, code = 'query_error'): SqlError {
  return new SqlError(message, { at: part?.start?.offset, code });
}

/** What the service has and the sandbox has not. */
export function notHere(what: string, part?: Place | null): SqlError {
  return refuse(`The sandbox does not know ${what}; the service has it`, part, 'not_allowed');
}

/** The value, if it does not get too large. */
export function checkSize(written: Written, node: SqlNode): Written {
  if (written.sql.length > LONGEST) throw refuse('The query is too large.', node, 'not_allowed');
  if (written.size <= MOST_SIZE || isSmall(written)) return written;
  throw refuse('The values of this expression can get too large.', node, 'not_allowed');
}

/** Of the text that is made; names of columns stand for what they name, so that it can grow. */
const LONGEST = 2_000_000;

/** A name in double quotes, as the database takes any. */
export function quoteName(name: string | number): string {
  return `"${String(name).replaceAll('"', '""')}"`;
}

/** Texts of so many characters are as large as a stored value. */
export const USUAL_LENGTH = 100;

/** A value that stands in the query or was given beside it. */
export function writeValue(value: Json): Written {
  const known = (kind: Kind, sql: string, size = 1): Written => ({ sql, kind, isMissing: false, size });
  if (value === null) return { ...known('other', 'null'), isMissing: true };
  if (typeof value === 'boolean') return known('boolean', String(value));
  if (typeof value === 'number' || isExactNumber(value)) return writeNumber(String(value));
  if (typeof value === 'string')
    return known('text', quoteText(value), 1 + Math.floor(value.length / USUAL_LENGTH));
  if (!isList(value)) return known('text', quoteText(writeJson(value)));
  const isTexts = value.every((item) => typeof item === 'string');
  // Very many words take the database long to read.
  const many = isTexts && value.length > MANY;
  const items = value.map(writeValue);
  const sql = many
    ? `(select list(v) from ${listedTexts(value as readonly string[])} l(v))`
    : `[${items.map((item) => item.sql).join(', ')}]`;
  return known('list', sql, items.reduce((sum, { size }) => sum + size, 1) / USUAL_LENGTH);
}

const MANY = 20;

/** A number by its digits; a fraction is of double precision, as in the service. */
export function writeNumber(digits: string): Written {
  const isInteger = /^-?\d{1,38}$/.test(digits);
  return {
    sql: isInteger ? digits : `'${digits}'::double`,
    kind: isInteger ? 'integer' : 'number',
    isMissing: false,
    size: 1,
  };
}
