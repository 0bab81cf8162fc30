import { isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import { invalid, Refusal } from '../refusal.ts';
import type { Selected, Session } from '../store/open-session.ts';
import { textOf } from '../store/open-store.ts';
import { checkStatement, refuseSql } from './check-statement.ts';
import { clickhouseType } from './clickhouse-type.ts';
import { type PropertyTypes, propertiesIn, rewriteSql } from './rewrite-sql.ts';

export type SqlAnswer = {
  readonly results: readonly (readonly Json[])[];
  readonly columns: readonly string[];
  readonly types: readonly (readonly [name: string, type: string])[];
  readonly hasMore: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly hogql: string;
};

export type SqlRun = { readonly signal: AbortSignal /** In milliseconds. */; readonly longest: number };

/**
 * Runs a `HogQLQuery` over persons and events. Throws a `Refusal`: 400 for SQL that cannot be run, 504 for one that
 * takes longer than `longest`.
 */
export async function runSql(session: Session, node: JsonObject, run: SqlRun): Promise<SqlAnswer> {
  const { query, values = {} } = node;
  if (typeof query !== 'string' || query.trim() === '')
    throw invalid('query', 'The query is empty.', 'required');
  if (!isObject(values)) throw invalid('values', 'Values must be an object.');
  const text = query.replace(/[;\s]+$/, '');
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

const NUMBERS = ['UBIGINT', 'BIGINT', 'DOUBLE'];

/** What the values of each property are, over all persons and events: the service knows that, too. */
async function readTypes(session: Session, names: ReadonlySet<string>): Promise<PropertyTypes> {
  if (names.size === 0) return new Map();
  const pointers = [...names].map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  const rows = await session.rows(
    `select distinct unnest(types) as type, generate_subscripts(types, 1) as place from (
       select json_type(properties, from_json($1, '["VARCHAR"]')) as types from store.events
       union all select json_type(properties, from_json($1, '["VARCHAR"]')) from store.persons
     )`,
    [writeJson(pointers)],
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

async function selectInTime(session: Session, { sql, most, run }: Timed): Promise<Selected> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    session.interrupt();
  }, run.longest);
  try {
    return await session.select(sql, most);
  } catch (cause) {
    run.signal.throwIfAborted();
    if (isLate) throw tooLong();
    const message = cause instanceof Error ? cause.message : String(cause);
    // The database says where by repeating the line and pointing under it.
    throw refuseSql(message.trim(), { code: 'query_error' });
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(): Refusal {
  return new Refusal(504, 'Query has hit the max execution time before completing.', {
    type: 'server_error',
    code: 'error',
  });
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
