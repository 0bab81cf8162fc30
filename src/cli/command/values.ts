import { closest, usageError } from '../../errors.ts';
import { isExactNumber, type Json, type JsonObject } from '../../json/kinds.ts';
import {
  isOperator,
  type OperatorName,
  operatorNames,
  operatorOf,
  type PropertyFilter,
  unknownOperator,
} from '../../semantics/person-conditions.ts';
import { isUuid } from '../../service/endpoint.ts';
import { nameOfPath } from '../../system/text.ts';

type Scalar = string | number | boolean;

const NULL_HINT = 'delete a property with hogctl persons unset, or send null with --json null';

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * The one rule for values on the command line: text, unless it is a JSON number, boolean or quoted string that survives
 * the round trip. So `02134`, `1.0` and `12345678901234567890` stay text. Throws a usage error for a bare `null`.
 */
function typedValue(text: string, nullHint = NULL_HINT): Scalar {
  if (text === 'null') throw usageError('a property cannot be set to a plain null', nullHint);
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (NUMBER.test(text) && String(Number(text)) === text) return Number(text);
  return quotedText(text) ?? text;
}

function quotedText(text: string): string | undefined {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    // Not a JSON string, so the quotes belong to the text.
    return undefined;
  }
}

/** The type as people call it, for the line that says what was sent. */
export function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'object') return isExactNumber(value) ? 'number' : 'object';
  return typeof value;
}

/** Makes an object of `key=value` texts, one key each. Throws a usage error for anything else. */
export function readAssignments(name: string, texts: readonly string[]): JsonObject {
  const entries = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw usageError(`${name} takes key=value, not "${text}"`);
    const key = text.slice(0, at);
    const nullHint = `delete a property with hogctl persons unset, or send null with --properties '{${JSON.stringify(key)}:null}'`;
    return [key, typedValue(text.slice(at + 1), nullHint)] as const;
  });
  return Object.fromEntries(entries);
}

/** A value that is still being put together. */
type Part = Scalar | Part[] | Map<string, Part>;

const FIELD = /^([^[\]=]+)((?:\[[^[\]=]*\])*)=(.*)$/s;

/**
 * Makes an object of `key=value` texts. `a[b]=1` reaches into an object, `a[]=1` adds to a list, and `a[][b]=1` begins
 * the next object of a list when the present one has that key. Throws a usage error for what does not fit together.
 */
export function readFields(name: string, texts: readonly string[]): JsonObject {
  const root = new Map<string, Part>();
  for (const text of texts) {
    const [, first, inner = '', value = ''] = FIELD.exec(text) ?? [];
    if (first === undefined) throw usageError(`${name} takes key=value, not "${text}"`, WAYS);
    const steps = [first, ...Array.from(inner.matchAll(/\[([^\]]*)\]/gy), ([, step = '']) => step)];
    put(root, steps, { name, text, leaf: readLeaf(name, value) });
  }
  return toObject(root);
}

const WAYS = 'write name=x, name[inner]=x, or name[]=x for a list';

function readLeaf(name: string, value: string): Scalar {
  if (value !== 'null') return typedValue(value);
  throw usageError(`${name} cannot send null`, 'send it with --input, or "null" in quotes for the text');
}

type Setting = { readonly name: string; readonly text: string; readonly leaf: Scalar };

function put(owner: Part, [step = '', ...rest]: readonly string[], setting: Setting): void {
  const isLast = rest.length === 0;
  let child = begin(rest, setting.leaf);
  if (owner instanceof Map && step !== '') {
    const present = owner.get(step);
    if (isLast && present !== undefined) throw contradiction(setting);
    child = present ?? child;
    owner.set(step, child);
  } else if (Array.isArray(owner) && step === '') {
    const last = owner.at(-1);
    if (last instanceof Map && canTake(last, rest)) child = last;
    else owner.push(child);
  } else throw contradiction(setting);
  if (!isLast) put(child, rest, setting);
}

function begin([next]: readonly string[], leaf: Scalar): Part {
  if (next === undefined) return leaf;
  return next === '' ? [] : new Map();
}

/** A key that the last object of a list has already begins the next one. */
function canTake(last: ReadonlyMap<string, Part>, [key = '', ...rest]: readonly string[]): boolean {
  return key !== '' && !(rest.length === 0 && last.has(key));
}

function contradiction({ name, text }: Setting) {
  return usageError(`${name} ${text} does not fit the values before it`, WAYS);
}

function toObject(fields: ReadonlyMap<string, Part>): JsonObject {
  return Object.fromEntries([...fields].map(([key, part]) => [key, toJson(part)]));
}

function toJson(part: Part): Json {
  if (part instanceof Map) return toObject(part);
  return Array.isArray(part) ? part.map(toJson) : part;
}

type Given = {
  readonly text?: string | undefined;
  readonly string?: boolean | undefined;
  readonly json?: Json | undefined;
};

/** The value to set: the one of `--json`, or the argument, as text with `--string`. Throws a usage error for both and for none. */
export function chooseValue({ text, string, json }: Given): Json {
  if (json !== undefined && (text !== undefined || string)) {
    throw usageError('--json cannot be used with <value> or --string', 'give one of them');
  }
  if (json !== undefined) return json;
  if (text === undefined) throw usageError('<value> is missing', 'give a value, or use --json');
  return string ? text : typedValue(text);
}

/**
 * Reads `plan=pro`, `age>=18`, `name~ana`, or the word form `age:gte=18`, `email:is_set`.
 * The word form is tried first, since its key may hold signs. Throws a usage error for anything else.
 */
