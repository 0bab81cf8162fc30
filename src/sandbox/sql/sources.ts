import type { SqlJoin, SqlNode, SqlSimpleSelect } from '../../semantics/sql-tree.ts';
import { orDefault } from './calls.ts';
import { write, writeCondition } from './expressions.ts';
import { type Columns, emptyScope, type Scope, type Source, storedSource, writeStored } from './scope.ts';
import { made, notHere, quoteName, refuse } from './written.ts';

/** Reads what a FROM names into the scope. What it writes is known once all other names are resolved. */
export function readSources(node: SqlSimpleSelect, scope: Scope): () => string {
  const joins: SqlJoin[] = [];
  for (let join = node.select_from; join; join = join.next_join) joins.push(join);
  const parts = joins.map((join, at) => ({
    join,
    kind: at === 0 ? '' : ` ${joinKind(join)} `,
    source: readSource(join, scope),
  }));
  const constraints = parts.map(({ join }) => writeConstraint(join, { ...scope, place: 'join' }));
  for (const [at, { kind }] of parts.entries()) {
    if (/left|full/.test(kind)) fillMissing(scope.sources, at, at + 1);
    if (/right|full/.test(kind)) fillMissing(scope.sources, 0, at);
  }
  const lists = (node.array_join_list ?? []).map((one, at) => readArrayJoin(node, one, at, scope));
  return () => {
    const from = parts.map(({ kind, source }, at) => kind + source() + (constraints[at] ?? ''));
    const spread = scope.spread.map((list, at) => `lateral (select unnest(${list}) as v) as "_spread${at}"`);
    const all = [[...from, ...lists].join(''), ...spread].filter((part) => part !== '');
    return all.length === 0 ? '' : ` from ${all.join(', ')}`;
  };
}

/** Where a join finds no row, columns that are never missing have what the service's database begins with. */
function fillMissing(sources: Source[], from: number, to: number): void {
  for (const [at, source] of sources.entries()) {
    if (at < from || at >= to) continue;
    const columns = [...source.columns].map(([name, written]) => [name, orDefault(written)] as const);
    sources[at] = { ...source, columns: new Map(columns) };
  }
}

function joinKind(join: SqlJoin): string {
  const kind = (join.join_type ?? 'JOIN').toLowerCase().replaceAll(/\b(?:global|any|all) /g, '');
  if (/^(?:(?:inner|left|right|full)(?: outer)? |cross )?join$/.test(kind)) return kind;
  throw notHere(join.join_type ?? 'JOIN', join);
}

function writeConstraint({ constraint }: SqlJoin, scope: Scope): string {
  if (!constraint) return '';
  const { constraint_type: type, expr } = constraint;
  if (type === 'ON') return ` on ${writeCondition(expr, scope)}`;
  const fields = expr.node === 'Tuple' ? expr.exprs : [expr];
  const names = fields.map((field) => (field.node === 'Field' ? String(field.chain.at(-1)) : ''));
  for (const { stored } of scope.sources) for (const name of names) stored?.used.add(name);
  return ` using (${names.map(quoteName).join(', ')})`;
}

function readSource(join: SqlJoin, scope: Scope): () => string {
  const { table, alias, column_aliases: names } = join;
  if (join.sample) throw notHere('SAMPLE, which is random', join.sample);
  if (table.node === 'SelectQuery' || table.node === 'SelectSetQuery') {
    const { sql, columns } = scope.query.select(table, scope.tables);
    const name = alias ?? `_query${scope.sources.length}`;
    const given = renamed(columns, names);
    scope.sources.push({ name, columns: qualified(given, name) });
    return () => `(${sql}) as ${quoteName(name)}${listed(given)}`;
  }
  if (table.node !== 'Field') throw notHere('such a table', table);
  if (names && names.length > 0) throw notHere('names of columns behind a table', table);
  const name = table.chain.join('.');
  const own = alias ?? name;
  if (join.table_args) return readNumbers(join, own, scope);
  const defined = scope.tables.get(name);
  if (defined === undefined) {
    const source = storedSource(name, own, table);
    scope.sources.push(source);
    return () => writeStored(source);
  }
  scope.sources.push({ name: own, columns: qualified(defined, own) });
  return () => `${quoteName(name)} as ${quoteName(own)}`;
}

/** `numbers(5)` and `numbers(2, 5)`: what a query counts on need not be stored. */
function readNumbers({ table, table_args: args }: SqlJoin, own: string, scope: Scope): () => string {
  if (table.node !== 'Field' || table.chain.join('.') !== 'numbers')
    throw refuse(`Unknown table function \`${own}\`.`, table, 'unknown_table');
  const [start, count] = (args ?? []).map((one) => write(one, emptyScope(scope)).sql);
  const range = count === undefined ? `range(${start})` : `range(${start}, ${start} + ${count})`;
  const number = made('integer', `${quoteName(own)}."number"`);
  scope.sources.push({ name: own, columns: new Map([['number', number]]) });
  return () => `${range} as ${quoteName(own)}("number")`;
}

function readArrayJoin(node: SqlSimpleSelect, one: SqlNode, at: number, scope: Scope): string {
  const word = node.array_join_op === 'LEFT ARRAY JOIN' ? 'left' : 'cross';
  const list = write(one, scope);
  const name = one.node === 'Alias' ? one.alias : nameOf(one, scope.query.text);
  const own = `_list${at}`;
  const entry = { ...list, sql: `${quoteName(own)}.${quoteName(name)}`, kind: 'other' } as const;
  scope.sources.push({ name: own, columns: new Map([[name, entry]]) });
  const rows = `lateral (select unnest(${list.sql}) as ${quoteName(name)}) as ${quoteName(own)}`;
  return ` ${word} join ${rows}${word === 'left' ? ' on true' : ''}`;
}

/** The name of a column that was not given one: the field's own, or the text. */
export function nameOf(node: SqlNode, text: string): string {
  if (node.node === 'Field') return String(node.chain.at(-1));
  return text.slice(node.start?.offset, node.end?.offset).trim();
}

/** Columns with the names that are given behind the name of the query. */
export function renamed(columns: Columns, names: readonly string[] | null | undefined): Columns {
  return new Map([...columns].map(([name, written], at) => [names?.[at] ?? name, written]));
}

function qualified(columns: Columns, own: string): Columns {
  const before = quoteName(own);
  return new Map(
    [...columns].map(([name, written]) => [name, { ...written, sql: `${before}.${quoteName(name)}` }]),
  );
}

/** The names of a query's columns, in brackets. */
export function listed(columns: Columns): string {
  return `(${[...columns.keys()].map(quoteName).join(', ')})`;
}
