import {
  argumentsOf,
  findFunction,
  type SqlCall,
  type SqlNode,
  type SqlOrder,
  type SqlWindow,
} from '../../semantics/sql-tree.ts';
import { quoteText } from '../store/open-store.ts';
import { asOther, type Call, constantOf, fillLine, type Place } from './calls.ts';
import { resolveField, type Scope, writeProperty } from './scope.ts';
import translations from './translations.json' with { type: 'json' };
import {
  checkSize,
  clause,
  firstKind,
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
  return checkSize(writeNode(given(node, scope), scope), node);
}

/** The same where no value and `false` are one. */
export function writeCondition(node: SqlNode, scope: Scope): string {
  return write(node, { ...scope, place: scope.place ?? 'condition' }).sql;
}

/** Values, one behind the other. */
export function writeList(
  nodes: readonly SqlNode[] | null | undefined,
  scope: Scope,
  writeOne = (node: SqlNode, scope: Scope) => write(node, scope).sql,
): string {
  return (nodes ?? []).map((one) => writeOne(one, scope)).join(', ');
}

/** The service's database puts what is missing last. */
export function writeOrder(
  list: readonly SqlOrder[] | null | undefined,
  scope: Scope,
  writeOne?: (node: SqlNode, scope: Scope) => string,
): string {
  const parts = (list ?? []).map((one) => {
    if (one.with_fill) throw notHere('WITH FILL', one);
    return `${writeList([one.expr], scope, writeOne)} ${one.order.toLowerCase()} nulls last`;
  });
  return clause('order by', parts.join(', '));
}

export function writeWindow(window: SqlWindow, scope: Scope): string {
  const { frame_method: method, frame_start: start, frame_end: end } = window;
  const edge = ({ frame_type: type, frame_value: value }: NonNullable<typeof start>) =>
    type === 'CURRENT ROW' ? 'current row' : `${value ?? 'unbounded'} ${type.toLowerCase()}`;
  const frame = start && (end ? `between ${edge(start)} and ${edge(end)}` : edge(start));
  const groups = clause('partition by', writeList(window.partition_by, scope));
  return groups + writeOrder(window.order_by, scope) + clause(method ?? '', frame);
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
    case 'ArrayAccess':
      return writeAccess(node, scope);
    case 'Lambda':
      return writeLambda(node, scope);
    case 'Placeholder':
      return writePlaceholder(node, scope);
    case 'SelectQuery':
    case 'SelectSetQuery': {
      const { sql, columns } = scope.query.select(node, scope.tables);
      const [{ kind, size } = flag('')] = columns.values();
      return { sql: `(${sql})`, kind, isMissing: true, size };
    }
    default:
      return writeCall(asCall(node), scope);
  }
}

type Node<Kind extends SqlNode['node']> = Extract<SqlNode, { node: Kind }>;

function writeAccess(node: Node<'ArrayAccess'>, scope: Scope): Written {
  const { array, property } = node;
  const key = constantOf(property);
  if (String(key) === '0') throw refuse('SQL indexes start from one, not from zero. E.g: array[1]', property);
  if (typeof key !== 'string') return writeCall(callOf('arrayElement', [array, property], node), scope);
  if (array.node === 'Field') return resolveField({ ...array, chain: [...array.chain, key] }, scope);
  return writeProperty(`(${write(array, scope).sql})`, [key], () => undefined);
}

function writeLambda({ args, expr }: Node<'Lambda'>, scope: Scope): Written {
  const own = args.map((name) => [name, made('other', quoteName(name))] as const);
  const body = write(expr, { ...scope, locals: new Map([...scope.locals, ...own]) });
  return { ...body, sql: `lambda ${args.map(quoteName).join(', ')}: ${body.sql}` };
}

function callOf(name: string, args: readonly SqlNode[], { start }: SqlNode): SqlCall {
  return { node: 'Call', name, args, ...(start && { start }) };
}

const OPERATORS: Readonly<Record<string, string>> = translations.operators;

const CASTS = new Map(Object.entries(translations.casts));

