import { asObject, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { toText, writeJson } from '../../json/text.ts';
import { parseSql } from '../../semantics/sql-parser.ts';
import {
  checkCalls,
  partsOf,
  refuseOffset,
  SqlError,
  type SqlNode,
  type SqlSelect,
} from '../../semantics/sql-tree.ts';
import type { Dialect } from '../../service/endpoint.ts';
import { platform } from '../../service/platform.ts';
import { readDate } from '../analysis/time/date-range.ts';
import { eventsCondition, membersOf } from '../person-filters.ts';
import { invalid, Refusal } from '../refusal.ts';
import { pointerOf, textOf } from '../store/open-store.ts';
import type { Selected, Session } from '../store/session.ts';
import { readState, selectCohorts } from '../store/state.ts';
import type { PropertyKinds, SqlContext } from './scope.ts';
import { type Kind, TABLES } from './tables.ts';
import { DEFAULT_ROWS, MOST_ROWS, translate } from './translate.ts';
import translations from './translations.json' with { type: 'json' };
import { refuse } from './written.ts';

/** How a query is run. */
export type Running = {
  /** How long a query may run, in milliseconds. */
  readonly longestQuery: number;
  readonly dialect: Dialect;
  readonly signal: AbortSignal;
};

/**
 * Runs a `HogQLQuery` over persons and events. Throws a `Refusal`: 400 for SQL that cannot be run, 504 for one that
 * takes too long.
 */
export async function runSql(session: Session, node: JsonObject, run: Running): Promise<JsonObject> {
  const { query, values = {} } = node;
  if (typeof query !== 'string' || query.trim() === '')
    throw invalid('query', 'The query is empty.', 'required');
  if (!isObject(values)) throw invalid('values', 'Values must be an object.');
  if (query.length > LONGEST_SQL) throw refuseSql(TOO_LONG, { code: 'too_long' });
  return inTime(session, run, async (signal) => {
    const tree = await parseSql(query, signal);
    // The specification says nothing of it.
    if (run.dialect === 'live' && platform.query.live.refuses.includes('OFFSET')) refuseOffset(tree);
    checkCalls(tree);
    const sql = translate(tree, query, await readContext(session, node, { tree, values }));
    return answerOf(tree, await session.select(sql, MOST_ROWS), query);
  });
}

/** Only a query without a limit is told to have more rows: UNION and the like have limits of their own. */
function answerOf(tree: SqlSelect, { columns, rows }: Selected, query: string): JsonObject {
  const isPage = tree.node === 'SelectQuery' && !tree.limit;
  return {
    results: isPage ? rows.slice(0, DEFAULT_ROWS) : rows,
    columns: columns.map(({ name }) => name),
    types: columns.map(({ name, type }) => [name, clickhouseType(type)]),
    hasMore: isPage ? rows.length > DEFAULT_ROWS : null,
    limit: isPage ? DEFAULT_ROWS : null,
    offset: isPage ? 0 : null,
    hogql: query,
  };
}

/** Longer texts take the parser long. */
const LONGEST_SQL = 50_000;

const TOO_LONG = `A query has at most ${LONGEST_SQL} characters, without its values.`;

type SqlFault = { readonly code: string; readonly at?: number | undefined };

/** A 400 for SQL that cannot be run, with the place in the text, counted from 1, if it is known. */
function refuseSql(detail: string, { code, at }: SqlFault): Refusal {
  const place = at === undefined ? '' : ` (at character ${at + 1})`;
  return invalid('query', `${detail}${place}`, code);
}

async function readContext(
  session: Session,
  node: JsonObject,
  { tree, values }: { readonly tree: SqlSelect; readonly values: JsonObject },
): Promise<SqlContext> {
  const parts = [...partsOf(tree)];
  const hasCohort = parts.some((part) => part.node === 'CompareOperation' && part.op.endsWith('in cohort'));
  const members = await readMembers(session, hasCohort);
  const hasFilters = parts.some(
    (part) => part.node === 'Placeholder' && part.expr.node === 'Field' && part.expr.chain[0] === 'filters',
  );
  return {
    types: await readTypes(session, propertiesIn(parts)),
    values: { ...values, ...variablesOf(node) },
    filters: hasFilters ? await readFilters(session, asObject(node.filters) ?? {}) : () => 'true',
    membersOf: (wanted, place) => {
      const condition = members.get(wanted);
      if (condition === undefined) throw refuse(`Could not find cohort with ID or name ${wanted}`, place);
      return `select p.uuid::uuid from store.persons p where ${condition}`;
    },
  };
}

function variablesOf({ variables }: JsonObject): JsonObject {
  const pairs = Object.values(asObject(variables) ?? {}).map((variable) => {
    const { code_name: name = null, value = null } = asObject(variable) ?? {};
    return [`variables.${toText(name)}`, value] as const;
  });
  return Object.fromEntries(pairs);
}

/** The properties that a query names, as in `properties.plan` and `person.properties.plan`. */
function propertiesIn(parts: Iterable<SqlNode>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const part of parts) {
    const field = part.node === 'ArrayAccess' ? part.array : part;
    if (field.node !== 'Field') continue;
    const at = field.chain.indexOf('properties');
    const key =
      part.node === 'ArrayAccess' && part.property.node === 'Constant' ? part.property.value : undefined;
    const name = at === -1 ? undefined : (field.chain[at + 1] ?? key);
    if (typeof name === 'string') names.add(name);
  }
  return names;
}

