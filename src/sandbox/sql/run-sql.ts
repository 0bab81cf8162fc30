import { isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import { invalid, Refusal } from '../refusal.ts';
import { pointerOf, textOf } from '../store/open-store.ts';
import type { Selected, Session } from '../store/session.ts';
import { checkStatement, refuseSql } from './check-sql.ts';
import { type PropertyTypes, propertiesIn, rewriteSql } from './rewrite-sql.ts';

type SqlAnswer = {
  readonly results: readonly (readonly Json[])[];
  readonly columns: readonly string[];
  readonly types: readonly (readonly [name: string, type: string])[];
  readonly hasMore: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly hogql: string;
};

type SqlRun = { readonly signal: AbortSignal /** In milliseconds. */; readonly longest: number };

/**
 * Runs a `HogQLQuery` over persons and events. Throws a `Refusal`: 400 for SQL that cannot be run, 504 for one that
 * takes longer than `longest`.
 */
export async function runSql(session: Session, node: JsonObject, run: SqlRun): Promise<SqlAnswer> {
  const { query, values = {} } = node;
  if (typeof query !== 'string' || query.trim() === '')
    throw invalid('query', 'The query is empty.', 'required');
  if (!isObject(values)) throw invalid('values', 'Values must be an object.');
  const text = withoutEnd(query);
  const types = await readTypes(session, propertiesIn(text));
  const { sql, limit, offset, placeOf } = rewriteSql(text, { values, types });
  await checkStatement(session, sql, placeOf);
  const selected = await selectInTime(session, { sql, most: limit + 1, run });
  const names = selected.columns.map(({ name }) => columnName(name));
  return {
    results: selected.rows.slice(0, limit),
    columns: names,
    types: selected.columns.map(({ type }, index) => [names[index] ?? '', clickhouseType(type)]),
    hasMore: selected.rows.length > limit,
    limit,
    offset,
    hogql: query,
  };
}

/** The database's parser takes far longer for long texts, and cannot be interrupted. */
const LONGEST_SQL = 50_000;

/** SQL without semicolons and space at its end. Throws a `Refusal` 400 if it is too long. */
function withoutEnd(query: string): string {
  let end = query.length;
  while (end > 0 && /[;\s]/.test(query.charAt(end - 1))) end -= 1;
  if (end <= LONGEST_SQL) return query.slice(0, end);
  throw refuseSql(`A query has at most ${LONGEST_SQL} characters, without its values.`, { code: 'too_long' });
}

const NUMBERS = ['UBIGINT', 'BIGINT', 'DOUBLE'];

/** What the values of each property are, over all persons and events: the service knows that, too. */
async function readTypes(session: Session, names: ReadonlySet<string>): Promise<PropertyTypes> {
  if (names.size === 0) return new Map();
  const rows = await session.rows(
    `select distinct unnest(types) as type, generate_subscripts(types, 1) as place from (
       select json_type(properties, from_json($1, '["VARCHAR"]')) as types from store.events
       union all select json_type(properties, from_json($1, '["VARCHAR"]')) from store.persons
     )`,
    [writeJson([...names].map(pointerOf))],
  );
  return new Map(
    [...names].map((name, index) => {
      const own = rows.filter(({ place }) => Number(place) === index + 1).map((row) => textOf(row, 'type'));
      return [name, commonType(own.filter((type) => type !== '' && type !== 'NULL'))] as const;
    }),
  );
}

function commonType(types: readonly string[]) {
  if (types.some((type) => ['ARRAY', 'OBJECT'].includes(type))) return undefined;
  if (types.length > 0 && types.every((type) => NUMBERS.includes(type))) {
    return types.includes('DOUBLE') ? 'DOUBLE' : 'BIGINT';
  }
  return types.length > 0 && types.every((type) => type === 'BOOLEAN') ? 'BOOLEAN' : 'VARCHAR';
}

type Timed = { readonly sql: string; readonly most: number; readonly run: SqlRun };

/** How long a statement may take to end after it was interrupted, in milliseconds. Longer ones are left behind. */
const GRACE = 2000;

async function selectInTime(session: Session, { sql, most, run }: Timed): Promise<Selected> {
  const { signal, longest } = run;
  const timers: NodeJS.Timeout[] = [];
  let isLate = false;
  const interrupted = new Promise<never>((_, reject) => {
    const leave = (reason: () => unknown) => timers.push(setTimeout(() => reject(reason()), GRACE));
    const end = () => {
      isLate = true;
      session.interrupt();
      leave(tooLong);
    };
    timers.push(setTimeout(end, longest));
    // Cancelling interrupts the session already.
    signal.addEventListener('abort', () => leave(() => signal.reason), { once: true });
  });
  try {
    return await Promise.race([session.select(sql, most), interrupted]);
  } catch (cause) {
    signal.throwIfAborted();
    if (isLate) throw tooLong();
    throw toRefusal(cause instanceof Error ? cause.message : String(cause));
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** The database says the place by repeating the line and pointing under it. */
function toRefusal(message: string): Refusal {
  return /^out of memory/i.test(message)
    ? serverError('Query exceeds the max memory limit.')
    : refuseSql(message.trim(), { code: 'query_error' });
}

function tooLong(): Refusal {
  return serverError('Query has hit the max execution time before completing.');
}

function serverError(detail: string): Refusal {
  return new Refusal(504, detail, { type: 'server_error', code: 'error' });
}

/** The name as written: without the types that we gave to properties. */
function columnName(name: string): string {
  const plain = name
    .replaceAll(
      /CAST\(((?:[\w"$]+\.)*properties\.(?:\w+|"[^"]+")) AS "?(?:BIGINT|DOUBLE|BOOLEAN|VARCHAR)"?\)/gi,
      '$1',
    )
    .replaceAll('count_star()', 'count()');
  const [, property, quoted] = /^(?:[\w"]+\.)*properties\.(?:(\w+)|"([^"]+)")$/i.exec(plain) ?? [];
  return property ?? quoted ?? plain;
}

const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'String',
  BOOLEAN: 'Bool',
  TINYINT: 'Int8',
  SMALLINT: 'Int16',
  INTEGER: 'Int32',
  BIGINT: 'Int64',
  HUGEINT: 'Int128',
  UTINYINT: 'UInt8',
  USMALLINT: 'UInt16',
  UINTEGER: 'UInt32',
  UBIGINT: 'UInt64',
  UHUGEINT: 'UInt128',
  FLOAT: 'Float32',
  DOUBLE: 'Float64',
  DATE: 'Date',
  UUID: 'UUID',
  TIMESTAMP: "DateTime64(6, 'UTC')",
  'TIMESTAMP WITH TIME ZONE': "DateTime64(6, 'UTC')",
  VARIANT: 'Dynamic',
  JSON: 'String',
};

/** A type of the database in the words of the service's own database. */
function clickhouseType(type: string): string {
  const item = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (item !== undefined) return `Array(${clickhouseType(item)})`;
  return TYPES[type] ?? type.replace(/^DECIMAL/, 'Decimal');
}
