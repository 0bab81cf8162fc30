import type { Json } from '../json/kinds.ts';

/** One condition on a property, as the service takes it in a flat list. */
export type PropertyFilter = {
  readonly key: string;
  readonly operator: string;
  readonly value?: Json;
};

type Operator = {
  /** The sign that stands for it on the command line. */
  readonly sign?: string;
  /** What it compares with: `pair` is a lower and an upper bound. */
  readonly takes: 'one' | 'list' | 'pair' | 'nothing';
  /** Somebody without the property satisfies it. */
  readonly forAbsent?: true;
};

/** The operators of property conditions, by the service's names. */
export const propertyOperators = {
  exact: { sign: '=', takes: 'one' },
  is_not: { sign: '!=', takes: 'one', forAbsent: true },
  icontains: { sign: '~', takes: 'one' },
  not_icontains: { takes: 'one', forAbsent: true },
  regex: { takes: 'one' },
  not_regex: { takes: 'one', forAbsent: true },
  gt: { sign: '>', takes: 'one' },
  gte: { sign: '>=', takes: 'one' },
  lt: { sign: '<', takes: 'one' },
  lte: { sign: '<=', takes: 'one' },
  min: { takes: 'one' },
  max: { takes: 'one' },
  between: { takes: 'pair' },
  not_between: { takes: 'pair' },
  is_set: { takes: 'nothing' },
  is_not_set: { takes: 'nothing', forAbsent: true },
  is_date_exact: { takes: 'one' },
  is_date_before: { takes: 'one' },
  is_date_after: { takes: 'one' },
  in: { takes: 'list' },
  not_in: { takes: 'list', forAbsent: true },
} as const satisfies { readonly [name: string]: Operator };

export type OperatorName = keyof typeof propertyOperators;

// Cast: Object.keys does not keep the names.
export const operatorNames = Object.keys(propertyOperators) as readonly OperatorName[];

export function isOperator(name: string): name is OperatorName {
  return Object.hasOwn(propertyOperators, name);
}

export function operatorOf(name: OperatorName): Operator {
  return propertyOperators[name];
}
