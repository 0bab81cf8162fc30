import type { Json } from '../../json/kinds.ts';
import { findFunction, type SqlNode } from '../../semantics/sql-tree.ts';
import { quoteText } from '../store/open-store.ts';
import { OPERATORS } from './comparisons.ts';
import type { Kind } from './tables.ts';
import { DATE_CODES, TRANSLATIONS } from './translations.ts';
import { isSmall, MOST_SIZE, notHere, refuse, USUAL_LENGTH, type Written } from './written.ts';

export type Call = Extract<SqlNode, { node: 'Call' | 'WindowFunction' }>;

/** What stands in a call, in the database's SQL. */
export type CallParts = {
  readonly args: readonly Written[];
  readonly params: readonly Written[];
  /** The arguments as they were written. */
  readonly nodes: readonly SqlNode[];
  readonly filter: string | undefined;
  readonly order: string;
  readonly over: string;
};

/** Writes the call of a function of the service. Throws an `SqlError` for one that the sandbox lacks. */
export function writeCall(call: Call, given: CallParts): Written {
  const parts = call.name.startsWith('JSON') ? withJson(given) : given;
  const { name, isAggregate } = findFunction(call.name) ?? { name: call.name, isAggregate: false };
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  if (special !== undefined) return special(parts, call);
  if (call.node === 'Call' && call.within_group) throw notHere('WITHIN GROUP', call);
  const isDistinct = call.node === 'Call' && call.distinct === true;
  const written = isDistinct
    ? fill(lineOf('countDistinct', parts), distinctOnly(name, parts, call))
    : fillNamed(name, parts, { isAggregate, call });
  return isAggregate || call.node === 'WindowFunction' ? orDefault(written, parts) : written;
}

/** Text that is no JSON has nothing in it. */
function withJson(parts: CallParts): CallParts {
  const [json, ...keys] = parts.args;
  if (json === undefined || json.kind === 'json') return parts;
  const sql = `case when json_valid(${json.sql}) then (${json.sql})::json end`;
  return { ...parts, args: [{ ...json, sql, isMissing: true }, ...keys] };
}

function distinctOnly(name: string, parts: CallParts, call: Call): CallParts {
  if (name === 'count') return parts;
  throw notHere(`DISTINCT within ${name}`, call);
}

type Named = { readonly isAggregate: boolean; readonly call: Call };

/** Aggregates whose name ends with If take the condition as their last argument. */
function fillNamed(name: string, parts: CallParts, { isAggregate, call }: Named): Written {
  const line = lineOf(name, parts);
  if (line !== undefined) return fill(line, parts);
  const [, base] = isAggregate ? (/^(\w+)If$/.exec(name) ?? []) : [];
  const condition = parts.args.at(-1);
  const baseLine = base === undefined ? undefined : lineOf(base, parts);
  if (baseLine === undefined || condition === undefined) throw notHere(`the function ${call.name}`, call);
  const filter = [parts.filter, condition.sql].filter((one) => one !== undefined).join(' and ');
  return fill(baseLine, { ...parts, args: parts.args.slice(0, -1), filter });
}

/** What the service's database answers over no rows, if the column itself cannot be missing. */
const DEFAULTS: Partial<Record<Kind, string>> = {
  text: "''",
  integer: '0',
  number: '0',
  flag: '0',
  boolean: 'false',
  time: "timestamp '1970-01-01'",
  day: "date '1970-01-01'",
  uuid: "'00000000-0000-0000-0000-000000000000'::uuid",
};

function orDefault(written: Written, { args }: CallParts): Written {
  const isSure = !written.isMissing && args.every(({ isMissing }) => !isMissing);
  const otherwise = DEFAULTS[written.kind];
  if (!isSure || otherwise === undefined) return written;
  return { ...written, sql: `coalesce(${written.sql}, ${otherwise})` };
}

type Line = { readonly result: string; readonly pattern: string };

let lines: ReadonlyMap<string, Line> | undefined;

