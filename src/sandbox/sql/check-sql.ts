import { asList, asObject, isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { toText } from '../../json/text.ts';
import { invalid, parseOr, type Refusal } from '../refusal.ts';
import { type Readable, textOf } from '../store/open-store.ts';
import {
  COLLECTED_ANSWERS,
  PLAIN_ANSWERS,
  REPEATING_ANSWERS,
  SMALL_ANSWERS,
  TABLE_FUNCTIONS,
  WIDE_ANSWERS,
} from './functions.ts';

/**
 * Checks that a text is one SELECT over persons, events and distinct ids, of functions that are allowed, by the
 * database's own parser. Throws a `Refusal` 400 otherwise.
 */
export async function checkStatement(
  readable: Readable,
  sql: string,
  placeOf: (at: number) => number,
): Promise<void> {
  const [row] = await readable.rows('select json_serialize_sql($1::varchar) as tree', [sql]);
  const tree = parseTree(textOf(row, 'tree'));
  if (tree.error === true) {
    const position = Number(toText(tree.position ?? ''));
    const known = tree.position !== undefined && Number.isSafeInteger(position);
    if (tree.error_type === 'parser') {
      const at = known ? placeOf(charactersIn(sql, position)) : undefined;
      throw refuseSql(toText(tree.error_message ?? ''), { code: 'syntax_error', at });
    }
    throw refuseSql('Only SELECT statements can be run.', { code: 'not_allowed' });
  }
  const statements = asList(tree.statements) ?? [];
  if (statements.length !== 1)
    throw refuseSql('Only one statement can be run at a time.', { code: 'not_allowed' });
  const tables = new Map(TABLES.map((name) => [name, 1]));
  const place = (at: number) => placeOf(charactersIn(sql, at));
  growthOf(asObject(statements[0])?.node ?? null, { tables, columns: 1, aliases: new Map(), place });
}

type SqlFault = { readonly code: string; readonly at?: number | undefined };

/** A 400 for SQL that cannot be run, with the place in the text, counted from 1, if it is known. */
export function refuseSql(detail: string, { code, at }: SqlFault): Refusal {
  const place = at === undefined ? '' : ` (at character ${at + 1})`;
  return invalid('query', `${detail}${place}`, code);
}

function parseTree(text: string): JsonObject {
  const tree = parseOr(text, () => {
    // The database writes numbers beyond its own as words that are no JSON.
    const detail = 'The query contains a number that is too large, or is nested too deeply.';
    throw refuseSql(detail, { code: 'not_allowed' });
  });
  if (isObject(tree)) return tree;
  throw new Error('the tree of a statement is not an object');
}

/** The database counts bytes. */
function charactersIn(sql: string, bytes: number): number {
  return Buffer.from(sql).subarray(0, bytes).toString().length;
}

/** What SQL may name. */
export const TABLES = ['persons', 'events', 'person_distinct_ids'];

/**
 * How many times as large as a stored value a value can get. Texts and lists lie outside of the database's own limit of
 * memory, so that `x || x` of `x || x` and so on has to end here.
 */
const MOST_GROWTH = 1000;

const COLLECTED = MOST_GROWTH / 2;

type Scope = {
  /** What a FROM can name here, each with the growth of its columns. */
  readonly tables: ReadonlyMap<string, number>;
  /** The growth of the columns that an expression can name. */
  readonly columns: number;
  /** Names that the same SELECT gave before, which an expression can use. */
  readonly aliases: ReadonlyMap<string, number>;
  readonly place: (at: number) => number;
};

/** Checks a part of a statement and answers how large its values can get. */
function growthOf(node: Json | undefined, scope: Scope): number {
  if (isList(node)) return most(node.map((item) => growthOf(item, scope)));
  if (!isObject(node)) return 1;
  if (isObject(node.sample)) throw refuse(node, scope, 'A sample is random, so it cannot be used here.');
  if (typeof node.class === 'string') return checkGrowth(node, expressionGrowth(node, scope), scope);
  const { type } = node;
  const isHolder = typeof type !== 'string' || HOLDERS.test(type);
  const read = isHolder ? growthOfParts : READERS[type];
  if (read === undefined) throw refuse(node, scope, `${toText(node.type ?? '')} cannot be used here.`);
  return read(node, scope);
}

function growthOfParts(node: JsonObject, scope: Scope): number {
  return most(Object.values(node).map((part) => growthOf(part, scope)));
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other), 1);
}

