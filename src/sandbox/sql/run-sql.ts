import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { parseJson } from '../../json/parse.ts';
import { toText, writeJson } from '../../json/write.ts';
import { invalid, Refusal } from '../refusal.ts';
import { pointerOf, type Readable, textOf } from '../store/open-store.ts';
import type { Selected, Session } from '../store/session.ts';
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

const TABLES = ['persons', 'events', 'person_distinct_ids'];

const TABLE_FUNCTIONS = ['unnest', 'range', 'generate_series'];

/** They tell about the computer or the database, or read another clock than the sandbox's. */
const CLOSED =
  /^(current_.*|get_current_.*|localtime.*|transaction_timestamp|user|session_user|version|getenv|getvariable|setseed|nextval|currval|txid_.*|pg_.*|duckdb_.*|write_log|in_search_path|sleep_ms|query|query_table|has_.*|which_secret|create_sort_key)$/;

/** Names that the database takes for functions though they have no brackets. */
const CLOCK_WORDS = [
  'current_date',
  'current_time',
  'current_timestamp',
  'localtime',
  'localtimestamp',
  'current_catalog',
  'current_schema',
  'current_role',
  'current_user',
  'session_user',
  'user',
];

type SqlFault = { readonly code: string; readonly at?: number | undefined };

/** A 400 for SQL that cannot be run, with the place in the text, counted from 1, where it is known. */
function refuseSql(detail: string, { code, at }: SqlFault): Refusal {
  const place = at === undefined ? '' : ` (at character ${at + 1})`;
  return new Refusal(400, `${detail}${place}`, { type: 'validation_error', code, attr: 'query' });
}

/**
 * Checks that a text is one SELECT over persons, events and distinct ids alone, by the database's own parser. Throws a
 * `Refusal` 400 otherwise.
 */
async function checkStatement(
  readable: Readable,
  sql: string,
  placeOf: (at: number) => number,
): Promise<void> {
  const [row] = await readable.rows('select json_serialize_sql($1::varchar) as tree', [sql]);
  const tree = parseJson(textOf(row, 'tree'));
  if (!isObject(tree)) throw new Error('the tree of a statement is not an object');
  if (tree.error === true) {
    const position = Number(toText(tree.position ?? ''));
    const known = tree.position !== undefined && Number.isSafeInteger(position);
    const message = toText(tree.error_message ?? '');
    if (tree.error_type === 'parser') {
      throw refuseSql(message, {
        code: 'syntax_error',
        at: known ? placeOf(charactersIn(sql, position)) : undefined,
      });
    }
    throw refuseSql('Only SELECT statements can be run.', { code: 'not_allowed' });
  }
  const statements = isList(tree.statements) ? tree.statements : [];
  if (statements.length !== 1)
    throw refuseSql('Only one statement can be run at a time.', { code: 'not_allowed' });
  walk(statements, { names: new Set(TABLES), place: (at) => placeOf(charactersIn(sql, at)) });
}

/** The database counts bytes. */
function charactersIn(sql: string, bytes: number): number {
  return Buffer.from(sql).subarray(0, bytes).toString().length;
}

type Scope = { readonly names: ReadonlySet<string>; readonly place: (at: number) => number };

function walk(node: Json, scope: Scope): void {
  if (isList(node)) {
    for (const item of node) walk(item, scope);
    return;
  }
  if (!isObject(node)) return;
  checkNode(node, scope);
  const inner = { ...scope, names: new Set([...scope.names, ...namesDefinedBy(node)]) };
  for (const value of Object.values(node)) walk(value, inner);
}

/** Names that `with` gives to queries of a node. */
function namesDefinedBy({ cte_map: definitions, cte_name: own }: JsonObject): readonly string[] {
  const map = isObject(definitions) && isList(definitions.map) ? definitions.map : [];
  const names = map.map((entry) => (isObject(entry) ? (entry.key ?? null) : null));
  return [...names, own ?? null].flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : []));
}

function checkNode(node: JsonObject, { names, place }: Scope): void {
  const at = typeof node.query_location === 'number' ? node.query_location : undefined;
  const refuse = (detail: string) =>
    refuseSql(detail, { code: 'not_allowed', at: at === undefined ? undefined : place(at) });
  switch (node.type) {
    case 'BASE_TABLE': {
      const schema = toText(node.schema_name ?? '') + toText(node.catalog_name ?? '');
      const name = toText(node.table_name ?? '');
      if (schema === '' && names.has(name.toLowerCase())) return;
      throw refuse(`There is no table "${name}" here, only persons, events and person_distinct_ids.`);
    }
    case 'TABLE_FUNCTION': {
      const name = isObject(node.function) ? toText(node.function.function_name ?? '') : '';
      if (TABLE_FUNCTIONS.includes(name.toLowerCase())) return;
      throw refuse(`The table function ${name} cannot be used here.`);
    }
    case 'SHOW_REF':
    case 'COLUMN_DATA':
      throw refuse('Only persons, events and person_distinct_ids can be read.');
    case 'FUNCTION': {
      const name = toText(node.function_name ?? '').toLowerCase();
      if (CLOSED.test(name)) throw refuse(`The function ${name} cannot be used here.`);
      return;
    }
    case 'PARAMETER':
    case 'VALUE_PARAMETER':
      throw refuse('Values are given by name, as in {name}.');
    case 'COLUMN_REF': {
      const [name = null, ...others] = isList(node.column_names) ? node.column_names : [];
      if (others.length > 0 || !CLOCK_WORDS.includes(toText(name).toLowerCase())) return;
      throw refuse(`${toText(name)} cannot be used here; now() and today() are the sandbox's clock.`);
    }
    default:
  }
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
