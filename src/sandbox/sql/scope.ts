import type { JsonObject } from '../../json/kinds.ts';
import type { SqlField, SqlNode, SqlSelect } from '../../semantics/sql-tree.ts';
import { pointerOf, quoteText } from '../store/open-store.ts';
import type { Place } from './calls.ts';
import { type Kind, LACKING, TABLES, type Table } from './tables.ts';
import { made, notHere, quoteName, refuse, type Written } from './written.ts';

/** What stands in a FROM. */
export type Source = {
  /** The name in front of its columns. */
  readonly name: string;
  readonly columns: ReadonlyMap<string, Written>;
  /** Of a table of the service: which one, and the columns that the query needs. */
  readonly stored?: { readonly table: Table; readonly name: string; readonly used: Set<string> };
};

export type Columns = ReadonlyMap<string, Written>;

type Alias = {
  readonly written: Written;
  readonly isAggregate: boolean;
  /** Its place among the columns, from 1. */
  readonly place: number;
};

/** What names stand for in one SELECT. */
export type Scope = {
  readonly query: Query;
  /** The queries that WITH names. */
  readonly tables: ReadonlyMap<string, Columns>;
  readonly sources: Source[];
  readonly aliases: Map<string, Alias>;
  /** Arguments of lambdas, and values that WITH names. */
  readonly locals: Columns;
  /** Lists that become rows, by their SQL. */
  readonly spread: string[];
  readonly place?: Place;
  readonly inAggregate?: boolean | undefined;
};

/** What a query stands on, which is the same in all of its parts. */
export type Query = SqlContext & {
  /** As it was written. */
  readonly text: string;
  /** Writes a query within it. */
  readonly select: (select: SqlSelect, tables: Scope['tables']) => Selection;
};

export type Selection = { readonly sql: string; readonly columns: Columns };

export type SqlContext = {
  /** Values of placeholders, as of `{name}` and `{variables.name}`. */
  readonly values: JsonObject;
  readonly types: PropertyKinds;
  /** The condition that `{filters}` stands for, over the columns of a source of events. */
  readonly filters: (column: (name: string) => string) => string;
  /** A query for the ids of a cohort's members, by its number or name. */
  readonly membersOf: (cohort: string, node: SqlNode) => string;
};

/** A scope in which only the queries of WITH have a name. */
export function emptyScope({ query, tables }: Pick<Scope, 'query' | 'tables'>): Scope {
  return { query, tables, sources: [], aliases: new Map(), locals: new Map(), spread: [] };
}

/** What the values of a property of persons or of events are; undefined for lists and objects, and if there are none. */
export type PropertyKinds = (holder: 'person' | 'event', name: string) => Kind | undefined;

/** A table of the service as a source. */
export function storedSource(name: string, alias: string | undefined, node: SqlNode): Source {
  const table = Object.hasOwn(TABLES, name) ? TABLES[name] : undefined;
  if (table === undefined) {
    if (LACKING.tables.includes(name)) throw notHere(`the table ${name}`, node);
    throw refuse(`Unknown table \`${name}\`.`, node, 'unknown_table');
  }
  const own = alias ?? name;
  const columns = Object.entries(table.columns).map(([column, { kind, isMissing = false }]) => {
    return [column, { ...made(kind, `${quoteName(own)}.${quoteName(column)}`), isMissing }] as const;
  });
  return { name: own, columns: new Map(columns), stored: { table, name, used: new Set() } };
}

/** The columns of `*`. */
export function visibleColumns({ columns, stored }: Source): readonly (readonly [string, Written])[] {
  return [...columns].filter(([name]) => {
    if (stored?.table.columns[name]?.isHidden) return false;
    stored?.used.add(name);
    return true;
  });
}

/** A source of the service's tables with the columns that are used, and no table more. */
export function writeStored({ name, stored }: Source): string {
  if (stored === undefined) return quoteName(name);
  const { table, used } = stored;
  const needed = [...used].flatMap((column) => table.columns[column]?.from ?? []);
  const list = [...used].map((column) => `${table.columns[column]?.sql} as ${quoteName(column)}`);
  const joins = [...new Set(needed)].map((join) => table.joins[join] ?? '');
  return `(select ${list.join(', ') || '1 as "_"'} from ${[table.from, ...joins].join(' ')}) as ${quoteName(name)}`;
}

/** What a name stands for. Throws an `SqlError` for one that is not known here, or in several sources. */
export function resolveField(node: SqlField, scope: Scope): Written {
  const chain = node.chain.map(String);
  const [head = ''] = chain;
  const local = chain.length === 1 ? localName(head, scope) : undefined;
  if (local !== undefined) return local;
  const named = chain.length > 1 ? scope.sources.find(({ name }) => name === head) : undefined;
  const path = named === undefined ? chain : chain.slice(1);
  const around = named === undefined ? scope.sources : [named];
  const [found, second] = around.flatMap((one) => columnIn(one, path));
  if (second !== undefined)
    throw refuse(`Ambiguous query. Found multiple sources for field: ${head}`, node, 'unknown_field');
  if (found === undefined) throw unknownField(path, around, node);
  const { stored, column, written, inner } = found;
  stored?.used.add(column);
  if (inner.length === 0) return written;
  if (written.kind !== 'json') throw unknownField(inner, [], node);
  const isPerson = column.startsWith('person') || stored?.name === 'persons';
  return writeProperty(written.sql, inner, (name) => scope.query.types(isPerson ? 'person' : 'event', name));
}

function unknownField(path: readonly string[], around: readonly Source[], node: SqlNode) {
  const [head = '', inner = ''] = path;
  const lacks = (table: string, column: string) => LACKING.columns[table]?.includes(column);
  const isLacking = around.some(
    ({ stored }) => stored && (lacks(stored.name, head) || (head === 'session' && lacks('sessions', inner))),
  );
  if (isLacking) return notHere(`the column ${path.join('.')}`, node);
  return refuse(`Unable to resolve field: ${path.join('.')}`, node, 'unknown_field');
}

/** An alias wins over a column, but no aggregate stands within another. */
function localName(name: string, { locals, aliases, inAggregate }: Scope): Written | undefined {
  const alias = aliases.get(name);
  const isOpen = alias !== undefined && !(inAggregate && alias.isAggregate);
  return locals.get(name) ?? (isOpen ? alias.written : undefined);
}

/** The longest name of a column that a path begins with, if there is one: some have a dot in them. */
function columnIn({ columns, stored }: Source, path: readonly string[]) {
  const found = (stored === undefined ? [1] : [2, 1]).flatMap((length) => {
    const column = path.slice(0, length).join('.');
    const written = length <= path.length ? columns.get(column) : undefined;
    return written === undefined ? [] : [{ stored, column, written, inner: path.slice(length) }];
  });
  return found.slice(0, 1);
}

const TYPES: Partial<Record<Kind, string>> = { integer: 'bigint', number: 'double', boolean: 'boolean' };

/** A property in its type: text and numbers as they are, lists and objects as JSON. */
export function writeProperty(
  holder: string,
  path: readonly string[],
  kindOf: (name: string) => Kind | undefined,
): Written {
  const sql = `json_extract_string(${holder}, ${quoteText(path.map(pointerOf).join(''))})`;
  const kind = (path.length === 1 ? kindOf(path[0] ?? '') : undefined) ?? 'text';
  const type = TYPES[kind];
  return { ...made(kind, type === undefined ? sql : `try_cast(${sql} as ${type})`), isMissing: true };
}
