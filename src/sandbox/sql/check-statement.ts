import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { parseJson } from '../../json/parse.ts';
import { toText } from '../../json/write.ts';
import { Refusal } from '../refusal.ts';
import { type Readable, textOf } from '../store/open-store.ts';

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

export type SqlFault = { readonly code: string; readonly at?: number | undefined };

/** A 400 for SQL that cannot be run, with the place in the text, counted from 1, where it is known. */
export function refuseSql(detail: string, { code, at }: SqlFault): Refusal {
  const place = at === undefined ? '' : ` (at character ${at + 1})`;
  return new Refusal(400, `${detail}${place}`, { type: 'validation_error', code, attr: 'query' });
}

/**
 * Checks that a text is one SELECT over persons, events and distinct ids alone, by the database's own parser. Throws a
 * `Refusal` 400 otherwise.
 */
export async function checkStatement(
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
