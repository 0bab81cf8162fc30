import {
  argumentsOf,
  findFunction,
  type SqlCompare,
  type SqlNode,
  type SqlOrder,
  type SqlWindow,
} from '../../semantics/sql-tree.ts';
import { type Call, writeCall } from './calls.ts';
import {
  alike,
  CASTS,
  type Comparing,
  calculate,
  compareValues,
  OPERATORS,
  TYPES_OF_TEXT,
} from './comparisons.ts';
import { resolveField, type Scope, writeProperty } from './scope.ts';
import {
  checkSize,
  made,
  notHere,
  quoteName,
  refuse,
  type Written,
  writeNumber,
  writeValue,
} from './written.ts';

/** Writes a part of a query that has a value. Throws an `SqlError` for what is not known, or gets too large. */
export function write(node: SqlNode, scope: Scope): Written {
  return checkSize(writeNode(node, scope), node);
}

/** The same where no value and `false` are one. */
export function writeCondition(node: SqlNode, scope: Scope): string {
  if (node.node === 'And') return `(${node.exprs.map((one) => writeCondition(one, scope)).join(' and ')})`;
  return node.node === 'CompareOperation'
    ? compare(node, scope, { isCondition: true }).sql
    : write(node, scope).sql;
}

/** The service's database puts what is missing last. */
export function writeOrder(list: readonly SqlOrder[], scope: Scope): string {
  const parts = list.map((one) => {
    if (one.with_fill) throw notHere('WITH FILL', one);
    return `${write(one.expr, scope).sql} ${one.order.toLowerCase()} nulls last`;
  });
  return parts.join(', ');
}

export function writeWindow(window: SqlWindow, scope: Scope): string {
  const {
    partition_by: by,
    order_by: order,
    frame_method: method,
    frame_start: start,
    frame_end: end,
  } = window;
  const edge = ({ frame_type: type, frame_value: value }: NonNullable<typeof start>) =>
    type === 'CURRENT ROW' ? 'current row' : `${value ?? 'unbounded'} ${type.toLowerCase()}`;
  const parts = [];
  if (by && by.length > 0) parts.push(`partition by ${by.map((one) => write(one, scope).sql).join(', ')}`);
  if (order && order.length > 0) parts.push(`order by ${writeOrder(order, scope)}`);
  if (method && start)
    parts.push(`${method} ${end ? `between ${edge(start)} and ${edge(end)}` : edge(start)}`);
  return parts.join(' ');
}

const flag = (sql: string): Written => made('flag', sql);

function writeNode(node: SqlNode, scope: Scope): Written {
  switch (node.node) {
    case 'Constant':
      return node.value_type === 'number' ? writeNumber(String(node.value)) : writeValue(node.value);
    case 'Field':
      return resolveField(node, scope);
    case 'Alias':
      return write(node.expr, scope);
    case 'Call':
    case 'WindowFunction':
      return writeAnyCall(node, scope);
    case 'CompareOperation':
      return compare(node, scope, {});
    case 'ArithmeticOperation':
      return calculate(node.op, write(node.left, scope), write(node.right, scope));
    case 'And':
    case 'Or': {
      const parts = node.exprs.map((one) => write(one, scope));
      const sql = parts.map((one) => one.sql).join(` ${node.node.toLowerCase()} `);
      return { ...made('flag', `(${sql})`, parts), size: 1 };
    }
    case 'Not':
      return { ...write(node.expr, scope), kind: 'flag', sql: `(not ${write(node.expr, scope).sql})` };
    case 'IsDistinctFrom': {
      const [left, right] = alike(write(node.left, scope), write(node.right, scope));
      return flag(`(${left} is ${node.negated ? 'not ' : ''}distinct from ${right})`);
    }
    case 'BetweenExpr':
      return between(node, scope);
    case 'Array':
    case 'Tuple':
      return writeSeveral(node, scope);
    case 'ArrayAccess':
      return writeAccess(node, scope);
    case 'TupleAccess': {
      const tuple = write(node.tuple, scope);
      return { ...tuple, sql: `(${tuple.sql})[${node.index}]`, kind: 'other' };
    }
    case 'Lambda':
      return writeLambda(node, scope);
    case 'TypeCast':
    case 'TryCast':
      return writeCast(node, scope);
    case 'Placeholder':
      return writePlaceholder(node, scope);
    case 'SelectQuery':
    case 'SelectSetQuery': {
      const { sql, columns } = scope.query.select(node, scope.tables);
      const [{ kind, size } = flag('')] = columns.values();
      return { sql: `(${sql})`, kind, isMissing: true, size };
    }
    default:
      throw notHere('such an expression', node);
  }
}

