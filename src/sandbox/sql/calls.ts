import { findFunction, type SqlNode } from '../../semantics/sql-tree.ts';
import { quoteText } from '../store/open-store.ts';
import { OPERATORS } from './comparisons.ts';
import { DEFAULTS, type Kind, SMALL_KINDS } from './tables.ts';
import { DATE_CODES, TRANSLATIONS } from './translations.ts';
import { firstKind, MOST_SIZE, made, notHere, USUAL_LENGTH, type Written } from './written.ts';

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
  if (isDistinct && name !== 'count') throw notHere(`DISTINCT within ${name}`, call);
  const { line, own } = findLine(isDistinct ? 'countDistinct' : name, parts, call);
  const written = fill(line, own);
  return isAggregate || call.node === 'WindowFunction' ? orDefault(written, own.args) : written;
}

/** Text that is no JSON has nothing in it. */
function withJson(parts: CallParts): CallParts {
  const [json, ...keys] = parts.args;
  if (json === undefined || json.kind === 'json') return parts;
  const sql = `case when json_valid(${json.sql}) then (${json.sql})::json end`;
  return { ...parts, args: [{ ...json, sql, isMissing: true }, ...keys] };
}

/** What the service's database answers where there are no rows, unless the column itself can be missing. */
export function orDefault(written: Written, args: readonly Written[] = []): Written {
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

/** The line of a function, and the parts that it takes: aggregates whose name ends with If have a condition behind. */
function findLine(
  name: string,
  parts: CallParts,
  call: Call,
): { readonly line: Line; readonly own: CallParts } {
  const line = lineOf(name, parts);
  const condition = parts.args.at(-1);
  if (line === undefined && /If$/.test(name) && condition !== undefined) {
    const filter = [parts.filter, condition.sql].filter((one) => one !== undefined).join(' and ');
    return findLine(name.slice(0, -2), { ...parts, args: parts.args.slice(0, -1), filter }, call);
  }
  if (line === undefined) throw notHere(`the function ${call.name}`, call);
  if (parts.args.length > argumentsIn(line)) throw notHere(`so many arguments of ${call.name}`, call);
  return { line, own: parts };
}

function lineOf(name: string, { args, nodes }: CallParts): Line | undefined {
  const kind = nodes[0]?.node === 'Lambda' ? 'lambda' : args[0]?.kind;
  const words = nodes.map((node) => linesOf().get(`${name}:${constantOf(node)}`));
  const own = words.find((line) => line !== undefined);
  const kinds = args.map((one) => one.kind).join();
  return own ?? linesOf().get(`${name}@${kinds}`) ?? linesOf().get(`${name}@${kind}`) ?? linesOf().get(name);
}

/** How many arguments a line has a place for. */
function argumentsIn({ result, pattern }: Line): number {
  if (result.includes('.') || /\$(?:\*|row|path|keys)/.test(pattern)) return Infinity;
  return Math.max(0, ...[...pattern.matchAll(/\$(\d)/g)].map(([, place]) => Number(place)));
}

/** Whether the sandbox can run a function of the service. */
export function runsFunction(name: string): boolean {
  const known = [SPECIAL, OPERATORS].flatMap(Object.keys).concat('arrayJoin', [...linesOf().keys()]);
  const own = findFunction(name)?.isAggregate === true ? [name, name.replace(/If$/, '')] : [name];
  return known.some((key) => own.includes(key.replace(/[@:].*$/, '')));
}

function fill({ result, pattern }: Line, parts: CallParts): Written {
  const { args } = parts;
  const [, word = '', marks = ''] = /^([a-z]+|=[2~]?)([!?*#+&.]*)$/.exec(result) ?? [];
  // The table holds only kinds where it names one.
  const own = word === '=~' ? firstKind(args) : (word as Kind);
  const kind = word === '=' || word === '=2' ? (args[word === '=' ? 0 : 1]?.kind ?? 'other') : own;
  const missing = args.filter((one) => one.isMissing).length;
  const isOpen = marks.includes('&') ? missing === args.length : missing > 0;
  const isMissing = marks.includes('?') || (!marks.includes('!') && isOpen);
  return { sql: fillPattern(pattern, parts), kind, isMissing, size: sizeOf(marks, parts) };
}

function fillPattern(pattern: string, { args, params, filter, order, over }: CallParts): string {
  const all = args.map(({ sql }) => sql);
  const row = all.length > 1 ? `(${all.join(', ')})` : (all[0] ?? '');
  const places: Readonly<Record<string, () => string>> = {
    $: () => '$',
    '*': () => all.join(', ') || '*',
    row: () => row,
    o: () => order,
    f: () => (filter === undefined ? '' : ` filter (where ${filter})`) + over,
    path: () => pathOf(args.slice(1)),
    keys: () => pathOf(args.slice(1, -1)),
    'p*': () => params.map(({ sql }) => sql).join(', '),
    p1: () => params[0]?.sql ?? 'null',
  };
  return pattern.replaceAll(
    /\$(path|keys|row|p1|p\*|\d|[*of$])/g,
    (_, word: string) => places[word]?.() ?? all[Number(word) - 1] ?? 'null',
  );
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
  const sum = args.reduce((total, { kind, size }) => total + (SMALL_KINDS.has(kind) ? 0 : size), 0);
  const [lambda] = args;
  if (lambda !== undefined && nodes[0]?.node === 'Lambda')
    return SMALL_KINDS.has(lambda.kind) ? Math.max(1, sum) : Math.max(1, sum - lambda.size) * lambda.size;
  if (marks.includes('*')) return Math.max(1, sum) * WIDER;
  if (marks.includes('+')) return Math.max(1, sum) * COLLECTED;
  if (!marks.includes('#')) return Math.max(1, sum);
  // Each match in a text may become the whole of another.
  const other = constantOf(nodes.at(-1));
  const length = typeof other === 'string' ? other.length : (args.at(-1)?.size ?? 1) * USUAL_LENGTH;
  return Math.max(...args.map(({ size }) => size)) * Math.max(1, length);
}

function constantOf(node: SqlNode | undefined) {
  return node?.node === 'Constant' ? node.value : undefined;
}

/** Condition and value in turn, and at the end what holds otherwise. */
function choose(args: readonly Written[]): Written {
  const values = args.filter((_, at) => at % 2 === 1 || at === args.length - 1);
  const cases = values.slice(0, -1).map(({ sql }, at) => `when ${args[2 * at]?.sql} then ${sql}`);
  return made(firstKind(values), `case ${cases.join(' ')} else ${values.at(-1)?.sql} end`, values);
}

function formatTime({ args, nodes }: CallParts, call: Call): Written {
  const format = constantOf(nodes[1]);
  if (typeof format !== 'string' || args.length > 2) throw notHere(`such a format of ${call.name}`, call);
  const codes = format.replaceAll(/%[a-zA-Z]/g, (code) => {
    const known = DATE_CODES[code];
    if (known === undefined) throw notHere(`${code} in ${call.name}`, nodes[1]);
    return known;
  });
  return made('text', `strftime(${args[0]?.sql}, ${quoteText(codes)})`, args);
}

/** What no pattern can say. */
const SPECIAL: Readonly<Record<string, (parts: CallParts, call: Call) => Written>> = {
  if: ({ args }) => choose(args),
  multiIf: ({ args }) => choose(args),
  _caseWithExpression: ({ args: [value, ...args] }) => {
    const isWhen = (at: number) => at % 2 === 0 && at < args.length - 1;
    const when = (one: Written) => ({ ...one, sql: `${value?.sql} is not distinct from ${one.sql}` });
    return choose(args.map((one, at) => (isWhen(at) ? when(one) : one)));
  },
  formatDateTime: formatTime,
  to_char: formatTime,
};
