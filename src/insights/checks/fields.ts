import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import type { Option, Options } from '../../cli/command/options.ts';
import type { RawOptions } from '../../cli/command/read-input.ts';
import { CliError, usageError } from '../../errors.ts';
import { asList, asObject, isList, type Json, type JsonObject } from '../../json/kinds.ts';
import { ANALYSES } from '../analyses/analyses.ts';
import { keepingOptions } from '../analyses/analysis.ts';

import type { Analysis } from './report.ts';

/** A label or a value may look like a number. */
export const LABEL_TYPES = ['string', 'number', 'boolean'] as const;
export const text = { type: 'string', minLength: 1 } as const;

export type Problem = { readonly line: number; readonly message: string };

/** One that cannot be read has no value; one with fields inside only has its node. */
export type Field = { readonly line: number; readonly node: Node | null; readonly value: Json | undefined };

export type Fields = ReadonlyMap<string, Field>;

export type Reader = {
  readonly problems: Problem[];
  readonly lineOf: (node: Node | null | undefined) => number;
  readonly toValue: (node: Node | null) => Json;
};

/** A field as JSON Schema has it. One with fields inside has a reader of its own. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly minLength?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
};

export function tellProblem(failure: unknown, line: number, problems: Problem[]): undefined {
  if (!(failure instanceof CliError)) throw failure;
  const hint = failure.hint === undefined ? '' : `; ${failure.hint}`;
  // It speaks of the option of the same name.
  const message = failure.message.replace(/^--([a-z-]+)/, (_, name: string) => name.replaceAll('-', '_'));
  problems.push({ line, message: `${message}${hint}` });
}

type Known = { readonly [name: string]: Schema };

/** Tells what is wrong with fields, each in its line; undefined for what holds no fields, with `otherwise` as a problem. */
export function readFields(
  map: Node | null,
  { known, otherwise }: { readonly known: Known; readonly otherwise: string },
  { problems, lineOf, toValue }: Reader,
): Fields | undefined {
  if (!isMap(map)) {
    problems.push({ line: lineOf(map), message: otherwise });
    return undefined;
  }
  const fields = map.items.map(({ key, value: part }): readonly [string, Field] => {
    const [name, node, line] = [keyText(key), partOf(part), lineOf(partOf(key))];
    try {
      return [name, { line, node, value: readField(name, node, { known, toValue }) }];
    } catch (failure) {
      return [name, { line, node, value: tellProblem(failure, line, problems) }];
    }
  });
  return new Map(fields);
}

function readField(
  name: string,
  node: Node | null,
  { known, toValue }: Pick<Reader, 'toValue'> & { readonly known: Known },
): Json {
  const schema = Object.hasOwn(known, name) ? known[name] : undefined;
  if (schema === undefined)
    throw usageError(`unknown field "${name}": the fields are ${Object.keys(known).join(', ')}`);
  if ((schema.items ?? schema).properties !== undefined) return null;
  const fault = faultOf(node);
  if (fault !== undefined) throw usageError(`${name} ${fault}`);
  const value = toValue(node);
  if (!fits(value, schema)) throw usageError(`${name} takes ${wantedText(schema)}`);
  // A label is what was written: 1.0 is not 1.
  return schema.type === LABEL_TYPES && isScalar(node) ? (node.source ?? value) : value;
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

export type ReadOptions = (options: Options, raw: RawOptions) => Promise<Readonly<Record<string, unknown>>>;

/** The analyses that a check may describe by the options of their commands, in place of a saved insight. */
export type Kind = keyof typeof ANALYSES;

// Object.keys forgets which keys they are.
export const KINDS = Object.keys(ANALYSES) as readonly Kind[];

const NO_FIELDS = [...Object.keys(keepingOptions), 'chart', 'title', 'body', 'windowDays'];

function optionsOf(kind: Kind) {
  return Object.entries<Option>(ANALYSES[kind].options).flatMap(([key, option]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return NO_FIELDS.includes(key) ? [] : [{ key, name, option }];
  });
}

function schemaOf({ type, choices, description }: Option): Schema & { readonly description: string } {
  if (choices !== undefined) return { enum: choices, description };
  if (type === 'flag' || type === 'boolean') return { type: 'boolean', description };
  if (type === 'integer') return { type, description };
  if (!['steps', 'repeated', 'properties'].includes(type)) return { ...text, description };
  const one = ['string', 'integer'];
  return { type: [...one, 'array'], items: { type: one }, minItems: 1, description };
}

export const ANALYSIS_FIELDS = Object.fromEntries(
  KINDS.map((kind) => {
    const fields = optionsOf(kind).map(({ name, option }) => [name, schemaOf(option)]);
    const description = `Options of hogctl insights ${kind}, in place of an insight`;
    const properties: Schema['properties'] = Object.fromEntries(fields);
    return [kind, { type: 'object', description, additionalProperties: false, properties }];
  }),
);

/** The query of an analysis, whose fields are read as the options of its command. */
export async function readAnalysis(
  kind: Kind,
  { node, line }: Field,
  readOptions: ReadOptions,
  reader: Reader,
): Promise<Analysis | undefined> {
  const before = reader.problems.length;
  const known = ANALYSIS_FIELDS[kind]?.properties ?? {};
  const fields = readFields(node, { known, otherwise: `${kind} takes fields such as events` }, reader);
  if (fields === undefined || reader.problems.length > before) return undefined;
  const options = optionsOf(kind);
  const raw: Record<string, boolean | readonly string[]> = {};
  const steps: string[] = [];
  const names: string[] = [];
  for (const [name, { value = '' }] of fields) {
    const texts = (asList(value) ?? [value]).map(String);
    const { key = name, option } = options.find((one) => one.name === name) ?? {};
    if (option?.type !== 'steps') raw[key] = typeof value === 'boolean' ? value : texts;
    // An event of a list may have a comma in its name.
    const flag = name === 'events' && isList(value) ? 'event' : name.replaceAll('_', '-');
    if (option?.type === 'steps') steps.push(...texts.map((one) => `--${flag}=${one}`));
    if (['event', 'events', 'actions'].includes(name)) names.push(...texts);
  }
  try {
    const known = Object.fromEntries(options.map(({ key, option }) => [key, option]));
    const flags = await readOptions(known, steps.length > 0 ? { ...raw, events: steps } : raw);
    // Each flag was read by the option of its name, which gives it its type.
    const toQuery = ANALYSES[kind].query as (read: typeof flags) => JsonObject;
    const query = toQuery(flags);
    return { title: `${kind} of ${names.join(', ')}`, query };
  } catch (failure) {
    return tellProblem(failure, line, reader.problems);
  }
}
