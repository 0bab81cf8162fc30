import type { Json } from '../json/kinds.ts';
import published from '../service/sql-functions.json' with { type: 'json' };

/** Where a part of a text begins and ends, in characters. */
type Place = {
  readonly start?: { readonly offset: number };
  readonly end?: { readonly offset: number };
};

type Of<Kind extends string, Parts> = Place & { readonly node: Kind } & Parts;

type Two = { readonly left: SqlNode; readonly right: SqlNode };
type Several = { readonly exprs: readonly SqlNode[] };
type One = { readonly expr: SqlNode };

export type SqlCall = Of<
  'Call',
  {
    readonly name: string;
    readonly args: readonly SqlNode[];
    readonly params?: readonly SqlNode[] | null;
    readonly distinct?: boolean;
    readonly filter_expr?: SqlNode | null;
    readonly order_by?: readonly SqlOrder[] | null;
    readonly within_group?: readonly SqlOrder[] | null;
  }
>;

export type SqlField = Of<'Field', { readonly chain: readonly (string | number)[] }>;

export type SqlCompare = Of<'CompareOperation', Two & { readonly op: string }>;

export type SqlWindow = {
  readonly partition_by?: readonly SqlNode[] | null;
  readonly order_by?: readonly SqlOrder[] | null;
  readonly frame_method?: string | null;
  readonly frame_start?: SqlFrame | null;
  readonly frame_end?: SqlFrame | null;
};

type SqlFrame = { readonly frame_type: string; readonly frame_value?: number | null };

/** A part of a query that has a value. */
export type SqlNode =
  | Of<'Constant', { readonly value: Json; readonly value_type?: string }>
  | SqlField
  | SqlCall
  | SqlCompare
  | SqlSelect
  | Of<'Alias', One & { readonly alias: string }>
  | Of<'And' | 'Or', Several>
  | Of<'Array' | 'Tuple', Several>
  | Of<'Not', One>
  | Of<'Placeholder', One>
  | Of<'ArithmeticOperation', Two & { readonly op: string }>
  | Of<'IsDistinctFrom', Two & { readonly negated: boolean }>
  | Of<'BetweenExpr', One & { readonly low: SqlNode; readonly high: SqlNode; readonly negated: boolean }>
  | Of<'ArrayAccess', { readonly array: SqlNode; readonly property: SqlNode }>
  | Of<'TupleAccess', { readonly tuple: SqlNode; readonly index: number }>
  | Of<'Lambda', One & { readonly args: readonly string[] }>
  | Of<'TypeCast' | 'TryCast', One & { readonly type_name: string }>
  | Of<
      'WindowFunction',
      {
        readonly name: string;
        readonly args?: readonly SqlNode[] | null;
        readonly exprs?: readonly SqlNode[] | null;
        readonly over_identifier?: string | null;
        readonly over_expr?: SqlWindow | null;
      }
    >;

export type SqlOrder = Place & {
  readonly expr: SqlNode;
  readonly order: 'ASC' | 'DESC';
  readonly with_fill?: Json;
};

export type SqlJoin = Place & {
  readonly table: SqlNode;
  readonly alias?: string | null;
  readonly table_args?: readonly SqlNode[] | null;
  readonly column_aliases?: readonly string[] | null;
  readonly join_type?: string | null;
  readonly next_join?: SqlJoin | null;
  readonly constraint?: { readonly constraint_type: 'ON' | 'USING'; readonly expr: SqlNode } | null;
  readonly sample?: Place | null;
};

type SqlCte = Place & {
  readonly name: string;
  readonly expr: SqlNode;
  readonly cte_type: 'subquery' | 'column';
  readonly recursive?: boolean;
  readonly columns?: readonly string[] | null;
};

export type SqlSimpleSelect = Of<
  'SelectQuery',
  {
    readonly ctes?: readonly SqlCte[] | null;
    readonly select: readonly SqlNode[];
    readonly distinct?: boolean | null;
    readonly select_from?: SqlJoin | null;
    readonly array_join_op?: string | null;
    readonly array_join_list?: readonly SqlNode[] | null;
    readonly prewhere?: SqlNode | null;
    readonly where?: SqlNode | null;
    readonly group_by?: readonly SqlNode[] | null;
    readonly group_by_mode?: string | null;
    readonly having?: SqlNode | null;
    readonly qualify?: SqlNode | null;
    readonly window_exprs?: { readonly [name: string]: SqlWindow } | null;
    readonly limit_by?: {
      readonly n: SqlNode;
      readonly exprs: readonly SqlNode[];
      readonly offset_value?: SqlNode | null;
    } | null;
  } & SqlTail
>;

type SqlTail = {
  readonly order_by?: readonly SqlOrder[] | null;
  readonly limit?: SqlNode | null;
  readonly limit_with_ties?: boolean | null;
  readonly limit_percent?: boolean | null;
  readonly offset?: SqlNode | null;
};

export type SqlSelect =
  | SqlSimpleSelect
  | Of<
      'SelectSetQuery',
      {
        readonly initial_select_query: SqlSelect;
        readonly subsequent_select_queries: readonly {
          readonly set_operator: string;
          readonly select_query: SqlSelect;
        }[];
      } & SqlTail
    >;

/** All parts of a query, those within others too. */
export function* partsOf(tree: unknown): Generator<SqlNode> {
  if (typeof tree !== 'object' || tree === null) return;
  // Parts of a tree are told by their word.
  if ('node' in tree && typeof tree.node === 'string') yield tree as SqlNode;
  for (const part of Object.values(tree)) yield* partsOf(part);
}

