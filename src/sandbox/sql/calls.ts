import { findFunction, type SqlNode } from '../../semantics/sql-tree.ts';
import { DEFAULTS, type Kind, SMALL_KINDS } from './tables.ts';
import translations from './translations.json' with { type: 'json' };
import { firstKind, MOST_SIZE, notHere, USUAL_LENGTH, type Written } from './written.ts';

export type Call = Extract<SqlNode, { node: 'Call' | 'WindowFunction' }>;

/** Where a call stands: in a condition no value and `false` are one, in a join no value meets none. */
export type Place = 'condition' | 'join' | undefined;

/** What stands in a call, in the database's SQL. */
export type CallParts = {
  readonly args: readonly Written[];
  readonly params: readonly Written[];
  /** The arguments as they were written. */
  readonly nodes: readonly SqlNode[];
  readonly filter: string | undefined;
  readonly order: string;
  readonly over: string;
  readonly place: Place;
};

/** Writes a call by the line of its function. Throws an `SqlError` if there is none: the sandbox lacks the function. */
export function fillLine(name: string, parts: CallParts, call: Call): Written {
  const line = lineOf(name, parts);
  const condition = parts.args.at(-1);
  if (line === undefined && name.endsWith('If') && condition !== undefined) {
    const filter = [parts.filter, condition.sql].filter((one) => one !== undefined).join(' and ');
    return fillLine(name.slice(0, -2), { ...parts, args: parts.args.slice(0, -1), filter }, call);
  }
  if (line === undefined) throw notHere(`the function ${call.name}`, call);
  if (parts.args.length > argumentsIn(line)) throw notHere(`so many arguments of ${call.name}`, call);
  const written = fill(line, parts);
  const isAggregate = findFunction(call.name)?.isAggregate === true || call.node === 'WindowFunction';
  return isAggregate ? orDefault(written, parts.args) : written;
}

/** What the service's database answers where there are no rows, unless the column itself can be missing. */
export function orDefault(written: Written, args: readonly Written[] = []): Written {
  const isSure = [written, ...args].every(({ isMissing }) => !isMissing);
  const otherwise = DEFAULTS[written.kind];
  if (!isSure || otherwise === undefined) return written;
  return { ...written, sql: `coalesce(${written.sql}, ${otherwise})` };
}

type Line = { readonly result: string; readonly pattern: string };

/**
 * Lines of `translations.json`: what comes out, and the text in the database's SQL.
 *
 * The key is the name. `name:word` is for a call with this constant among its arguments, `name@missing` for arguments that
 * may both be missing, `name@kind,kind` and `name@kind` for kinds of all arguments and of the first one.
 *
 * What comes out is a kind, `=` for that of the first argument, `=~` for the first that is known, `=n` for a whole number
 * if all arguments are such. It is missing if an argument is, with `?` always perhaps, with `!` never, with `&` if all
 * arguments are; with `-` it is false then, with `^` true. Its size is the sum of all arguments; `*` four times that, `#`
 * the last argument for each match, `+` something of every row. With `.` further arguments do not matter here.
 *
 * In the text `$1` is an argument, `$n1` as a number, `$j1` as JSON, `$c1` as what it is compared with; `$*` all of them,
 * `$*and` with a word between, `$path` the keys behind the first, `$keys` those without the last,
 * `$p*` parameters, `$o` the order within the brackets of an aggregate, `$f` the place of its FILTER and OVER.
 */
const LINES: ReadonlyMap<string, Line> = new Map(
  Object.entries(translations.functions).map(([key, text]) => {
    const end = text.indexOf(' ');
    return [key, { result: text.slice(0, end), pattern: text.slice(end + 1) }];
  }),
);

/** The most special line that fits. */
function lineOf(name: string, { args, nodes, place }: CallParts): Line | undefined {
  const canMatch = args.every(({ isMissing }) => isMissing) || args.some(({ sql }) => sql === 'null');
  const keys = [
    ...nodes.map((node) => `${name}:${constantOf(node)}`),
    ...(canMatch && place !== 'join' ? [`${name}@missing`] : []),
    `${name}@${args.map(({ kind }) => kind).join()}`,
    `${name}@${nodes[0]?.node === 'Lambda' ? 'lambda' : args[0]?.kind}`,
    name,
  ];
  return keys.map((key) => LINES.get(key)).find((line) => line !== undefined);
}