function linesOf(): ReadonlyMap<string, Line> {
  lines ??= new Map(
    TRANSLATIONS.trim()
      .split('\n')
      .map((line) => {
        const [key = '', result = '', ...pattern] = line.split(' ');
        return [key, { result, pattern: pattern.join(' ') }] as const;
      }),
  );
  return lines;
}

function lineOf(name: string, { args: [first], nodes }: CallParts): Line | undefined {
  const kind = nodes[0]?.node === 'Lambda' ? 'lambda' : first?.kind;
  return linesOf().get(`${name}@${kind}`) ?? linesOf().get(name);
}

/** Whether the sandbox can run a function of the service. */
export function runsFunction(name: string): boolean {
  const isKnown = (one: string) =>
    Object.hasOwn(SPECIAL, one) ||
    Object.hasOwn(OPERATORS, one) ||
    linesOf().has(one) ||
    linesOf().has(`${one}@lambda`);
  return (
    name === 'arrayJoin' ||
    isKnown(name) ||
    (findFunction(name)?.isAggregate === true && isKnown(name.replace(/If$/, '')))
  );
}

function fill(line: Line | undefined, parts: CallParts): Written {
  const { result, pattern } = line ?? { result: '=', pattern: '$1' };
  const [, word = '', marks = ''] = /^([a-z]+|=2?)([!?*#+]*)$/.exec(result) ?? [];
  const like = parts.args[word === '=2' ? 1 : 0];
  const kind = word.startsWith('=') ? (like?.kind ?? 'other') : (word as Kind);
  const isMissing = marks.includes('?') || (!marks.includes('!') && parts.args.some((one) => one.isMissing));
  return { sql: fillPattern(pattern, parts), kind, isMissing, size: sizeOf(marks, parts) };
}

function fillPattern(pattern: string, { args, params, filter, order, over }: CallParts): string {
  const all = args.map(({ sql }) => sql);
  const row = all.length > 1 ? `(${all.join(', ')})` : (all[0] ?? '');
  const ending = (filter === undefined ? '' : ` filter (where ${filter})`) + over;
  return pattern.replaceAll(/\$(path|row|p\d|p\*|\d|[*of$])/g, (_, word: string) => {
    if (word === '$') return '$';
    if (word === '*') return all.join(', ') || '*';
    if (word === 'row') return row;
    if (word === 'o') return order;
    if (word === 'f') return ending;
    if (word === 'path') return pathOf(args.slice(1));
    if (word === 'p*') return params.map(({ sql }) => sql).join(', ');
    if (word.startsWith('p')) return params[Number(word.slice(1)) - 1]?.sql ?? 'null';
    return all[Number(word) - 1] ?? 'null';
  });
}

/** Keys of JSON as a pointer, which takes any key; numbers count from 1. */
function pathOf(keys: readonly Written[]): string {
  if (keys.length === 0) return "'$'";
  const steps = keys.map(({ sql, kind }) =>
    kind === 'integer'
      ? `'/' || (${sql} - 1)::varchar`
      : `'/' || replace(replace((${sql})::varchar, '~', '~0'), '/', '~1')`,
  );
  return `(${steps.join(' || ')})`;
}

const WIDER = 4;

const COLLECTED = MOST_SIZE / 2;

function sizeOf(marks: string, { args, nodes }: CallParts): number {
  const lambda = nodes[0]?.node === 'Lambda' ? args[0] : undefined;
  const sum = args.reduce((total, { size }) => total + size, 0);
  if (lambda !== undefined) {
    const list = Math.max(1, sum - lambda.size);
    return list * (isSmall(lambda) ? 1 : lambda.size);
  }
  if (marks.includes('*')) return Math.max(1, sum) * WIDER;
  if (marks.includes('+')) return Math.max(1, sum) * COLLECTED;
  if (!marks.includes('#')) return Math.max(1, sum);
  // Each match in a text may become the whole of another.
  const other = constantOf(nodes.at(-1));
  const length = typeof other === 'string' ? other.length : (args.at(-1)?.size ?? 1) * USUAL_LENGTH;
  return Math.max(...args.map(({ size }) => size)) * Math.max(1, length);
}

type Special = (parts: CallParts, call: Call) => Written;

function conditional(
  pairs: readonly (readonly [string, Written])[],
  otherwise: Written | undefined,
): Written {
  const values = [...pairs.map(([, value]) => value), ...(otherwise === undefined ? [] : [otherwise])];
  const known = values.find(({ kind }) => kind !== 'other') ?? values[0];
  const cases = pairs.map(([condition, { sql }]) => `when ${condition} then ${sql}`);
  return {
    sql: `case ${cases.join(' ')}${otherwise === undefined ? '' : ` else ${otherwise.sql}`} end`,
    kind: known?.kind ?? 'other',
    isMissing: otherwise === undefined || values.some(({ isMissing }) => isMissing),
    size: Math.max(...values.map(({ size }) => size)),
  };
}

/** Condition and value in turn, and at the end what holds otherwise. */
function inTurn(args: readonly Written[], conditionOf = ({ sql }: Written) => sql): Written {
  const pairs: (readonly [string, Written])[] = [];
  for (let at = 0; at + 1 < args.length; at += 2) {
    const [condition, value] = args.slice(at, at + 2);
    if (condition !== undefined && value !== undefined) pairs.push([conditionOf(condition), value]);
  }
  return conditional(pairs, args.length % 2 === 1 ? args.at(-1) : undefined);
}

const known = (kind: Kind, sql: string, args: readonly Written[], isMissing?: boolean): Written => ({
  sql,
  kind,
  isMissing: isMissing ?? args.some((one) => one.isMissing),
  size: Math.max(1, ...args.map(({ size }) => size)),
});

function constantOf(node: SqlNode | undefined): Json | undefined {
  return node?.node === 'Constant' ? node.value : undefined;
}

const coalesce: Special = ({ args }) => {
  const kind = args.find((one) => one.kind !== 'other')?.kind ?? 'other';
  return known(
    kind,
    `coalesce(${args.map(({ sql }) => sql).join(', ')})`,
    args,
    args.every((one) => one.isMissing),
  );
};

const formatTime: Special = ({ args, nodes }, call) => {
  const format = constantOf(nodes[1]);
  if (typeof format !== 'string' || args.length > 2) throw notHere(`such a format of ${call.name}`, call);
  const codes = format.replaceAll(/%[a-zA-Z]/g, (code) => DATE_CODES[code] ?? code);
  return known('text', `strftime(${args[0]?.sql}, ${quoteText(codes)})`, args);
};

/** From a year down to a week it is a day, as in the service. */
const dateTrunc: Special = ({ args: [unit, time, ...zone], nodes }, call) => {
  if (unit === undefined || time === undefined || zone.length > 0)
    throw notHere('dateTrunc with a time zone', call);
  const isDay = /^(?:year|quarter|month|week)$/i.test(String(constantOf(nodes[0])));
  const sql = `date_trunc(${unit.sql}, ${time.sql})`;
  return isDay ? known('day', `${sql}::date`, [time]) : known('time', `${sql}::timestamp`, [time]);
};

/** Odd modes begin on Monday. The sandbox's own project begins its weeks on Sunday, mode 0. */
const weekStart: Special = ({ args: [time], nodes }) => {
  const isMonday = Number(constantOf(nodes[1]) ?? 0) % 2 === 1;
  const sql = isMonday
    ? `date_trunc('week', ${time?.sql})::date`
    : `(date_trunc('week', ${time?.sql} + interval 1 day)::date - 1)`;
  return known('day', sql, time === undefined ? [] : [time]);
};

const dayOfWeek: Special = ({ args: [time], nodes }) => {
  const mode = Number(constantOf(nodes[1]) ?? 0);
  const day = `isodow(${time?.sql})`;
  const sql = [day, `(${day} - 1)`, `(${day} % 7)`, `(${day} % 7 + 1)`][mode] ?? day;
  return known('integer', sql, time === undefined ? [] : [time]);
};

/** So many numbers at most: a list lies outside of the database's own limit of memory. */
const MOST_NUMBERS = 10_000;

const range: Special = ({ args }) => {
  const [first, second, step] = args.map(({ sql }) => sql);
  const [from, to] = second === undefined ? ['0', first] : [first, second];
  const by = step ?? '1';
  const tooMany = `error('A range has at most ${MOST_NUMBERS} numbers')`;
  const sql = `case when (${to} - ${from}) / ${by} > ${MOST_NUMBERS} then ${tooMany} else range(${from}, ${to}, ${by}) end`;
  return { ...known('list', sql, args), size: COLLECTED };
};

/** So many characters at most. */
const MOST_FILLED = 1000;

const filled =
  (write: (text: string, count: number, by: string) => string): Special =>
  ({ args, nodes }, call) => {
    const count = Number(constantOf(nodes[1]));
    if (!(count >= 0 && count <= MOST_FILLED))
      throw refuse(
        `The sandbox takes a number up to ${MOST_FILLED} in ${call.name}`,
        nodes[1],
        'not_allowed',
      );
    const [text, , by] = args;
    const written = known('text', write(text?.sql ?? "''", count, by?.sql ?? "' '"), args);
    return { ...written, size: written.size * Math.max(1, count) };
  };

const lpad = filled((text, count, by) => `lpad(${text}, ${count}, ${by})`);
const rpad = filled((text, count, by) => `rpad(${text}, ${count}, ${by})`);

const jsonExtract: Special = ({ args, nodes }, call) => {
  const type = String(constantOf(nodes.at(-1)));
  const read = { String: 'String', Int64: 'Int', Float64: 'Float', Bool: 'Bool' }[type];
  const line = {
    args: args.slice(0, -1),
    params: [],
    nodes: nodes.slice(0, -1),
    filter: undefined,
    order: '',
    over: '',
  };
  if (/^Array\((?:Nullable\()?String\)?\)$/.test(type)) {
    const { sql } = fill({ result: 'text', pattern: 'json_extract($1, $path)' }, line);
    return { ...known('list', `coalesce(try_cast(${sql} as varchar[]), [])`, args, false), size: WIDER };
  }
  if (read === undefined) throw notHere(`JSONExtract as ${type}`, call);
  return fill(lineOf(`JSONExtract${read}`, line), line);
};

/** What no pattern can say. */
const SPECIAL: Readonly<Record<string, Special>> = {
  if: ({ args }) => inTurn(args),
  multiIf: ({ args }) => inTurn(args),
  _caseWithExpression: ({ args: [value, ...args] }) =>
    inTurn(args, ({ sql }) => `${value?.sql} is not distinct from ${sql}`),
  coalesce,
  ifnull: coalesce,
  nullif: ({ args: [one, other] }) =>
    known(one?.kind ?? 'other', `nullif(${one?.sql}, ${other?.sql})`, one === undefined ? [] : [one], true),
  and: ({ args }) => known('flag', `(${args.map(({ sql }) => sql).join(' and ')})`, args),
  or: ({ args }) => known('flag', `(${args.map(({ sql }) => sql).join(' or ')})`, args),
  exists: ({ args: [query] }) => known('flag', `exists ${query?.sql}`, [], false),
  formatDateTime: formatTime,
  to_char: formatTime,
  dateTrunc,
  date_trunc: dateTrunc,
  toStartOfWeek: weekStart,
  toDayOfWeek: dayOfWeek,
  toTimeZone: ({ args: [time, zone] }) =>
    known(
      'time',
      `(${time?.sql} at time zone 'UTC' at time zone ${zone?.sql ?? "'UTC'"})`,
      time ? [time] : [],
    ),
  round: ({ args: [value, digits] }) =>
    known(value?.kind ?? 'number', `round_even(${value?.sql}, ${digits?.sql ?? '0'})`, value ? [value] : []),
  range,
  leftPad: lpad,
  leftPadUTF8: lpad,
  lpad,
  rightPad: rpad,
  rightPadUTF8: rpad,
  rpad,
  repeat: filled((text, count) => `repeat(${text}, ${count})`),
  JSONExtract: jsonExtract,
};
