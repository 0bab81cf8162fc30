import {
  hasAggregate,
  type SqlNode,
  type SqlSelect,
  type SqlSimpleSelect,
} from '../../semantics/sql-tree.ts';
import { write, writeCondition, writeList, writeOrder, writeWindow } from './expressions.ts';
import {
  type Columns,
  emptyScope,
  type Scope,
  type Selection,
  type SqlContext,
  visibleColumns,
} from './scope.ts';
import { listed, named, nameOf, readSources, renamed } from './sources.ts';
import { clause, notHere, quoteName, refuse, type Written } from './written.ts';

/** How many rows a query without a limit gives, and how many at most. */
export const DEFAULT_ROWS = 100;

export const MOST_ROWS = 50_000;

/** A query of the service in the database's SQL. `text` is what was written. Throws an `SqlError`. */
export function translate(tree: SqlSelect, text: string, context: SqlContext): string {
  const query = {
    ...context,
    text,
    select: (node: SqlSelect, tables: Tables) => select(node, { query, tables }),
  };
  return select(tree, { query, tables: new Map(), rows: DEFAULT_ROWS + 1 }).sql;
}

type Tables = Scope['tables'];

type Surroundings = Pick<Scope, 'query' | 'tables'> & {
  /** How many rows a query that is within no other one gives, unless it says how many. */
  readonly rows?: number | undefined;
};

function select(node: SqlSelect, around: Surroundings): Selection {
  return node.node === 'SelectSetQuery' ? selectSet(node, around) : selectOne(node, around);
}

function selectSet(node: Extract<SqlSelect, { node: 'SelectSetQuery' }>, around: Surroundings): Selection {
  // Those of a UNION are cut one by one.
  const inner = { ...around, rows: around.rows && DEFAULT_ROWS };
  const first = select(node.initial_select_query, inner);
  let { columns } = first;
  const parts = node.subsequent_select_queries.map(({ set_operator: words, select_query: query }) => {
    const next = select(query, inner);
    columns = joined(columns, next.columns);
    return `${words.toLowerCase().replace(' distinct', '')} (${next.sql})`;
  });
  const scope = { ...emptyScope(around), sources: [{ name: '', columns: named(columns) }] };
  return { sql: `(${first.sql}) ${parts.join(' ')}${ending(node, scope, undefined)}`, columns };
}

/** Columns of queries that UNION and the like put under each other. */
function joined(first: Columns, next: Columns): Columns {
  const others = [...next.values()];
  return new Map(
    [...first].map(([name, one], at) => {
      const other = others[at] ?? one;
      const kind = one.kind === other.kind || other.kind === 'other' ? one.kind : 'other';
      const isMissing = one.isMissing || other.isMissing;
      return [name, { ...one, kind, isMissing, size: Math.max(one.size, other.size) }];
    }),
  );
}

function selectOne(node: SqlSimpleSelect, around: Surroundings): Selection {
  const { heads, scope } = withDefinitions(node, around);
  const from = readSources(node, scope);
  const columns = new Map<string, Written>();
  const selected = node.select.flatMap((one) => readColumn(one, scope, columns));
  const conditions = [node.prewhere, node.where].flatMap((one) => (one ? [writeCondition(one, scope)] : []));
  const windows = Object.entries(node.window_exprs ?? {}).map(
    ([name, window]) => `${quoteName(name)} as (${writeWindow(window, scope)})`,
  );
  const clauses = [
    clause('where', conditions.join(' and ')),
    clause('group by', writeGroups(node, scope)),
    clause('having', node.having && writeCondition(node.having, scope)),
    clause('window', windows.join(', ')),
    clause('qualify', writeQualify(node, scope)),
    ending(node, scope, around.rows),
  ];
  const list = selected.map(([name, one]) => `${around.rows ? shown(one) : one.sql} as ${quoteName(name)}`);
  const start = `${heads}select ${node.distinct ? 'distinct ' : ''}${list.join(', ')}`;
  return { sql: start + from() + clauses.join(''), columns };
}