/** Who is in the cohorts, by their numbers and names. */
async function readMembers(session: Session, isWanted: boolean): Promise<ReadonlyMap<string, string>> {
  const members = new Map<string, string>();
  for (const cohort of isWanted ? await selectCohorts(session) : []) {
    const condition = await membersOf(session, cohort);
    for (const name of [String(cohort.id), cohort.name]) if (!members.has(name)) members.set(name, condition);
  }
  return members;
}

/** Filters of a query over events. The end of the dates is not included. */
async function readFilters(
  session: Session,
  { dateRange, properties = null }: JsonObject,
): Promise<SqlContext['filters']> {
  const { date_from: from = null, date_to: to = null } = asObject(dateRange) ?? {};
  const { now, project } = await readState(session);
  const reader = { timezone: toText(project.timezone ?? 'UTC'), weekStart: 0, now: Number(now / 1000n) };
  const moment = (date: Json) => `make_timestamp_ms(${readDate(toText(date), reader).instant})`;
  const found = properties === null ? undefined : await eventsCondition(session, properties);
  return (column) => {
    const parts = [
      ...(found === undefined ? [] : [found(column('uuid'))]),
      ...(from === null || from === 'all' ? [] : [`${column('timestamp')} >= ${moment(from)}`]),
      ...(to === null ? [] : [`${column('timestamp')} < ${moment(to)}`]),
    ];
    return `(${['true', ...parts].join(' and ')})`;
  };
}

const NUMBERS = ['UBIGINT', 'BIGINT', 'DOUBLE'];

/** What the values of each property are, of persons and of events: the service knows that, too. */
async function readTypes(session: Session, names: ReadonlySet<string>): Promise<PropertyKinds> {
  if (names.size === 0) return () => undefined;
  const rows = await session.rows(
    `select distinct holder, unnest(types) as type, generate_subscripts(types, 1) as place from (
       select 'event' as holder, json_type(properties, from_json($1, '["VARCHAR"]')) as types from store.events
       union all select 'person', json_type(properties, from_json($1, '["VARCHAR"]')) from store.persons
     )`,
    [writeJson([...names].map(pointerOf))],
  );
  const found = new Map<string, string[]>();
  for (const row of rows) {
    const key = `${textOf(row, 'holder')} ${Number(row.place)}`;
    const type = textOf(row, 'type');
    if (type !== '' && type !== 'NULL') found.set(key, [...(found.get(key) ?? []), type]);
  }
  const places = new Map([...names].map((name, index) => [name, index + 1]));
  return (holder, name) => commonKind(found.get(`${holder} ${places.get(name)}`) ?? []);
}