export function readPropertyFilter(expression: string): PropertyFilter {
  const word = /^(.+?):([a-z_]+)(?:=([\s\S]*))?$/.exec(expression);
  const [, key = '', operator = '', value] = word ?? [];
  if (word && isOperator(operator)) return wordForm({ expression, key, operator, value });
  // A key may hold a colon, but a mistyped operator taken for a key would select other people or none.
  if (word && !/[=!<>~]/.test(key)) throw unknownOperator(operator, operatorHint({ key, operator, value }));
  const sign = /^([^=!<>~]+)(>=|<=|!=|=|>|<|~)([\s\S]*)$/.exec(expression);
  if (!sign) throw bareKey(expression);
  const [, name = '', mark, text = ''] = sign;
  const named = operatorNames.find((one) => operatorOf(one).sign === mark);
  return { key: name, operator: named ?? 'exact', value: filterValue(name, text) };
}

type Word = { readonly key: string; readonly operator: string; readonly value: string | undefined };

function operatorHint({ key, operator, value }: Word): string {
  const meant = closest(operator, operatorNames);
  const isBare = meant !== undefined && operatorOf(meant).takes === 'nothing';
  const right = isBare ? `${key}:${meant}` : `${key}:${meant}=${value ?? 'value'}`;
  const plain = value === undefined ? 'is_set' : `exact=${value}`;
  const asKey = `for the property "${key}:${operator}" write ${key}:${operator}:${plain}`;
  return meant === undefined ? asKey : `if ${meant} is meant, write ${right}; ${asKey}`;
}

function wordForm(parts: {
  expression: string;
  key: string;
  operator: OperatorName;
  value: string | undefined;
}): PropertyFilter {
  const { expression, key, operator, value } = parts;
  const { takes } = operatorOf(operator);
  if (takes === 'nothing') {
    if (value !== undefined)
      throw usageError(`"${expression}" gives a value to ${operator}, which takes none`);
    return { key, operator, value: operator };
  }
  if (value === undefined) throw usageError(`"${expression}" has no value`, `write ${key}:${operator}=value`);
  if (takes === 'one') return { key, operator, value: filterValue(key, value) };
  const values = value.split(',').map((text) => filterValue(key, text));
  if (takes === 'pair' && (values.length !== 2 || values.some((bound) => typeof bound !== 'number')))
    throw usageError(`${operator} takes two numbers, as in ${key}:${operator}=18,30`);
  return { key, operator, value: values };
}

function filterValue(key: string, text: string): Json {
  if (text === '') {
    throw usageError(
      `the condition on "${key}" has an empty value`,
      `write ${key}:is_not_set, or ${key}='""' for empty text`,
    );
  }
  if (text === 'null') {
    throw usageError(
      `the condition on "${key}" compares with null, which matches no value`,
      `write ${key}:is_not_set for an unset property, or ${key}='"null"' for the text`,
    );
  }
  return typedValue(text);
}

function bareKey(expression: string) {
  return usageError(
    `"${expression}" is not a condition`,
    `write key:gt=10, key:is_set or 'key>=10'; a shell needs the quotes around < and >`,
  );
}

/** One option of those whose order counts, in the order in which they were typed. Steps count from 1. */
export type StepWord =
  | { readonly option: 'event'; readonly event: string }
  | { readonly option: 'events'; readonly events: readonly string[] }
  | { readonly option: 'actions'; readonly actions: readonly number[] }
  | { readonly option: 'where'; readonly condition: PropertyFilter }
  | { readonly option: 'exclude'; readonly event: string }
  | { readonly option: 'exclude-from' | 'exclude-to'; readonly step: number };

/**
 * The parser collects each option by itself; those whose order counts put their texts into one list, `steps`, as
 * `--event=signup`.
 */
export function collectSteps(steps: string[], flag: string): (text: string) => readonly string[] {
  return (text) => {
    steps.push(`${flag}=${text}`);
    return steps;
  };
}

/** Reads one text of such a list. Throws a usage error for a name that is empty and a value that is none. */
export function readStepWord(given: string): StepWord {
  const at = given.indexOf('=');
  const flag = given.slice(0, at);
  const text = given.slice(at + 1);
  if (text === '-')
    throw usageError(`${flag} does not read standard input`, 'use --body - to read standard input');
  switch (flag) {
    case '--event':
      return { option: 'event', event: eventName(flag, text) };
    case '--events':
      return { option: 'events', events: text.split(',').map((name) => eventName(flag, name)) };
    case '--actions':
      return { option: 'actions', actions: text.split(',').map((id) => wholeNumber(flag, id)) };
    case '--where':
      return { option: 'where', condition: readPropertyFilter(text) };
    case '--exclude':
      return { option: 'exclude', event: eventName(flag, text) };
    default:
      return {
        option: flag === '--exclude-from' ? 'exclude-from' : 'exclude-to',
        step: wholeNumber(flag, text),
      };
  }
}

function eventName(flag: string, text: string): string {
  if (text !== '') return text;
  throw usageError(
    `an event name of ${flag} is empty`,
    `quote names that begin with $, as in ${flag} '$pageview': a shell reads them as variables`,
  );
}

function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`${flag} takes a whole number from 1, not "${text}"`);
}

/** A person id is an integer or a UUID; anything else is most likely a distinct id. */
export function readPersonId(text: string): string {
  if (/^\d{1,20}$/.test(text) || isUuid(text)) return text;
  throw usageError(`"${text}" is not a person id, which is an integer or a UUID`, otherThanId(text));
}

function otherThanId(text: string): string {
  if (text === '') return 'give an id, or --distinct-id or --email';
  const value = nameOfPath(text);
  return text.includes('@')
    ? `did you mean --email=${value}? For a distinct id write --distinct-id=${value}`
    : `if it is a distinct id, write --distinct-id=${value}`;
}
