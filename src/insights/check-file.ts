import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { InsightReference } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import { asList, asObject, type Json } from '../json/kinds.ts';
import { inMilliseconds, readDuration } from '../service/calendar.ts';
import { REFRESH_MODES } from '../service/parameters.ts';
import type { Check, Reading } from './check-report.ts';
import { dropExpectation, type Expectation, timeExpectation } from './judge.ts';
import { parseExpectation } from './parse-expectation.ts';

/** A label or a value may look like a number. */
const LABEL_TYPES = ['string', 'number', 'boolean'] as const;
const text = { type: 'string', minLength: 1 } as const;

/** The fields of a check, as JSON Schema has them; docs/checks.schema.json is made of it. */
const CHECK_FIELDS = {
  name: { type: LABEL_TYPES, description: 'Name of the check in tables and reports' },
  insight: { type: ['integer', 'string'], description: 'Insight id or short id' },
  short_id: { ...text, description: 'Short id of the insight, for one that consists of digits' },
  expect: {
    type: ['string', 'array'],
    items: text,
    minItems: 1,
    description: "Expectation that must hold, one or a list: 'last >= 100', 'conversion(2) >= 50'",
  },
  max_drop: { ...text, description: 'Largest drop from the figure before to the last one: 20%' },
  max_age: { ...text, description: 'Largest age of the result: 30min, 24h' },
  max_lag: { ...text, description: 'Longest time since the newest interval ended: 2d' },
  series: { type: LABEL_TYPES, description: 'Only the series with this label' },
  breakdown: { type: LABEL_TYPES, description: 'Only this value of the breakdown' },
  unfinished: { type: 'boolean', description: 'Also count the interval that is not over' },
  refresh: {
    enum: [true, ...REFRESH_MODES],
    description: 'Whether and when to calculate; true means blocking',
  },
  variables: { type: 'object', description: 'Values of its variables by name, for this calculation' },
  from_dashboard: { type: 'integer', description: "Apply this dashboard's filters and dates" },
  filters_override: { type: 'object', description: 'Filters and dates for this calculation' },
} as const;

export const CHECK_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Checks for hogctl insights check --file',
  type: 'object',
  additionalProperties: false,
  required: ['checks'],
  properties: {
    refresh: { ...CHECK_FIELDS.refresh, description: 'The default for every check' },
    checks: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        properties: CHECK_FIELDS,
        oneOf: [{ required: ['insight'] }, { required: ['short_id'] }],
        anyOf: ['expect', 'max_drop', 'max_age', 'max_lag'].map((name) => ({ required: [name] })),
      },
    },
  },
} as const;

type Problem = { readonly line: number; readonly message: string };

type Read = { readonly value: Json } | { readonly message: string };

/** One that cannot be read has no value. */
type Fields = ReadonlyMap<string, { readonly line: number; readonly value: Json | undefined }>;

type Reader = { readonly problems: Problem[]; readonly lineOf: (node: Node | null | undefined) => number };

const LONGEST = 256 * 1024;

/** Reads the checks of a YAML file. Throws a usage error that names everything that is wrong with it. */
export async function readCheckFile(
  file: string,
  { refresh }: Pick<Reading, 'refresh'>,
  context: Context,
): Promise<readonly Check[]> {
  const name = file === '-' ? 'standard input' : file;
  const source = await readLimited(file, name, context);
  const lines = new LineCounter();
  const problems: Problem[] = [];
  const lineOf: Reader['lineOf'] = (node) => lines.linePos(node?.range?.[0] ?? 0).line;
  const document = parse(source, lines, name);
  for (const { message, pos } of [...document.errors, ...document.warnings])
    problems.push({ line: lines.linePos(pos[0]).line, message });
  const checks = problems.length > 0 ? [] : readRoot(document.contents, { refresh }, { problems, lineOf });
  if (problems.length === 0) return checks;
  throw usageError(`${name} is not a file of checks:\n${listed(problems)}`, 'nothing was sent');
}

async function readLimited(file: string, name: string, context: Context): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of context.readInput(file)) {
    parts.push(part);
    length += part.length;
    if (length > LONGEST) throw usageError(`${name} is larger than 256 KB`, 'split it');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw usageError(`${name} is not UTF-8`, 'save it as UTF-8');
  }
}

function parse(source: string, lineCounter: LineCounter, name: string) {
  const document = parseDocument<Node>(source, { lineCounter, schema: 'core', prettyErrors: false });
  // The parser calls itself for each level.
  if (!document.errors.some(({ message }) => message.startsWith('Maximum call stack'))) return document;
  throw usageError(`${name} is nested too deeply`);
}

const MOST_TOLD = 20;

