import { closest, usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { unknownOperator } from '../../service/person-conditions.ts';
import {
  isOperator,
  type OperatorName,
  operatorNames,
  operatorOf,
  type PropertyFilter,
} from '../../service/property-operators.ts';
import { typedValue } from './typed-value.ts';

/** The operator that each sign stands for. */
const SIGNS = new Map<string | undefined, OperatorName>(
  operatorNames.flatMap((name) => {
    const { sign } = operatorOf(name);
    return sign === undefined ? [] : [[sign, name] as const];
  }),
);

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
  return { key: name, operator: SIGNS.get(mark) ?? 'exact', value: filterValue(name, text) };
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
  if (value === undefined)
    throw usageError(`"${expression}" lacks a value`, `write ${key}:${operator}=value`);
  if (takes === 'one') return { key, operator, value: filterValue(key, value) };
  const values = value.split(',').map((text) => filterValue(key, text));
  if (takes === 'pair' && (values.length !== 2 || values.some((bound) => typeof bound !== 'number')))
    throw usageError(`${operator} wants two numbers, as in ${key}:${operator}=18,30`);
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
      `the condition on "${key}" compares with null, which no value is`,
      `write ${key}:is_not_set for an unset property, or ${key}='"null"' for the text`,
    );
  }
  return typedValue(text);
}

function bareKey(expression: string) {
  return usageError(
    `"${expression}" is not a condition`,
    `write key:gt=10, key:is_set or 'key>=10'; quote it, since the shell takes < and > for itself`,
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
  if (text === '-') throw usageError(`${flag} does not read standard input`, '--body - does');
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
    `quote names that begin with $, as in ${flag} '$pageview': the shell takes them for variables`,
  );
}

function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`${flag} wants a whole number from 1, not "${text}"`);
}
