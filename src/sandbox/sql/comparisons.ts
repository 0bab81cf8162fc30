import type { Kind } from './tables.ts';
import { made, type Written } from './written.ts';

export type Comparing = {
  /** Whether no value and `false` are one here. */
  readonly isCondition?: boolean | undefined;
  readonly inJoin?: boolean | undefined;
};

/** Names of functions that compare or calculate, and the operators that they stand for. */
export const OPERATORS: Readonly<Record<string, string>> = {
  ...{ equals: '==', notEquals: '!=', less: '<', greater: '>', lessOrEquals: '<=', greaterOrEquals: '>=' },
  ...{ like: 'like', ilike: 'ilike', notLike: 'not like', notILike: 'not ilike', in: 'in', notIn: 'not in' },
  ...{ plus: '+', minus: '-', multiply: '*', divide: '/', and: 'and', or: 'or' },
};

/** The functions that `cast` and `::` stand for. */
export const CASTS: Readonly<Record<string, string>> = {
  ...{ int: 'toInt', integer: 'toInt', bigint: 'toInt', float: 'toFloat', double: 'toFloat' },
  ...{ string: 'toString', text: 'toString', varchar: 'toString', date: 'toDate' },
  ...{ datetime: 'toDateTime', timestamp: 'toDateTime', bool: 'toBool', boolean: 'toBool', uuid: 'toUUID' },
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

const INTERVALS: readonly Kind[] = ['interval', 'days', 'period'];

/** Days stay days, and times differ by seconds. */
export function calculate(op: string, left: Written, right: Written): Written {
  const parts = [left, right];
  const kinds = parts.map(({ kind }) => kind);
  const [one, other] = parts.map(asNumber);
  const is = (kind: Kind, sql = `${one} ${op} ${other}`) => ({ ...made(kind, `(${sql})`, parts), size: 1 });
  const isInterval = INTERVALS.includes(right.kind);
  if (left.kind === 'day' && right.kind === 'day') return is('integer');
  if (left.kind === 'time' && right.kind === 'time')
    return is('integer', `date_diff('second', ${right.sql}, ${left.sql})`);
  if (left.kind === 'day' && !isInterval) return is('day', `${one} ${op} (${other})::integer`);
  if (left.kind === 'day')
    return right.kind === 'interval' ? is('time') : is('day', `(${one} ${op} ${other})::date`);
  if (kinds.includes('time')) {
    const isSeconds = right.kind === 'integer' || right.kind === 'number';
    return is('time', isSeconds ? `${one} ${op} to_seconds(${other})` : undefined);
  }
  if (kinds.some((kind) => INTERVALS.includes(kind))) return is('interval');
  if (op === '/') return is('number', `(${one})::double / ${other}`);
  const isInteger = kinds.every((kind) => ['integer', 'flag', 'boolean'].includes(kind));
  return is(isInteger ? 'integer' : 'number');
}

function asNumber({ sql, kind }: Written): string {
  return kind === 'flag' || kind === 'boolean' ? `(${sql})::integer` : sql;
}
