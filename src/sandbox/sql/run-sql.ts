import { asObject, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { toText, writeJson } from '../../json/text.ts';
import { readDate } from '../analysis/time/date-range.ts';
import { eventsCondition, membersOf } from '../person-filters.ts';
import { invalid, Refusal } from '../refusal.ts';
import { pointerOf, textOf } from '../store/open-store.ts';
import type { Session } from '../store/session.ts';
import { readState, selectCohorts } from '../store/state.ts';
import { checkStatement, refuseSql, TABLES } from './check-sql.ts';
import { propertiesIn, rewriteSql, type Substitutes } from './rewrite-sql.ts';

type SqlRun = { readonly signal: AbortSignal /** In milliseconds. */; readonly longest: number };

/**
 * Runs a `HogQLQuery` over persons and events. Throws a `Refusal`: 400 for SQL that cannot be run, 504 for one that
 * takes longer than `longest`.
 */
export async function runSql(session: Session, node: JsonObject, run: SqlRun): Promise<JsonObject> {
  const { query, values = {} } = node;
  if (typeof query !== 'string' || query.trim() === '')
    throw invalid('query', 'The query is empty.', 'required');
  if (!isObject(values)) throw invalid('values', 'Values must be an object.');
  const text = withoutEnd(query);
  const substitutes = await readSubstitutes(session, node, { text, values });
  const { sql, limit, offset } = rewriteSql(text, substitutes);
  const selected = await inTime(session, run, async () => {
    // The members of a cohort are read from tables that a query may not name.
    const own = { filters: '(true)', membersOf: () => 'select id from persons' };
    const checked = rewriteSql(text, { ...substitutes, ...own });
    await checkStatement(session, checked.sql, checked.placeOf);
    return session.select(sql, limit + 1);
  });
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

/** The database's parser takes far longer for long texts, and cannot be interrupted: it is left behind. */
const LONGEST_SQL = 50_000;

/** SQL without semicolons and space at its end. Throws a `Refusal` 400 if it is too long. */
function withoutEnd(query: string): string {
  let end = query.length;
  while (end > 0 && /[;\s]/.test(query.charAt(end - 1))) end -= 1;
  if (end <= LONGEST_SQL) return query.slice(0, end);
  throw refuseSql(`A query has at most ${LONGEST_SQL} characters, without its values.`, { code: 'too_long' });
}

async function readSubstitutes(
  session: Session,
  node: JsonObject,
  { text, values }: { readonly text: string; readonly values: JsonObject },
): Promise<Substitutes> {
  const members = await readMembers(session, text);
  return {
    types: await readTypes(session, propertiesIn(text)),
    values,
    variables: Object.fromEntries(
      Object.values(asObject(node.variables) ?? {}).map((variable) => {
        const { code_name: name = null, value = null } = asObject(variable) ?? {};
        return [toText(name), value];
      }),
    ),
    filters: await filtersCondition(session, asObject(node.filters) ?? {}),
    membersOf: (wanted) => {
      const condition = members.get(wanted);
      if (condition === undefined) throw invalid('query', `Cohort ${wanted} does not exist.`);
      return `select p.uuid::uuid from store.persons p where ${condition}`;
    },
  };
}

/** Who is in the cohorts that a text may name, by their numbers and names. */
async function readMembers(session: Session, text: string): Promise<ReadonlyMap<string, string>> {
  const members = new Map<string, string>();
  for (const cohort of /\bcohort\b/i.test(text) ? await selectCohorts(session) : []) {
    const names = [String(cohort.id), cohort.name];
    if (!names.some((name) => text.includes(name.replaceAll("'", "''")))) continue;
    const condition = await membersOf(session, cohort);
    for (const name of names) if (!members.has(name)) members.set(name, condition);
  }
  return members;
}

/** Filters of a query over events. The end of the dates is not included. */
async function filtersCondition(session: Session, { dateRange, properties = null }: JsonObject) {
  const { date_from: from = null, date_to: to = null } = asObject(dateRange) ?? {};
  const { now, project } = await readState(session);
  const reader = { timezone: toText(project.timezone ?? 'UTC'), weekStart: 0, now: Number(now / 1000n) };
  const compare = (sign: string, date: Json) =>
    `timestamp ${sign} make_timestamp_ms(${readDate(toText(date), reader).instant})`;
  const parts = [
    ...(properties === null ? [] : [await eventsCondition(session, properties)]),
    ...(from === null || from === 'all' ? [] : [compare('>=', from)]),
    ...(to === null ? [] : [compare('<', to)]),
  ];
  return `(${['true', ...parts].join(' and ')})`;
}

const NUMBERS = ['UBIGINT', 'BIGINT', 'DOUBLE'];

/** What the values of each property are, over all persons and events: the service knows that, too. */
async function readTypes(session: Session, names: ReadonlySet<string>): Promise<Substitutes['types']> {
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

/** How long a statement may take to end after it was interrupted, in milliseconds. Longer ones are left behind. */
const GRACE = 2000;

async function inTime<Result>(
  session: Session,
  { signal, longest }: SqlRun,
  work: () => Promise<Result>,
): Promise<Result> {
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
    return await Promise.race([work(), interrupted]);
  } catch (cause) {
    signal.throwIfAborted();
    if (isLate) throw tooLong();
    if (cause instanceof Refusal) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    if (/^out of memory/i.test(message)) throw serverError('Query exceeds the max memory limit.');
    // The database says the place by repeating the line and pointing under it.
    throw refuseSql(message.trim(), { code: 'query_error' });
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
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

/** Answers a `DatabaseSchemaQuery`: the tables that SQL sees, and their columns. */
export async function describeTables(session: Session): Promise<JsonObject> {
  const columns = await session.rows(
    `select table_name, column_name, data_type from information_schema.columns
       where table_schema = 'main' and list_contains(from_json($1, '["VARCHAR"]'), table_name)
       order by table_name, ordinal_position`,
    [writeJson(TABLES)],
  );
  const tables = TABLES.map((name) => {
    const fields = columns
      .filter(({ table_name: table }) => table === name)
      .map((row) => describeColumn(textOf(row, 'column_name'), textOf(row, 'data_type')));
    const about = { type: 'posthog', id: name, name, fields: Object.fromEntries(fields) };
    return [name, about] as const;
  });
  return { tables: Object.fromEntries(tables), joins: [] };
}

/** Types as the service calls them; a structure is a table within the row. */
const COLUMN_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(UUID|VARCHAR)/, 'string'],
  [/^VARIANT/, 'json'],
  [/^TIMESTAMP/, 'datetime'],
  [/^BOOLEAN/, 'boolean'],
  [/^STRUCT/, 'virtual_table'],
];

function describeColumn(name: string, type: string): readonly [string, JsonObject] {
  const called = COLUMN_TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'unknown';
  return [name, { name, hogql_value: name, type: called, schema_valid: true }];
}
