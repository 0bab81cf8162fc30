import type { SqlJoin, SqlNode, SqlSimpleSelect } from '../../semantics/sql-tree.ts';
import { orDefault } from './calls.ts';
import { write, writeCondition } from './expressions.ts';
import { type Columns, emptyScope, type Scope, type Source, storedSource, writeStored } from './scope.ts';
import { made, notHere, quoteName, refuse } from './written.ts';

/** Reads what a FROM names into the scope. What it writes is known once all other names are resolved. */
export function readSources(node: SqlSimpleSelect, scope: Scope): () => string {
  const parts: (() => string)[] = [];
  for (let join = node.select_from; join; join = join.next_join) {
    const kind = parts.length === 0 ? '' : ` ${joinKind(join)} `;
    const source = readSource(join, scope);
    const constraint = writeConstraint(join, { ...scope, place: 'join' });
    fillMissing(scope.sources, { own: /left|full/.test(kind), others: /right|full/.test(kind) });
    parts.push(() => kind + source() + constraint);
  }
  const lists = (node.array_join_list ?? []).map((one, at) => readArrayJoin(node, one, at, scope));
  return () => {
    const from = [...parts.map((part) => part()), ...lists].join('');
    const spread = scope.spread.map((list, at) => `lateral (select unnest(${list}) as v) as "_spread${at}"`);
    const all = [from, ...spread].filter((part) => part !== '');
    return all.length === 0 ? '' : ` from ${all.join(', ')}`;
  };
}

/** Where a join finds no row, columns that are never missing have what the service's database begins with. */
function fillMissing(
  sources: Source[],
  { own, others }: { readonly own: boolean; readonly others: boolean },
) {
  for (const [at, source] of sources.entries()) {
    if (at < sources.length - 1 ? !others : !own) continue;
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
  const { table, alias, table_args: args, column_aliases: names, sample } = join;
  if (sample) throw notHere('SAMPLE, which is random', sample);
  const add = (name: string, columns: Columns, sql: string) => {
    scope.sources.push({ name, columns: named(columns, name) });
    return () => `${sql} as ${quoteName(name)}${listed(columns)}`;
  };
  if (table.node === 'SelectQuery' || table.node === 'SelectSetQuery') {
    const { sql, columns } = scope.query.select(table, scope.tables);
    return add(alias ?? `_query${scope.sources.length}`, renamed(columns, names), `(${sql})`);
  }
  if (table.node !== 'Field') throw notHere('such a table', table);
  if (names && names.length > 0) throw notHere('names of columns behind a table', table);
  const name = table.chain.join('.');
  const own = alias ?? name;
  if (args) {
    if (name !== 'numbers') throw refuse(`Unknown table function \`${own}\`.`, table, 'unknown_table');
    return add(own, new Map([['number', made('integer', '')]]), rangeOf(args, scope));
  }
  const defined = scope.tables.get(name);
  if (defined !== undefined) return add(own, defined, quoteName(name));
  const source = storedSource(name, own, table);
  scope.sources.push(source);
  return () => writeStored(source);
}

/** `numbers(5)` and `numbers(2, 5)`: what a query counts on need not be stored. */
function rangeOf(args: readonly SqlNode[], scope: Scope): string {
  const [start, count] = args.map((one) => write(one, emptyScope(scope)).sql);
  return count === undefined ? `range(${start})` : `range(${start}, ${start} + ${count})`;
}

function readArrayJoin(node: SqlSimpleSelect, one: SqlNode, at: number, scope: Scope): string {
  const word = node.array_join_op === 'LEFT ARRAY JOIN' ? 'left' : 'cross';
  const list = write(one, scope);
  const name = nameOf(one, scope.query.text);
  const own = `_list${at}`;
  const entry = { ...list, sql: `${quoteName(own)}.${quoteName(name)}`, kind: 'other' } as const;
  scope.sources.push({ name: own, columns: new Map([[name, entry]]) });
  const rows = `lateral (select unnest(${list.sql}) as ${quoteName(name)}) as ${quoteName(own)}`;
  return ` ${word} join ${rows}${word === 'left' ? ' on true' : ''}`;
}

/** The name of a column: the one that was given, the field's own, or the text. */
export function nameOf(node: SqlNode, text: string): string {
  if (node.node === 'Alias') return node.alias;
  if (node.node === 'Field') return String(node.chain.at(-1));
  return text.slice(node.start?.offset, node.end?.offset).trim();
}

/** Columns with the names that are given behind the name of the query. */
export function renamed(columns: Columns, names: readonly string[] | null | undefined): Columns {
  return new Map([...columns].map(([name, written], at) => [names?.[at] ?? name, written]));
}

/** Columns by their own names, behind that of a source. */
export function named(columns: Columns, source?: string): Columns {
  const before = source === undefined ? '' : `${quoteName(source)}.`;
  return new Map([...columns].map(([name, one]) => [name, { ...one, sql: before + quoteName(name) }]));
}

/** The names of a query's columns, in brackets. */
export function listed(columns: Columns): string {
  return `(${[...columns.keys()].map(quoteName).join(', ')})`;
}