/** The call that operators, brackets and casts stand for. */
function asCall(node: SqlNode): Call {
  switch (node.node) {
    case 'Call':
    case 'WindowFunction':
      return node;
    case 'And':
    case 'Or':
    case 'Array':
    case 'Tuple':
      return callOf(node.node.toLowerCase(), node.exprs, node);
    case 'Not':
      return callOf('not', [node.expr], node);
    case 'ArithmeticOperation':
    case 'CompareOperation':
      return callOf(OPERATORS[node.op] ?? node.op, [node.left, node.right], node);
    case 'IsDistinctFrom':
      return callOf(node.negated ? 'isNotDistinctFrom' : 'isDistinctFrom', [node.left, node.right], node);
    case 'BetweenExpr':
      return callOf(node.negated ? 'notBetween' : 'between', [node.expr, node.low, node.high], node);
    case 'TupleAccess':
      return callOf('tupleElement', [node.tuple, { node: 'Constant', value: node.index }], node);
    case 'TypeCast':
    case 'TryCast': {
      const name = CASTS.get(node.type_name.toLowerCase());
      if (name === undefined) throw notHere(`the type ${node.type_name}`, node.expr);
      return callOf(name, [node.expr], node);
    }
    default:
      throw notHere('such an expression', node);
  }
}

function writeCall(call: Call, scope: Scope): Written {
  const { args, params } = argumentsOf(call);
  const { name, isAggregate } = findFunction(call.name) ?? { name: call.name, isAggregate: false };
  const isOfParts = name === 'and' || name === 'or' || scope.place === 'join';
  const inner = {
    ...scope,
    place: isOfParts ? scope.place : undefined,
    inAggregate: isAggregate || scope.inAggregate,
  };
  const nodes = args.map((one) => given(one, scope));
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  if (special !== undefined) return special(nodes, inner, { call, place: scope.place });
  const own: Partial<SqlCall> = call.node === 'Call' ? call : {};
  if (own.within_group) throw notHere('WITHIN GROUP', call);
  if (own.distinct && name !== 'count') throw notHere(`DISTINCT within ${name}`, call);
  const parts = {
    args: nodes.map((one) => write(one, inner)),
    params: params.map((one) => write(one, scope)),
    nodes,
    filter: own.filter_expr ? write(own.filter_expr, scope).sql : undefined,
    order: writeOrder(own.order_by, scope),
    over: call.node === 'Call' ? '' : writeOver(call, scope),
    place: scope.place,
  };
  return fillLine(own.distinct ? 'countDistinct' : name, parts, call);
}

function writeOver({ over_identifier: name, over_expr: window }: Node<'WindowFunction'>, scope: Scope) {
  return ` over ${name ? quoteName(name) : `(${writeWindow(window ?? {}, scope)})`}`;
}

type Around = { readonly call: Call; readonly place: Place };

type Special = (nodes: readonly SqlNode[], scope: Scope, around: Around) => Written;

/** What no line can say. */
export const SPECIAL: Readonly<Record<string, Special>> = {
  if: choose,
  multiIf: choose,
  _caseWithExpression: ([value, ...rest], scope, { call }) => {
    const isWhen = (at: number) => at % 2 === 0 && at < rest.length - 1;
    const when = (one: SqlNode) => callOf('isNotDistinctFrom', value ? [value, one] : [], call);
    const nodes = rest.map((one, at) => (isWhen(at) ? when(one) : one));
    return choose(nodes, scope);
  },
  formatDateTime: formatTime,
  to_char: formatTime,
  arrayJoin: spreadList,
  in: writeIn,
  notIn: writeIn,
  'in cohort': writeIn,
  'not in cohort': writeIn,
};

/** Condition and value in turn, and at the end what holds otherwise. */
function choose(nodes: readonly SqlNode[], scope: Scope): Written {
  const args = nodes.map((one) => write(one, scope));
  const values = args.filter((_, at) => at % 2 === 1 || at === args.length - 1);
  const cases = values.slice(0, -1).map(({ sql }, at) => `when ${args[2 * at]?.sql} then ${sql}`);
  return made(firstKind(values), `case ${cases.join(' ')} else ${values.at(-1)?.sql} end`, values);
}