function commonKind(types: readonly string[]): Kind | undefined {
  if (types.length === 0 || types.some((type) => ['ARRAY', 'OBJECT'].includes(type))) return undefined;
  if (types.every((type) => NUMBERS.includes(type))) return types.includes('DOUBLE') ? 'number' : 'integer';
  return types.every((type) => type === 'BOOLEAN') ? 'boolean' : 'text';
}

/** How long a statement may take to end after it was interrupted, in milliseconds. Longer ones are left behind. */
const GRACE = 2000;

async function inTime<Result>(
  session: Session,
  { signal, longestQuery }: Running,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timers: NodeJS.Timeout[] = [];
  const late = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    const leave = (reason: () => unknown) => timers.push(setTimeout(() => reject(reason()), GRACE));
    const end = () => {
      late.abort();
      session.interrupt();
      leave(tooLong);
    };
    timers.push(setTimeout(end, longestQuery));
    // Cancelling interrupts the session already.
    signal.addEventListener('abort', () => leave(() => signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, late.signal])), interrupted]);
  } catch (cause) {
    signal.throwIfAborted();
    if (late.signal.aborted) throw tooLong();
    if (cause instanceof Refusal) throw cause;
    if (cause instanceof SqlError) throw refuseSql(cause.message, cause);
    const message = cause instanceof Error ? cause.message : String(cause);
    if (/^out of memory/i.test(message)) throw serverError('Query exceeds the max memory limit.');
    throw refuseSql(plainReason(message), { code: 'query_error' });
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** What the database says of values, and nothing of its own names and of the SQL that it was given. */
function plainReason(message: string): string {
  const isOfTypes = /\b(?:Binder|Catalog|Parser|Not implemented|Internal) Error\b/i.test(message);
  if (isOfTypes) return 'Illegal types of arguments: the values of the query do not fit together.';
  return (/^(?:[\w ]+ Error: )?([^\n]*)/.exec(message)?.[1] ?? '').trim();
}

function tooLong(): Refusal {
  return serverError('Query has hit the max execution time before completing.');
}

function serverError(detail: string): Refusal {
  return new Refusal(504, detail, { type: 'server_error', code: 'error' });
}

const TYPES: Readonly<Record<string, string>> = translations.types;

/** A type of the database in the words of the service's own database. */
function clickhouseType(type: string): string {
  const item = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (item !== undefined) return `Array(${clickhouseType(item)})`;
  return TYPES[type] ?? type.replace(/^DECIMAL/, 'Decimal');
}

/** Answers a `DatabaseSchemaQuery`: the tables that SQL sees, and their columns. */
export function describeTables(): JsonObject {
  const tables = Object.entries(TABLES).map(([name, { columns }]) => {
    const fields = Object.entries(columns).flatMap(([column, { kind, isHidden }]) => {
      const [own = '', inner] = column.split('.');
      if (isHidden && inner === undefined) return [];
      const type = inner === undefined ? (COLUMN_TYPES[kind] ?? kind) : 'virtual_table';
      return [[own, { name: own, hogql_value: own, type, schema_valid: true }] as const];
    });
    return [name, { type: 'posthog', id: name, name, fields: Object.fromEntries(fields) }] as const;
  });
  return { tables: Object.fromEntries(tables), joins: [] };
}

/** Types as the service calls them; what has columns of its own is a table within the row. */
const COLUMN_TYPES: Partial<Record<Kind, string>> = {
  uuid: 'string',
  text: 'string',
  time: 'datetime',
  flag: 'boolean',
};