/** A query that the service refuses. `at` is the place, in characters, if it is known. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly at: number | undefined;
  readonly code: string;

  constructor(message: string, { at, code }: { readonly at?: number | undefined; readonly code: string }) {
    super(message);
    this.at = at;
    this.code = code;
  }
}

/** What the service itself says to OFFSET. */
const NO_OFFSET =
  'OFFSET is not supported on queries made with a personal API key. For pagination, use keyset pagination on the `timestamp` column, e.g. `WHERE timestamp > :last_seen_timestamp ORDER BY timestamp LIMIT N`. For bulk data extraction, use batch exports: https://posthog.com/docs/cdp/batch-exports';

/** Refuses an OFFSET anywhere in a query, as the service does with a personal API key. */
export function refuseOffset(tree: SqlSelect): void {
  for (const part of partsOf(tree)) {
    if (part.node !== 'SelectQuery' && part.node !== 'SelectSetQuery') continue;
    const offset = part.offset ?? (part.node === 'SelectQuery' ? part.limit_by?.offset_value : undefined);
    if (offset) throw new SqlError(NO_OFFSET, { at: offset.start?.offset, code: 'query_error' });
  }
}

/** Refuses functions that the service does not have, and numbers of arguments that they do not take. */
export function checkCalls(tree: SqlSelect): void {
  for (const part of partsOf(tree)) {
    if (part.node !== 'Call' && part.node !== 'WindowFunction') continue;
    const message = wrongCall(part.name, argumentsOf(part));
    if (message !== undefined) throw new SqlError(message, { at: part.start?.offset, code: 'query_error' });
  }
}

/** Arguments and parameters of a call: what stands before OVER, the parser calls otherwise. */
export function argumentsOf(call: Extract<SqlNode, { node: 'Call' | 'WindowFunction' }>): {
  readonly args: readonly SqlNode[];
  readonly params: readonly SqlNode[];
} {
  if (call.node === 'Call') return { args: call.args.filter(isNoStar), params: call.params ?? [] };
  const [exprs, args] = [call.exprs ?? [], call.args ?? []];
  return args.length > 0 ? { args, params: exprs } : { args: exprs, params: [] };
}

/** `count(*)` counts what `count()` does. */
function isNoStar(node: SqlNode): boolean {
  return node.node !== 'Field' || node.chain.length > 1 || node.chain[0] !== '*';
}

type Meta = {
  readonly name: string;
  readonly args: Bounds;
  readonly params: Bounds;
  readonly isAggregate: boolean;
};

/** The fewest and the most. */
type Bounds = readonly [number, number];

type List = Readonly<Record<string, readonly (number | null)[]>>;

/** The functions of the service, from its own list. */
const { functions, aggregates, anyCase }: { functions: List; aggregates: List; anyCase: readonly string[] } =
  published;

/** The function that the service knows by this name, in the service's spelling. */
export function findFunction(name: string): Meta | undefined {
  const lower = name.toLowerCase();
  return readFunction(name) ?? (anyCase.includes(lower) ? readFunction(lower) : undefined);
}

function readFunction(name: string): Meta | undefined {
  const isAggregate = Object.hasOwn(aggregates, name);
  if (!isAggregate && !Object.hasOwn(functions, name)) return undefined;
  const [least, most, leastParams, mostParams] = (isAggregate ? aggregates : functions)[name] ?? [];
  return { name, isAggregate, args: boundsOf(least, most), params: boundsOf(leastParams, mostParams) };
}

/** Null is any number. */
function boundsOf(least: number | null = 0, most: number | null = 0): Bounds {
  return [least ?? 0, most ?? Infinity];
}

/** Whether a part calls an aggregate. */
export function hasAggregate(node: SqlNode): boolean {
  for (const part of partsOf(node)) {
    if (part.node === 'Call' && findFunction(part.name)?.isAggregate) return true;
  }
  return false;
}

/** Calls that the parser makes of words. */
const FROM_WORDS = new Set(['_caseWithExpression', 'exists']);

function wrongCall(name: string, { args, params }: ReturnType<typeof argumentsOf>): string | undefined {
  const meta = findFunction(name);
  if (meta === undefined) {
    if (FROM_WORDS.has(name)) return undefined;
    const near = nearName(name);
    const hint = near === undefined ? '' : ` Perhaps you meant '${near}(...)'?`;
    return `Unsupported function call '${name}(...)'.${hint}`;
  }
  const term = meta.isAggregate ? 'Aggregation' : 'Function';
  if (meta.params[0] > 0 && params.length === 0)
    return `${term} '${name}' requires parameters in addition to arguments`;
  return (
    wrongNumber(`${term} '${name}'`, 'argument', args.length, meta.args) ??
    (meta.params[1] > 0
      ? wrongNumber(`${term} '${name}'`, 'parameter', params.length, meta.params)
      : undefined)
  );
}

function nearName(name: string): string | undefined {
  const lower = name.toLowerCase();
  return Object.keys({ ...functions, ...aggregates }).find((known) => known.toLowerCase() === lower);
}

function wrongNumber(
  subject: string,
  term: string,
  count: number,
  [least, most]: Bounds,
): string | undefined {
  const expects = (words: string, number: number) =>
    `${subject} expects ${words}${number} ${term}${number === 1 ? '' : 's'}, found ${count}`;
  if (count >= least && count <= most) return undefined;
  if (least === most) return expects('', least);
  return count < least ? expects('at least ', least) : expects('at most ', most);
}