/** How many arguments a line has a place for. */
function argumentsIn({ result, pattern }: Line): number {
  if (result.includes('.') || /\$(?:\*|path|keys)/.test(pattern)) return Infinity;
  return Math.max(0, ...[...pattern.matchAll(/\$[cjn]?(\d)/g)].map(([, place]) => Number(place)));
}

function fill({ result, pattern }: Line, parts: CallParts): Written {
  const { args, place } = parts;
  const [, word = '', marks = ''] = /^([a-z]+|=[~n]?)([-^!?*#+&.]*)$/.exec(result) ?? [];
  const missing = args.filter(({ isMissing }) => isMissing).length;
  const written = { kind: kindOf(word, args), size: sizeOf(marks, parts) };
  const sql = fillPattern(pattern, parts);
  if (/[-^]/.test(marks)) {
    const isSure = missing === 0 || place === 'join' || (place === 'condition' && marks === '-');
    return { ...written, sql: isSure ? sql : `coalesce(${sql}, ${marks === '^'})`, isMissing: false };
  }
  const isOpen = marks.includes('&') ? missing === args.length : missing > 0;
  return { ...written, sql, isMissing: marks.includes('?') || (!marks.includes('!') && isOpen) };
}

function kindOf(word: string, args: readonly Written[]): Kind {
  if (word === '=') return args[0]?.kind ?? 'other';
  if (word === '=~') return firstKind(args);
  if (word === '=n') return args.every(({ kind }) => WHOLE.includes(kind)) ? 'integer' : 'number';
  // The table names no others.
  return word as Kind;
}

const TRUTHS: readonly Kind[] = ['flag', 'boolean'];

const WHOLE: readonly Kind[] = ['integer', ...TRUTHS];

function fillPattern(pattern: string, { args, params, filter, order, over }: CallParts): string {
  const list = (parts: readonly Written[], between = ', ') => parts.map(({ sql }) => sql).join(between);
  const places: Readonly<Record<string, () => string>> = {
    $: () => '$',
    '*': () => list(args) || '*',
    '*and': () => list(args, ' and '),
    '*or': () => list(args, ' or '),
    o: () => order,
    f: () => (filter === undefined ? '' : ` filter (where ${filter})`) + over,
    path: () => pathOf(args.slice(1)),
    keys: () => pathOf(args.slice(1, -1)),
    'p*': () => list(params),
  };
  return pattern.replaceAll(
    /\$(path|keys|p\*|\*and|\*or|[cjn]?\d|[*of$])/g,
    (_, word: string) => places[word]?.() ?? argumentAt(word, args),
  );
}

/** An argument as a line wants it. */
function argumentAt(word: string, args: readonly Written[]): string {
  const at = Number(word.at(-1)) - 1;
  const [one, other] = [args[at], args[at === 0 ? 1 : 0]];
  if (one === undefined) return 'null';
  const { sql, kind } = one;
  if (word.startsWith('n') && TRUTHS.includes(kind)) return `(${sql})::integer`;
  if (word.startsWith('j') && kind !== 'json')
    return `(case when json_valid(${sql}) then (${sql})::json end)`;
  return word.startsWith('c') && other !== undefined ? asOther(one, other) : sql;
}

const TYPES_OF_TEXT: Partial<Record<Kind, string>> = { time: 'timestamp', day: 'date', uuid: 'uuid' };

/** A text that is compared with a time, a day or a uuid is read as one. */
export function asOther({ sql, kind }: Written, other: Written): string {
  const type = TYPES_OF_TEXT[other.kind];
  return kind === 'text' && type !== undefined ? `try_cast(${sql} as ${type})` : sql;
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

export function constantOf(node: SqlNode | undefined) {
  return node?.node === 'Constant' ? node.value : undefined;
}
