import { usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { closest } from './closest.ts';
import { typedValue } from './typed-value.ts';

/** One condition on a property, as the service takes it in a flat list. */
export type PropertyFilter = {
  readonly key: string;
  readonly operator: string;
  readonly value?: Json;
};

/** The service's operator names, each with the sign that stands for it, if any. */
const OPERATORS = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'is_set',
  'is_not_set',
  'is_date_exact',
  'is_date_before',
  'is_date_after',
  'in',
  'not_in',
] as const;
const SIGNS: Readonly<Record<string, string>> = {
  '=': 'exact',
  '!=': 'is_not',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  '~': 'icontains',
};
const WITHOUT_VALUE = new Set(['is_set', 'is_not_set']);

/**
 * Reads `plan=pro`, `age>=18`, `name~ana`, or the word form `age:gte=18`, `email:is_set`.
 * The word form is tried first, since its key may hold signs. Throws a usage error for anything else.
 */
export function readPropertyFilter(expression: string): PropertyFilter {
  const word = /^(.+?):([a-z_]+)(?:=([\s\S]*))?$/.exec(expression);
  const [, key = '', operator = '', value] = word ?? [];
  if (word && (OPERATORS as readonly string[]).includes(operator))
    return wordForm({ expression, key, operator, value });
  // A key may hold a colon; but a slip of the pen that is taken for one would select nobody, or others.
  const meant = closest(operator, OPERATORS);
  if (word && value !== undefined && meant) throw unknownOperator({ key, operator, value, meant });
  const sign = /^([^=!<>~]+)(>=|<=|!=|=|>|<|~)([\s\S]*)$/.exec(expression);
  if (!sign) throw bareKey(expression);
  const [, name = '', mark = '', text = ''] = sign;
  return { key: name, operator: SIGNS[mark] ?? 'exact', value: filterValue(name, text) };
}

type Misspelt = {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly meant: (typeof OPERATORS)[number];
};

function unknownOperator({ key, operator, value, meant }: Misspelt) {
  const right = WITHOUT_VALUE.has(meant) ? `${key}:${meant}` : `${key}:${meant}=${value}`;
  return usageError(
    `there is no operator "${operator}": it is one of ${OPERATORS.join(', ')}`,
    `if ${meant} is meant, write ${right}; for the property "${key}:${operator}" write ${key}:${operator}:exact=${value}`,
  );
}

function wordForm(parts: {
  expression: string;
  key: string;
  operator: string;
  value: string | undefined;
}): PropertyFilter {
  const { expression, key, operator, value } = parts;
  if (WITHOUT_VALUE.has(operator)) {
    if (value !== undefined)
      throw usageError(`"${expression}" gives a value to ${operator}, which takes none`);
    return { key, operator, value: operator };
  }
  if (value === undefined)
    throw usageError(`"${expression}" lacks a value`, `write ${key}:${operator}=value`);
  return { key, operator, value: filterValue(key, value) };
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