function checkGrowth(node: JsonObject, growth: number, scope: Scope): number {
  if (growth <= MOST_GROWTH) return growth;
  throw refuse(node, scope, 'The values of this expression can get too large.');
}

function refuse({ query_location: at }: JsonObject, { place }: Scope, detail: string): Refusal {
  return refuseSql(detail, { code: 'not_allowed', at: typeof at === 'number' ? place(at) : undefined });
}

type Reader = (node: JsonObject, scope: Scope) => number;

/** SELECT, set operations, tables and the parts around expressions. Anything else is refused. */
const READERS: Readonly<Record<string, Reader>> = {
  SELECT_NODE: selectGrowth,
  SET_OPERATION_NODE: (node, scope) => growthOfParts(node, withDefinitions(node, scope)),
  RECURSIVE_CTE_NODE: recursiveGrowth,
  JOIN: joinGrowth,
  EMPTY: () => 1,
  BASE_TABLE: tableGrowth,
  TABLE_FUNCTION: tableFunctionGrowth,
};

/** Parts that only hold others. */
const HOLDERS =
  /^(SUBQUERY|EXPRESSION_LIST|(ORDER|LIMIT|LIMIT_PERCENT|DISTINCT)_MODIFIER|ORDER_DEFAULT|ASCENDING|DESCENDING)$/;

function selectGrowth(node: JsonObject, outer: Scope): number {
  const { select_list: list, from_table: from, cte_map: _, ...others } = node;
  const inner = withDefinitions(node, outer);
  const columns = Math.max(outer.columns, growthOf(from, inner));
  const aliases = new Map<string, number>();
  const scope = { ...inner, columns, aliases };
  let growth = 1;
  for (const expression of asList(list) ?? []) {
    const own = growthOf(expression, scope);
    const alias = asObject(expression)?.alias;
    if (typeof alias === 'string') aliases.set(alias.toLowerCase(), own);
    growth = Math.max(growth, own);
  }
  growthOfParts(others, scope);
  return growth;
}

/** The queries that `with` names. Each sees those before it, and the catalog behind them does not count. */
function withDefinitions({ cte_map: definitions }: JsonObject, scope: Scope): Scope {
  const tables = new Map(scope.tables);
  for (const entry of asList(asObject(definitions)?.map) ?? []) {
    const { key, value } = asObject(entry) ?? {};
    tables.set(toText(key ?? '').toLowerCase(), growthOf(value, { ...scope, tables }));
  }
  return { ...scope, tables };
}

/** Each round starts from the one before, so that nothing may grow in it. */
function recursiveGrowth(node: JsonObject, outer: Scope): number {
  const scope = withDefinitions(node, outer);
  const first = growthOf(node.left, scope);
  const tables = new Map([...scope.tables, [toText(node.cte_name ?? '').toLowerCase(), first] as const]);
  if (growthOf(node.right, { ...scope, tables }) <= first) return first;
  throw refuse(node, scope, 'A recursive query cannot join texts or lists.');
}

function joinGrowth({ left, right, type: _, ...others }: JsonObject, scope: Scope): number {
  const leftGrowth = growthOf(left, scope);
  // The right side of a lateral join sees the left one.
  const besides = { ...scope, columns: Math.max(scope.columns, leftGrowth) };
  const columns = Math.max(besides.columns, growthOf(right, besides));
  growthOfParts(others, { ...scope, columns });
  return columns;
}

function tableGrowth(node: JsonObject, scope: Scope): number {
  const schema = toText(node.schema_name ?? '') + toText(node.catalog_name ?? '');
  const name = toText(node.table_name ?? '');
  const growth = schema === '' ? scope.tables.get(name.toLowerCase()) : undefined;
  if (growth !== undefined) return growth;
  throw refuse(
    node,
    scope,
    `The table "${name}" does not exist here, only persons, events and person_distinct_ids.`,
  );
}

function tableFunctionGrowth(node: JsonObject, scope: Scope): number {
  const call = asObject(node.function) ?? {};
  const name = toText(call.function_name ?? '').toLowerCase();
  if (!TABLE_FUNCTIONS.has(name))
    throw refuse(node, scope, `The table function ${name} cannot be used here.`);
  return growthOf(call.children, scope);
}

/** Names that the database takes for functions though they have no brackets. */
const CLOCK_WORDS =
  /^(current_(date|time|timestamp|catalog|schema|role|user)|localtime|localtimestamp|session_user|user)$/;