function listed(problems: readonly Problem[]): string {
  const sorted = problems.toSorted((left, right) => left.line - right.line);
  const told = sorted.slice(0, MOST_TOLD).map(({ line, message }) => `line ${line}: ${message}`);
  const more = problems.length - MOST_TOLD;
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function readRoot(root: Node | null, given: Pick<Reading, 'refresh'>, reader: Reader): readonly Check[] {
  const { problems, lineOf } = reader;
  if (!isMap(root)) {
    problems.push({ line: lineOf(root), message: 'the list checks is missing' });
    return [];
  }
  const list = root.get('checks', true);
  const fields = readFields(root, { refresh: CHECK_FIELDS.refresh, checks: {} }, reader);
  const refresh = given.refresh ?? modeOf(fields.get('refresh')?.value);
  if (!isSeq(list) || list.items.length === 0) {
    problems.push({ line: lineOf(list ?? root), message: 'checks takes a list of at least one check' });
    return [];
  }
  // Items of a parsed list are nodes; the type allows for lists made by hand.
  const checks = (list.items as Node[]).flatMap((item) => readCheck(item, refresh, reader));
  refuseTwoModes(checks, problems);
  return checks;
}

function readCheck(item: Node, refresh: Reading['refresh'], reader: Reader): readonly Check[] {
  const line = reader.lineOf(item);
  if (!isMap(item)) {
    reader.problems.push({ line, message: 'a check takes fields such as insight and expect' });
    return [];
  }
  const before = reader.problems.length;
  const fields = readFields(item, CHECK_FIELDS, reader);
  const insight = readReference(fields, line, reader);
  const expectations = readExpectations(fields, line, reader);
  if (insight === undefined || reader.problems.length > before) return [];
  const fieldOf = (name: keyof typeof CHECK_FIELDS) => fields.get(name)?.value;
  const labelOf = (name: keyof typeof CHECK_FIELDS) => {
    const value = fieldOf(name);
    return value === undefined ? undefined : String(value);
  };
  const dashboard = fieldOf('from_dashboard');
  const reading = {
    insight,
    refresh: modeOf(fieldOf('refresh')) ?? refresh,
    variable: asObject(fieldOf('variables')),
    from_dashboard: dashboard === undefined ? undefined : Number(dashboard),
    filters_override: asObject(fieldOf('filters_override')),
  };
  const chosen = { series: labelOf('series'), breakdown: labelOf('breakdown') };
  const unfinished = fieldOf('unfinished') === true;
  return [{ name: labelOf('name'), line, reading, expectations, ...chosen, unfinished }];
}

/** `true` is what the bare option says. */
function modeOf(value: Json | undefined): Reading['refresh'] {
  return value === true ? 'blocking' : REFRESH_MODES.find((mode) => mode === value);
}

function readReference(fields: Fields, line: number, { problems }: Reader): InsightReference | undefined {
  const [insight, shortId] = [fields.get('insight'), fields.get('short_id')];
  if ((insight === undefined) === (shortId === undefined)) {
    problems.push({ line, message: 'a check takes insight or short_id, and only one of them' });
    return undefined;
  }
  const { line: at = line } = insight ?? shortId ?? {};
  const named = insight?.value ?? shortId?.value;
  if (named === undefined) return undefined;
  const written = String(named);
  if (insight !== undefined && /^\d{1,20}$/.test(written)) return { id: written };
  if (/^[A-Za-z0-9]{1,32}$/.test(written)) return { shortId: written };
  problems.push({ line: at, message: `"${written}" is neither an insight id nor a short id` });
  return undefined;
}

function readExpectations(fields: Fields, line: number, { problems }: Reader): readonly Expectation[] {
  const read = (name: string, make: (text: string) => Expectation): readonly Expectation[] => {
    const field = fields.get(name);
    if (field?.value === undefined) return [];
    return (asList(field.value) ?? [field.value]).flatMap((one) => {
      try {
        return make(String(one));
      } catch (failure) {
        if (!(failure instanceof CliError)) throw failure;
        const hint = failure.hint === undefined ? '' : `; ${failure.hint}`;
        // It speaks of the option of the same name.
        problems.push({ line: field.line, message: `${failure.message.replace(/^--/, '')}${hint}` });
        return [];
      }
    });
  };
  const time = (option: string, name: 'age' | 'lag') =>
    read(option, (given) => timeExpectation(name, inMilliseconds(readDuration(option, given))));
  const names = ['expect', 'max_drop', 'max_age', 'max_lag'];
  if (!names.some((name) => fields.has(name)))
    problems.push({ line, message: `an expectation is missing: give ${names.join(', ')}` });
  return [
    ...read('expect', parseExpectation),
    ...read('max_drop', (given) => dropExpectation(given, 'max_drop')),
    ...time('max_age', 'age'),
    ...time('max_lag', 'lag'),
  ];
}

/** One calculation cannot be made in two ways. */
function refuseTwoModes(checks: readonly Check[], problems: Problem[]): void {
  const first = new Map<string, Check>();
  for (const check of checks) {
    const { refresh, ...alike } = check.reading;
    const key = JSON.stringify(alike);
    const other = first.get(key) ?? check;
    first.set(key, other);
    if (other.reading.refresh === refresh) continue;
    problems.push({
      line: check.line ?? 0,
      message: `refresh is ${refresh ?? 'not given'}, but ${other.reading.refresh ?? 'not given'} for the same insight in line ${other.line}`,
    });
  }
}

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly minLength?: number;
  readonly items?: Schema;
  readonly minItems?: number;
};

