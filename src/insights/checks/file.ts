import { isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { InsightReference } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { asList, asObject, type Json } from '../../json/kinds.ts';
import { inMilliseconds, readDuration } from '../../semantics/calendar.ts';
import { REFRESH_MODES } from '../../service/parameters.ts';
import { dropExpectation, type Expectation, timeExpectation } from '../judging/judge.ts';
import { parseExpectation } from '../judging/parse-expectation.ts';
import {
  ANALYSIS_FIELDS,
  type Fields,
  KINDS,
  LABEL_TYPES,
  type Problem,
  type Reader,
  type ReadOptions,
  readAnalysis,
  readFields,
  tellProblem,
  text,
} from './fields.ts';
import type { Check, Reading } from './report.ts';

/** The fields of a check, as JSON Schema has them; docs/checks.schema.json is made of them. */
export const CHECK_FIELDS = {
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
  ...ANALYSIS_FIELDS,
} as const;

/** What a check is about, and what it expects: one of the former, and at least one of the latter. */
export const SUBJECTS = ['insight', 'short_id', ...KINDS] as const;

export const EXPECTATIONS = ['expect', 'max_drop', 'max_age', 'max_lag'] as const;

type Given = Pick<Reading, 'refresh'> & { readonly readOptions: ReadOptions };

const LONGEST = 256 * 1024;

/** Reads the checks of a YAML file. Throws a usage error that names everything that is wrong with it. */
export async function readCheckFile(file: string, given: Given, context: Context): Promise<readonly Check[]> {
  const name = file === '-' ? 'standard input' : file;
  const source = await readLimited(file, name, context);
  const lines = new LineCounter();
  const problems: Problem[] = [];
  const document = parse(source, lines, name);
  const reader: Reader = {
    problems,
    lineOf: (node) => lines.linePos(node?.range?.[0] ?? 0).line,
    // The core schema makes JSON's values of what is no alias.
    toValue: (node) => (node?.toJS(document) ?? null) as Json,
  };
  for (const { message, pos } of [...document.errors, ...document.warnings])
    problems.push({ line: lines.linePos(pos[0]).line, message });
  const checks = problems.length > 0 ? [] : await readRoot(document.contents, given, reader);
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

/** A map with the list `checks`, or that list by itself. */
async function readRoot(root: Node | null, given: Given, reader: Reader): Promise<readonly Check[]> {
  if (isSeq(root)) return readList(root, given, reader);
  const known = { refresh: CHECK_FIELDS.refresh, checks: { properties: {} } };
  const fields = readFields(root, { known, otherwise: 'a list of checks is missing' }, reader);
  if (fields === undefined) return [];
  const refresh = given.refresh ?? modeOf(fields.get('refresh')?.value);
  return readList(fields.get('checks')?.node ?? root, { ...given, refresh }, reader);
}

async function readList(list: Node | null, given: Given, reader: Reader): Promise<readonly Check[]> {
  const { problems, lineOf } = reader;
  if (!isSeq(list) || list.items.length === 0) {
    problems.push({ line: lineOf(list), message: 'checks takes a list of at least one check' });
    return [];
  }
  // Items of a parsed list are nodes; the type allows for lists made by hand.
  const items = list.items as Node[];
  const checks: Check[] = [];
  for (const item of items) checks.push(...(await readCheck(item, given, reader)));
  refuseTwoModes(checks, problems);
  return checks;
}

async function readCheck(item: Node, given: Given, reader: Reader): Promise<readonly Check[]> {
  const line = reader.lineOf(item);
  const before = reader.problems.length;
  const otherwise = 'a check takes fields such as insight and expect';
  const fields = readFields(item, { known: CHECK_FIELDS, otherwise }, reader);
  if (fields === undefined) return [];
  const kind = KINDS.find((one) => fields.has(one));
  const described = kind && fields.get(kind);
  const analysis = described && (await readAnalysis(kind, described, given.readOptions, reader));
  const insight = readReference(fields, line, reader) ?? analysis;
  const expectations = readExpectations(fields, line, reader);
  const beside = ONLY_SAVED.filter((name) => kind !== undefined && fields.has(name));
  if (beside.length > 0)
    reader.problems.push({ line, message: `${beside.join(', ')} cannot be used with ${kind}` });
  if (insight === undefined || reader.problems.length > before) return [];
  const fieldOf = (name: keyof typeof CHECK_FIELDS) => fields.get(name)?.value;
  const labelOf = (name: keyof typeof CHECK_FIELDS) => {
    const value = fieldOf(name);
    return value === undefined ? undefined : String(value);
  };
  const dashboard = fieldOf('from_dashboard');
  const reading = {
    insight,
    refresh: modeOf(fieldOf('refresh')) ?? given.refresh,
    variable: asObject(fieldOf('variables')),
    from_dashboard: dashboard === undefined ? undefined : Number(dashboard),
    filters_override: asObject(fieldOf('filters_override')),
  };
  const chosen = { series: labelOf('series'), breakdown: labelOf('breakdown') };
  const unfinished = fieldOf('unfinished') === true;
  return [{ name: labelOf('name'), line, reading, expectations, ...chosen, unfinished }];
}

/** What only a saved insight takes. */
const ONLY_SAVED = ['variables', 'from_dashboard', 'filters_override'];

/** `true` is what the bare option says. */
function modeOf(value: Json | undefined): Reading['refresh'] {
  return value === true ? 'blocking' : REFRESH_MODES.find((mode) => mode === value);
}

function readReference(fields: Fields, line: number, { problems }: Reader): InsightReference | undefined {
  const [insight, shortId] = [fields.get('insight'), fields.get('short_id')];
  if (SUBJECTS.filter((name) => fields.has(name)).length !== 1) {
    problems.push({ line, message: `a check takes exactly one of ${SUBJECTS.join(', ')}` });
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
        return tellProblem(failure, field.line, problems) ?? [];
      }
    });
  };
  const time = (option: string, name: 'age' | 'lag') =>
    read(option, (given) => timeExpectation(name, inMilliseconds(readDuration(option, given))));
  if (!EXPECTATIONS.some((name) => fields.has(name)))
    problems.push({ line, message: `an expectation is missing: give ${EXPECTATIONS.join(', ')}` });
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