function expressionGrowth(node: JsonObject, scope: Scope): number {
  switch (node.class) {
    case 'CONSTANT':
      return constantGrowth(node);
    case 'COLUMN_REF':
      return columnGrowth(node, scope);
    case 'FUNCTION':
      return functionGrowth(node, scope);
    case 'WINDOW':
      return windowGrowth(node, scope);
    case 'STAR':
    case 'POSITIONAL_REFERENCE':
      return Math.max(scope.columns, growthOfParts(node, scope));
    case 'COMPARISON':
    case 'CONJUNCTION':
    case 'BETWEEN':
      growthOfParts(node, scope);
      return 1;
    case 'CAST':
      // Objects and lists become text with quotes and commas.
      return growthOf(node.child, scope) * (asObject(node.child)?.class === 'COLUMN_REF' ? 1 : 2);
    case 'OPERATOR':
      return node.type === 'ARRAY_CONSTRUCTOR' ? sumOf(node.children, scope) : growthOfParts(node, scope);
    case 'CASE':
    case 'COLLATE':
    case 'SUBQUERY':
      return growthOfParts(withoutTypes(node), scope);
    case 'LAMBDA':
      // No function that takes a lambda is allowed: this one is `column -> 'key'`.
      return growthOfParts(withoutTypes(node), scope);
    case 'PARAMETER':
      throw refuse(node, scope, 'Values must be given by name, as in {name}.');
    default:
      throw refuse(node, scope, `${toText(node.class ?? '')} cannot be used here.`);
  }
}

/** An expression's own type is no part of it. */
function withoutTypes({ type: _, class: __, ...parts }: JsonObject): JsonObject {
  return parts;
}

const CONSTANT_LENGTH = 100;

function constantGrowth({ value }: JsonObject): number {
  const given = asObject(value)?.value;
  return typeof given === 'string' ? 1 + Math.floor(given.length / CONSTANT_LENGTH) : 1;
}

function columnGrowth(node: JsonObject, scope: Scope): number {
  const [first = null, ...others] = asList(node.column_names) ?? [];
  const name = toText(first).toLowerCase();
  if (others.length > 0) return scope.columns;
  if (CLOCK_WORDS.test(name)) {
    throw refuse(node, scope, `${name} cannot be used here; now() and today() are the sandbox's clock.`);
  }
  return Math.max(scope.columns, scope.aliases.get(name) ?? 1);
}

function sumOf(children: Json | undefined, scope: Scope): number {
  return (asList(children) ?? []).reduce((sum: number, child) => sum + growthOf(child, scope), 0);
}

const WIDER = 4;

function functionGrowth(node: JsonObject, scope: Scope): number {
  const name = toText(node.function_name ?? '').toLowerCase();
  const children = asList(node.children) ?? [];
  const { filter, order_bys: order } = node;
  growthOf([filter ?? null, order ?? null], scope);
  const schema = toText(node.schema ?? '');
  if (!['', 'main'].includes(schema) || toText(node.catalog ?? '') !== '') {
    throw refuse(node, scope, `The function ${schema}.${name} cannot be used here.`);
  }
  if (name === 'age' && children.length < 2) {
    throw refuse(node, scope, 'age needs two times here, as in age(now(), timestamp).');
  }
  const sum = sumOf(children, scope);
  if (SMALL_ANSWERS.has(name)) return 1;
  if (PLAIN_ANSWERS.has(name)) return Math.max(1, sum);
  if (WIDE_ANSWERS.has(name)) return Math.max(1, sum) * WIDER;
  if (REPEATING_ANSWERS.has(name)) return repeatedGrowth(children, scope);
  if (COLLECTED_ANSWERS.has(name)) return Math.max(1, sum) * COLLECTED;
  throw refuse(node, scope, `The function ${name} cannot be used here.`);
}

/** Each character of one input may become the whole of another. */
function repeatedGrowth(children: readonly Json[], scope: Scope): number {
  const lengths = children.map((child) => {
    const value = asObject(asObject(child)?.value)?.value;
    return typeof value === 'string' ? Math.max(1, value.length) : growthOf(child, scope) * CONSTANT_LENGTH;
  });
  const [text = 1, ...others] = children.map((child) => growthOf(child, scope));
  return Math.max(text, ...others) * most(lengths.slice(1));
}

function windowGrowth(node: JsonObject, scope: Scope): number {
  const name = toText(node.function_name ?? '').toLowerCase();
  const growth = growthOfParts(withoutTypes(node), scope);
  if (SMALL_ANSWERS.has(name)) return 1;
  if (PLAIN_ANSWERS.has(name)) return growth;
  throw refuse(node, scope, `The function ${name} cannot be used over a window here.`);
}