function readFields(
  map: { readonly items: readonly { readonly key: unknown; readonly value: unknown }[] },
  known: { readonly [name: string]: Schema },
  reader: Reader,
): Fields {
  const fields = new Map<string, { readonly line: number; readonly value: Json | undefined }>();
  for (const { key, value } of map.items) {
    const name = keyText(key);
    const line = reader.lineOf(partOf(key));
    const read = readField(name, partOf(value), known);
    if ('message' in read) reader.problems.push({ line, message: read.message });
    fields.set(name, { line, value: 'value' in read ? read.value : undefined });
  }
  return fields;
}

function readField(name: string, node: Node | null, known: { readonly [name: string]: Schema }): Read {
  const schema = Object.hasOwn(known, name) ? known[name] : undefined;
  if (schema === undefined)
    return { message: `unknown field "${name}": the fields are ${Object.keys(known).join(', ')}` };
  // Each item of the list has a reader of its own.
  if (name === 'checks') return { value: null };
  const fault = faultOf(node);
  if (fault !== undefined) return { message: `${name} ${fault}` };
  const value = plainValue(node);
  if (!fits(value, schema)) return { message: `${name} takes ${wantedText(schema)}` };
  // A label is what was written: 1.0 is not 1.
  return { value: schema.type === LABEL_TYPES && isScalar(node) ? (node.source ?? value) : value };
}

function plainValue(node: Node | null): Json {
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => [keyText(key), plainValue(partOf(value))]);
    return Object.fromEntries(entries);
  }
  if (isSeq(node)) return node.items.map((item) => plainValue(partOf(item)));
  // What is no collection and no alias is a scalar, of which the core schema makes JSON's values.
  return isScalar(node) ? (node.value as Json) : null;
}

/** Parts of what was parsed are nodes; the type allows for collections made by hand. */
function partOf(part: unknown): Node | null {
  return part as Node | null;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

/** What keeps a value from being read, as the end of a sentence. */
function faultOf(node: Node | null): string | undefined {
  if (isAlias(node)) return 'is an alias, and aliases are not read';
  if (isMap(node)) return node.items.map(({ value }) => faultOf(partOf(value))).find(Boolean);
  if (isSeq(node)) return node.items.map((item) => faultOf(partOf(item))).find(Boolean);
  const isUnsafe =
    isScalar(node) && typeof node.value === 'number' && !(Math.abs(node.value) <= Number.MAX_SAFE_INTEGER);
  return isUnsafe ? 'has a number that would lose digits; write it in quotes' : undefined;
}

const TYPES: Readonly<Record<string, { readonly name: string; readonly is: (value: Json) => boolean }>> = {
  string: { name: 'text', is: (value) => typeof value === 'string' },
  integer: { name: 'a whole number', is: (value) => Number.isInteger(value) },
  number: { name: 'a number', is: (value) => typeof value === 'number' },
  boolean: { name: 'true or false', is: (value) => typeof value === 'boolean' },
  object: { name: 'names with values', is: (value) => asObject(value) !== undefined },
  array: { name: 'a list of texts', is: (value) => asList(value) !== undefined },
};

function typesOf({ type = [] }: Schema) {
  return [type].flat().flatMap((name) => TYPES[name] ?? []);
}

function fits(value: Json, schema: Schema): boolean {
  const { enum: choices, minLength = 0, items, minItems = 0 } = schema;
  if (choices !== undefined) return choices.includes(value);
  if (!typesOf(schema).some(({ is }) => is(value))) return false;
  if (typeof value === 'string') return value.length >= minLength;
  const list = asList(value);
  return list === undefined || (list.length >= minItems && list.every((one) => items && fits(one, items)));
}

function wantedText(schema: Schema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  return typesOf(schema)
    .map(({ name }) => name)
    .join(' or ');
}
