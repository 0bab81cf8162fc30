import type { SqlNode } from '../../semantics/sql-tree.ts';
import type { Written } from './written.ts';

export type Comparing = {
  /** Whether no value and `false` are one here. */
  readonly isCondition?: boolean | undefined;
  readonly inJoin?: boolean | undefined;
};

/** Names of functions that compare or calculate, and the operators that they stand for. */
export const OPERATORS: Readonly<Record<string, string>> = {
  equals: '==',
  notEquals: '!=',
  less: '<',
  greater: '>',
  lessOrEquals: '<=',
  greaterOrEquals: '>=',
  like: 'like',
  ilike: 'ilike',
  notLike: 'not like',
  notILike: 'not ilike',
  in: 'in',
  notIn: 'not in',
  plus: '+',
  minus: '-',
  multiply: '*',
  divide: '/',
};

/** Types that a text is read as where it is compared with a value of one. */
export const TYPES_OF_TEXT: Readonly<Record<string, string>> = {
  time: 'timestamp',
  day: 'date',
  uuid: 'uuid',
};

/** Both sides of a comparison, a text as a time where the other one is. */
export function alike(left: Written, right: Written): readonly [string, string] {
  const read = (one: Written, other: Written) => {
    const type = TYPES_OF_TEXT[other.kind];
    return one.kind === 'text' && type !== undefined ? `try_cast(${one.sql} as ${type})` : one.sql;
  };
  return [read(left, right), read(right, left)];
}

const REGULAR: Readonly<Record<string, string>> = { '=~': 's', '!~': 's', '=~*': 'si', '!~*': 'si' };

/** What is missing differs from every value, and is neither less nor more. */
export function compareValues(
  op: string,
  left: Written,
  right: Written,
  { isCondition, inJoin }: Comparing,
): string {
  const [one, other] = alike(left, right);
  const isNot = op === '!=' || op.startsWith('not ') || op.startsWith('!');
  const flags = REGULAR[op];
  const plain =
    flags === undefined
      ? `${one} ${op === '==' ? '=' : op} ${other}`
      : `${isNot ? 'not ' : ''}regexp_matches(${one}, ${other}, '${flags}')`;
  const isMissing = left.isMissing || right.isMissing;
  if (!isMissing || inJoin || (isCondition && !isNot)) return `(${plain})`;
  if (left.isMissing && right.isMissing && (op === '==' || op === '!='))
    return `(${one} is ${isNot ? '' : 'not '}distinct from ${other})`;
  return `coalesce(${plain}, ${isNot})`;
}

const LONG_INTERVAL = /^toInterval(?:Day|Week|Month|Quarter|Year)$/;

/** Days stay days, and times differ by seconds. */
export function calculate(op: string, left: Written, right: Written, node: SqlNode): Written {
  const isMissing = left.isMissing || right.isMissing;
  const made = (kind: Written['kind'], sql: string): Written => ({
    kind,
    sql: `(${sql})`,
    isMissing,
    size: 1,
  });
  const kinds = [left.kind, right.kind];
  const plain = `${asNumber(left)} ${op} ${asNumber(right)}`;
  if (left.kind === 'day' && right.kind === 'day') return made('integer', plain);
  if (left.kind === 'time' && right.kind === 'time')
    return made('integer', `date_diff('second', ${right.sql}, ${left.sql})`);
  if (left.kind === 'day') {
    if (right.kind !== 'interval') return made('day', `${left.sql} ${op} (${right.sql})::integer`);
    const isDay = node.node === 'Call' && LONG_INTERVAL.test(node.name);
    return isDay ? made('day', `(${plain})::date`) : made('time', plain);
  }
  if (kinds.includes('time')) {
    const isSeconds = right.kind === 'integer' || right.kind === 'number';
    return made('time', isSeconds ? `${left.sql} ${op} to_seconds(${right.sql})` : plain);
  }
  if (kinds.includes('interval')) return made('interval', plain);
  if (op === '/') return made('number', `(${asNumber(left)})::double / ${asNumber(right)}`);
  const isInteger = kinds.every((kind) => ['integer', 'flag', 'boolean'].includes(kind));
  return made(isInteger ? 'integer' : 'number', plain);
}

function asNumber({ sql, kind }: Written): string {
  return kind === 'flag' || kind === 'boolean' ? `(${sql})::integer` : sql;
}
