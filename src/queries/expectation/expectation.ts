/** What a figure is counted in. Times are seconds, percentages 0 to 100. */
export type Unit = 'number' | 'percent' | 'time';

/** Names of what can be expected of one series, and their units. */
export const QUANTITIES = {
  first: 'number',
  last: 'number',
  previous: 'number',
  min: 'number',
  max: 'number',
  sum: 'number',
  mean: 'number',
  count: 'number',
  change: 'percent',
  drop: 'percent',
  conversion: 'percent',
  age: 'time',
} as const satisfies Record<string, Unit>;
export type Quantity = keyof typeof QUANTITIES;

/** `step`: the conversion from the step before it; without it from the first step to the last. */
export type Named = { readonly kind: 'named'; readonly name: Quantity; readonly step?: number };

export type Expression =
  | { readonly kind: 'constant'; readonly value: number; readonly unit: Unit }
  | Named
  | { readonly kind: 'negative'; readonly of: Expression }
  | {
      readonly kind: 'operation';
      readonly operator: '+' | '-' | '*' | '/';
      readonly left: Expression;
      readonly right: Expression;
    };

export const COMPARISONS = ['>=', '<=', '==', '!=', '>', '<'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** One thing that is to hold. `text` is how it was written. */
export type Expectation = {
  readonly text: string;
  readonly left: Expression;
  readonly comparison: Comparison;
  readonly right: Expression;
};