type Node<Kind extends SqlNode['node']> = Extract<SqlNode, { node: Kind }>;

function between({ expr, low, high, negated }: Node<'BetweenExpr'>, scope: Scope): Written {
  const value = write(expr, scope);
  const from = compareValues(negated ? '<' : '>=', value, write(low, scope), {});
  const to = compareValues(negated ? '>' : '<=', value, write(high, scope), {});
  return flag(`(${from} ${negated ? 'or' : 'and'} ${to})`);
}

function writeSeveral({ node, exprs }: Node<'Array' | 'Tuple'>, scope: Scope): Written {
  const parts = exprs.map((one) => write(one, scope));
  const list = parts.map(({ sql }) => sql).join(', ');
  const written = node === 'Array' ? made('list', `[${list}]`) : made('other', `row(${list})`);
  return { ...written, size: parts.reduce((sum, one) => sum + one.size, 0) };
}

function writeAccess({ array, property }: Node<'ArrayAccess'>, scope: Scope): Written {
  const key = property.node === 'Constant' ? property.value : undefined;
  if (String(key) === '0') throw refuse('SQL indexes start from one, not from zero. E.g: array[1]', property);
  if (array.node === 'Field' && typeof key === 'string')
    return resolveField({ ...array, chain: [...array.chain, key] }, scope);
  const { sql, kind, size } = write(array, scope);
  if (typeof key === 'string') return writeProperty(`(${sql})`, [key], () => undefined);
  const entry = made(kind === 'list' ? 'text' : 'other', `(${sql})[${write(property, scope).sql}]`);
  return { ...entry, isMissing: true, size };
}

function writeLambda({ args, expr }: Node<'Lambda'>, scope: Scope): Written {
  const own = args.map((name) => [name, made('other', quoteName(name))] as const);
  const body = write(expr, { ...scope, locals: new Map([...scope.locals, ...own]) });
  return { ...body, sql: `lambda ${args.map(quoteName).join(', ')}: ${body.sql}` };
}

function writeCast({ type_name: type, expr }: Node<'TypeCast' | 'TryCast'>, scope: Scope): Written {
  const name = Object.hasOwn(CASTS, type.toLowerCase()) ? CASTS[type.toLowerCase()] : undefined;
  if (name === undefined) throw notHere(`the type ${type}`, expr);
  return write({ node: 'Call', name, args: [expr] }, scope);
}

function writeAnyCall(node: Call, scope: Scope): Written {
  const { args, params } = argumentsOf(node);
  const { name, isAggregate } = findFunction(node.name) ?? { name: node.name, isAggregate: false };
  const op = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  const [left, right] = args;
  if (op === 'and' || op === 'or') return write({ node: op === 'and' ? 'And' : 'Or', exprs: args }, scope);
  if (op !== undefined && left !== undefined && right !== undefined) {
    const parts = { op, left, right };
    const isSum = /^[-+*/]$/.test(op);
    return write({ ...parts, node: isSum ? 'ArithmeticOperation' : 'CompareOperation' }, scope);
  }
  const inner = isAggregate ? { ...scope, inAggregate: true } : scope;
  const written = args.map((one) => write(one, inner));
  if (name === 'arrayJoin') return spreadList(written[0], scope);
  const filter = node.node === 'Call' ? node.filter_expr : undefined;
  const order = node.node === 'Call' ? node.order_by : undefined;
  return writeCall(node, {
    args: written,
    params: params.map((one) => write(one, scope)),
    nodes: args.map((one) => asConstant(one, scope)),
    filter: filter ? write(filter, scope).sql : undefined,
    order: order ? ` order by ${writeOrder(order, scope)}` : '',
    over: node.node === 'Call' ? '' : writeOver(node, scope),
  });
}

/** What was given for a placeholder counts as if it was written. */
function asConstant(node: SqlNode, { query: { values } }: Scope): SqlNode {
  const [name, ...rest] = node.node === 'Placeholder' && node.expr.node === 'Field' ? node.expr.chain : [];
  if (typeof name !== 'string' || rest.length > 0 || !Object.hasOwn(values, name)) return node;
  return { node: 'Constant', value: values[name] ?? null };
}

