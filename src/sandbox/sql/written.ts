import { isExactNumber, isList, type Json } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import { SqlError, type SqlNode } from '../../semantics/sql-tree.ts';
import { quoteText, rowsOfTexts } from '../store/open-store.ts';
import { type Kind, SMALL_KINDS } from './tables.ts';

/** A part of a query in the database's SQL. */
export type Written = {
  readonly sql: string;
  readonly kind: Kind;
  /** Whether there may be no value. */
  readonly isMissing: boolean;
  /** How many times as large as a stored value it can get. */
  readonly size: number;
};

/** What is made of other parts: it is missing if one of them is, and as large as the largest. */
export function made(kind: Kind, sql: string, parts: readonly Written[] = []): Written {
  const isMissing = parts.some((one) => one.isMissing);
  return { sql, kind, isMissing, size: Math.max(1, ...parts.map(({ size }) => size)) };
}

/** The kind of the first value that has one. */
export function firstKind(parts: readonly Written[]): Kind {
  return parts.find(({ kind }) => kind !== 'other')?.kind ?? 'other';
}

/**
 * How large a value can get. Texts and lists lie outside of the database's own limit of memory, so that `concat(x, x)` of
 * `concat(x, x)` and so on has to end here.
 */
export const MOST_SIZE = 1000;

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
  if (written.size <= MOST_SIZE || SMALL_KINDS.has(written.kind)) return written;
  throw refuse('The values of this expression can get too large.', node, 'not_allowed');
}

/** Of the text that is made; names of columns stand for what they name, so that it can grow. */
const LONGEST = 2_000_000;

/** A clause, unless there is nothing in it. */
export function clause(word: string, text: string | null | undefined): string {
  return text ? ` ${word} ${text}` : '';
}

/** A name in double quotes, as the database takes any. */
export function quoteName(name: string | number): string {
  return `"${String(name).replaceAll('"', '""')}"`;
}

/** Texts of so many characters are as large as a stored value. */
export const USUAL_LENGTH = 100;

/** A value that stands in the query or was given beside it. */
export function writeValue(value: Json): Written {
  if (value === null) return { ...made('other', 'null'), isMissing: true };
  if (typeof value === 'boolean') return made('boolean', String(value));
  if (typeof value === 'number' || isExactNumber(value)) return writeNumber(String(value));
  if (typeof value === 'string')
    return { ...made('text', quoteText(value)), size: 1 + Math.floor(value.length / USUAL_LENGTH) };
  if (!isList(value)) return made('text', quoteText(writeJson(value)));
  const items = value.map(writeValue);
  const texts = value.filter((item) => typeof item === 'string');
  const sql =
    texts.length > MANY && texts.length === value.length
      ? `(select list(v) from ${rowsOfTexts(texts)} l(v))`
      : `[${items.map((item) => item.sql).join(', ')}]`;
  return { ...made('list', sql), size: items.reduce((sum, { size }) => sum + size, 1) / USUAL_LENGTH };
}

/** So many words take the database long to read. */
const MANY = 20;

/** A number by its digits; a fraction is of double precision, as in the service. */
export function writeNumber(digits: string): Written {
  return /^-?\d{1,38}$/.test(digits) ? made('integer', digits) : made('number', `'${digits}'::double`);
}