const DATE_CODES: Readonly<Record<string, string>> = translations.dateCodes;

function formatTime([time, format, ...more]: readonly SqlNode[], scope: Scope, { call }: Around): Written {
  const text = constantOf(format);
  if (time === undefined || typeof text !== 'string' || more.length > 0)
    throw notHere(`such a format of ${call.name}`, call);
  const codes = text.replaceAll(/%[a-zA-Z]/g, (code) => {
    const known = DATE_CODES[code];
    if (known === undefined) throw notHere(`${code} in ${call.name}`, format);
    return known;
  });
  const written = write(time, scope);
  return made('text', `strftime(${written.sql}, ${quoteText(codes)})`, [written]);
}

/** A list becomes a row for each entry before rows are grouped. */
function spreadList([node]: readonly SqlNode[], scope: Scope): Written {
  const { sql, size } = node ? write(node, scope) : made('list', '[]');
  const { spread } = scope;
  const at = spread.includes(sql) ? spread.indexOf(sql) : spread.push(sql) - 1;
  return { ...made('other', `"_spread${at}"."v"`), size };
}

function writeIn([left, right]: readonly SqlNode[], scope: Scope, { call, place }: Around): Written {
  if (left === undefined || right === undefined) return flag('false');
  const isNot = call.name.startsWith('not');
  const one = write(left, scope);
  const many = call.name.endsWith('cohort')
    ? `(${scope.query.membersOf(String(constantOf(right)), right)})`
    : writeMany(one, right, scope);
  const items = right.node === 'Tuple' || right.node === 'Array' ? right.exprs : [right];
  if (items.some((item) => constantOf(item) === null))
    return flag(`(coalesce(${one.sql} in ${many}, ${one.sql} is null) = ${!isNot})`);
  // What is missing is in no other list.
  const isSure = isNot ? !one.isMissing && !right.node.startsWith('Select') : place === 'condition';
  const test = `${one.sql} ${isNot ? 'not ' : ''}in ${many}`;
  return flag(isSure ? `(${test})` : `coalesce(${test}, ${isNot})`);
}

/** What stands behind IN. */
function writeMany(one: Written, right: SqlNode, scope: Scope): string {
  if (right.node === 'SelectQuery' || right.node === 'SelectSetQuery') return write(right, scope).sql;
  if (right.node === 'Tuple' || right.node === 'Array') {
    const items = right.exprs.map((each) => asOther(write(each, scope), one));
    return items.length === 0 ? '(select null where false)' : `(${items.join(', ')})`;
  }
  const list = write(right, scope);
  if (list.kind !== 'list') return `(${asOther(list, one)})`;
  const entry = asOther(made('text', 'v'), one);
  return `(select ${entry} from unnest(${list.sql}) l(v))`;
}

/** What was given for a placeholder, which counts as if it was written. */
function given(node: SqlNode, { query: { values } }: Scope): SqlNode {
  const key = node.node === 'Placeholder' ? textOf(node) : '';
  return Object.hasOwn(values, key) && key !== '' ? { node: 'Constant', value: values[key] ?? null } : node;
}

function textOf({ expr }: Node<'Placeholder'>): string {
  return expr.node === 'Field' ? expr.chain.join('.') : '';
}

function writePlaceholder(node: Node<'Placeholder'>, scope: Scope): Written {
  const text = textOf(node);
  if (text === '') throw notHere('such a placeholder', node);
  if (text !== 'filters') throw refuse(`Unresolved placeholder: {${text}}`, node, 'placeholder');
  const [source] = scope.sources;
  if (source?.stored?.name !== 'events') throw refuse(NOT_OVER_EVENTS, node);
  const { columns, stored } = source;
  const columnOf = (column: string) => {
    stored.used.add(column);
    return columns.get(column)?.sql ?? column;
  };
  return flag(scope.query.filters(columnOf));
}

/** What the service says to filters over anything else. */
const NOT_OVER_EVENTS =
  "Cannot use 'filters' placeholder in a SELECT clause that does not select from the events, sessions or groups table.";