function writeOver({ over_identifier: name, over_expr: window }: Node<'WindowFunction'>, scope: Scope) {
  return ` over ${name ? quoteName(name) : `(${writeWindow(window ?? {}, scope)})`}`;
}

/** A list becomes a row for each entry before rows are grouped. */
function spreadList(list: Written | undefined, { spread: lists }: Scope): Written {
  const sql = list?.sql ?? '[]';
  const place = lists.includes(sql) ? lists.indexOf(sql) : lists.push(sql) - 1;
  return { ...made('other', `"_spread${place}"."v"`), size: list?.size ?? 1 };
}

function compare(node: SqlCompare, scope: Scope, { isCondition }: Comparing): Written {
  const { op, left, right } = node;
  const one = write(left, scope);
  if (op.endsWith('in cohort')) return inCohort(one, node, scope);
  if (isNullConstant(right) && (op === '==' || op === '!='))
    return flag(`(${one.sql} is ${op === '==' ? '' : 'not '}null)`);
  if (/\bin$/.test(op)) {
    const many = writeMany(one, right, scope);
    const isNot = op.includes('not ');
    const listed = right.node === 'Tuple' || right.node === 'Array' ? right.exprs : [right];
    if (listed.some(isNullConstant))
      return flag(`(coalesce(${one.sql} in ${many}, ${one.sql} is null) = ${!isNot})`);
    // What is missing is in no other list.
    const isSure = isNot ? !one.isMissing && !right.node.startsWith('Select') : isCondition;
    const test = `${one.sql} ${isNot ? 'not ' : ''}in ${many}`;
    return flag(isSure ? `(${test})` : `coalesce(${test}, ${isNot})`);
  }
  return flag(compareValues(op, one, write(right, scope), { isCondition, inJoin: scope.inJoin }));
}

function isNullConstant(node: SqlNode): boolean {
  return node.node === 'Constant' && node.value === null;
}

function inCohort(one: Written, { op, right }: SqlCompare, { query }: Scope): Written {
  const key = right.node === 'Placeholder' && right.expr.node === 'Field' ? right.expr.chain : [];
  const given = key.length === 1 ? query.values[String(key[0])] : undefined;
  const cohort = right.node === 'Constant' ? right.value : (given ?? null);
  return flag(`(${one.sql} ${op.replace(' cohort', '')} (${query.membersOf(String(cohort), right)}))`);
}

/** What stands behind IN. */
function writeMany(one: Written, right: SqlNode, scope: Scope): string {
  if (right.node === 'SelectQuery' || right.node === 'SelectSetQuery') return write(right, scope).sql;
  if (right.node === 'Tuple' || right.node === 'Array') {
    const items = right.exprs.map((each) => alike(one, write(each, scope))[1]);
    return items.length === 0 ? '(select null where false)' : `(${items.join(', ')})`;
  }
  const list = write(right, scope);
  if (list.kind !== 'list') return `(${alike(one, list)[1]})`;
  const type = TYPES_OF_TEXT[one.kind];
  return `(select ${type === undefined ? 'v' : `try_cast(v as ${type})`} from unnest(${list.sql}) l(v))`;
}

function writePlaceholder(node: Node<'Placeholder'>, scope: Scope): Written {
  const chain = node.expr.node === 'Field' ? node.expr.chain.map(String) : [];
  const [name = '', inner = ''] = chain;
  const { values, variables } = scope.query;
  if (chain.length === 1 && Object.hasOwn(values, name)) return writeValue(values[name] ?? null);
  if (chain.length === 1 && name === 'filters') return flag(writeFilters(node, scope));
  if (chain.length === 2 && name === 'variables' && Object.hasOwn(variables, inner))
    return writeValue(variables[inner] ?? null);
  if (chain.length === 0) throw notHere('such a placeholder', node);
  throw refuse(`Unresolved placeholder: {${chain.join('.')}}`, node, 'placeholder');
}

/** What the service says to filters over anything else. */
const NOT_OVER_EVENTS =
  "Cannot use 'filters' placeholder in a SELECT clause that does not select from the events, sessions or groups table.";

function writeFilters(node: SqlNode, { query, sources: [first] }: Scope): string {
  if (first?.stored?.name !== 'events') throw refuse(NOT_OVER_EVENTS, node);
  const { used } = first.stored;
  return query.filters((column) => {
    used.add(column);
    return first.columns.get(column)?.sql ?? column;
  });
}