/** Each definition sees those before it. */
function withDefinitions(node: SqlSimpleSelect, { query, tables: outer }: Surroundings) {
  const tables = new Map(outer);
  const locals = new Map<string, Written>();
  const heads: string[] = [];
  for (const cte of node.ctes ?? []) {
    const { name, expr, columns: names } = cte;
    if (cte.cte_type === 'column') {
      locals.set(name, write(expr, { ...emptyScope({ query, tables }), locals }));
      continue;
    }
    if (expr.node !== 'SelectQuery' && expr.node !== 'SelectSetQuery') throw notHere('such a WITH', cte);
    const first = expr.node === 'SelectSetQuery' ? expr.initial_select_query : expr;
    const before = cte.recursive ? renamed(select(first, { query, tables }).columns, names) : undefined;
    if (before !== undefined) tables.set(name, before);
    const { sql, columns } = select(expr, { query, tables });
    const own = renamed(columns, names);
    // Each round starts from the one before, so that nothing may grow in it.
    if (before && [...own].some(([column, { size }]) => size > (before.get(column)?.size ?? 1)))
      throw refuse('A recursive query cannot join texts or lists.', cte, 'not_allowed');
    tables.set(name, own);
    heads.push(`${quoteName(name)}${listed(own)} as (${sql})`);
  }
  const word = node.ctes?.some(({ recursive }) => recursive) ? 'with recursive' : 'with';
  return {
    heads: heads.length === 0 ? '' : `${word} ${heads.join(', ')} `,
    scope: { ...emptyScope({ query, tables }), locals },
  };
}

type Selected = readonly (readonly [string, Written])[];

function readColumn(node: SqlNode, scope: Scope, columns: Map<string, Written>): Selected {
  if (node.node === 'Field' && node.chain.at(-1) === '*') {
    const all = scope.sources.filter(({ name }) => node.chain.length === 1 || name === node.chain[0]);
    if (all.length === 0)
      throw refuse(`Unable to resolve field: ${node.chain.join('.')}`, node, 'unknown_field');
    const visible = all.flatMap(visibleColumns);
    for (const [name, written] of visible) columns.set(name, written);
    return visible;
  }
  const written = write(node, scope);
  const name = nameOf(node, scope.query.text);
  if (node.node === 'Alias') {
    if (scope.aliases.has(name)) throw refuse(`Cannot redefine an alias with the name: ${name}`, node);
    scope.aliases.set(name, { written, isAggregate: hasAggregate(node), place: columns.size + 1 });
  }
  columns.set(name, written);
  return [[name, written]];
}

function writeGroups({ group_by: by, group_by_mode: mode }: SqlSimpleSelect, scope: Scope): string {
  if (mode === 'all') return 'all';
  if (mode && mode !== 'rollup' && mode !== 'cube') throw notHere(`GROUP BY ${mode}`, by?.[0]);
  const list = writeList(by, scope, placeOrSql);
  return mode ? `${mode} (${list})` : list;
}

/** The place of a column stands for it, whatever it is made of. */
function placeOrSql(node: SqlNode, scope: Scope): string {
  const [name = '', ...rest] = node.node === 'Field' ? node.chain : [];
  const alias = rest.length === 0 ? scope.aliases.get(String(name)) : undefined;
  return String(alias?.place ?? write(node, scope).sql);
}

/** `LIMIT n BY x`: so many rows of each x. */
function writeQualify({ qualify, limit_by: by, order_by: order }: SqlSimpleSelect, scope: Scope): string {
  const conditions = qualify ? [writeCondition(qualify, scope)] : [];
  if (by) {
    const row = `row_number() over (${writeWindow({ partition_by: by.exprs, order_by: order ?? null }, scope)})`;
    const offset = by.offset_value ? write(by.offset_value, scope).sql : '0';
    conditions.push(`${row} > ${offset} and ${row} <= ${offset} + ${write(by.n, scope).sql}`);
  }
  return conditions.join(' and ');
}

/** Order and number of rows. Without a limit there is one row more than is shown, which tells that there are more. */
function ending(node: SqlSelect, scope: Scope, rows: number | undefined): string {
  if (node.limit_with_ties) throw notHere('WITH TIES', node.limit);
  if (node.limit_percent) throw notHere('LIMIT in percent', node.limit);
  const [own, offset] = [node.limit, node.offset].map((one) => one && write(one, emptyScope(scope)).sql);
  const limit = rows && own ? `least(${own}, ${MOST_ROWS})` : (own ?? rows?.toString());
  return writeOrder(node.order_by, scope, placeOrSql) + clause('limit', limit) + clause('offset', offset);
}

/** A value as answers have it: comparisons are numbers, objects are text. */
function shown({ sql, kind }: Written): string {
  if (kind === 'flag') return `(${sql})::utinyint`;
  return kind === 'json' ? `(${sql})::varchar` : sql;
}
