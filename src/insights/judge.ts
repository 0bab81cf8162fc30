import { usageError } from '../errors.ts';

/** Whether something holds, and what was found, as the end of a sentence: `last is 42`. */
type Outcome = { readonly holds: boolean; readonly found: string };

/** Holds an expectation against one series. What is missing never holds. */
export function judge({ left, comparison, right }: Expectation, measured: Measured): Outcome {
  const found = foundText(left, right, measured);
  const sides = [evaluate(left, measured), evaluate(right, measured)] as const;
  if ('missing' in sides[0]) return { holds: false, found: sides[0].missing };
  if ('missing' in sides[1]) return { holds: false, found: sides[1].missing };
  return { holds: compare(sides[0].value, comparison, sides[1].value), found };
}

function compare(left: number, comparison: Expectation['comparison'], right: number): boolean {
  switch (comparison) {
    case '>=':
      return left >= right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '<':
      return left < right;
    case '==':
      return left === right;
    case '!=':
      return left !== right;
  }
}

function evaluate(expression: Expression, measured: Measured): Found {
  switch (expression.kind) {
    case 'constant':
      return { value: expression.value };
    case 'named':
      return measure(expression, measured);
    case 'negative':
      return calculated([evaluate(expression.of, measured)], ([value = Number.NaN]) => -value);
    case 'operation': {
      const parts = [evaluate(expression.left, measured), evaluate(expression.right, measured)];
      const { operator } = expression;
      return calculated(parts, ([left = Number.NaN, right = Number.NaN]) => apply(left, operator, right));
    }
  }
}

function apply(left: number, operator: '+' | '-' | '*' | '/', right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  return operator === '*' ? left * right : left / right;
}

/** A division by zero is no figure: whatever it were compared with would prove nothing. */
function calculated(parts: readonly Found[], calculate: (values: readonly number[]) => number): Found {
  const missing = parts.find((part) => 'missing' in part);
  if (missing !== undefined) return missing;
  const value = calculate(parts.flatMap((part) => ('value' in part ? [part.value] : [])));
  return Number.isFinite(value) ? { value } : { missing: 'it divides by zero' };
}

function foundText(left: Expression, right: Expression, measured: Measured): string {
  const names = new Map<string, string>();
  for (const named of [...namesIn(left), ...namesIn(right)]) {
    const found = measure(named, measured);
    const label = named.step === undefined ? named.name : `${named.name}(${named.step})`;
    if ('value' in found) names.set(label, `${figureText(found.value, named.name)}${found.when ?? ''}`);
  }
  return [...names].map(([name, text]) => `${name} is ${text}`).join(', ');
}

function namesIn(expression: Expression): readonly Named[] {
  switch (expression.kind) {
    case 'constant':
      return [];
    case 'named':
      return [expression];
    case 'negative':
      return namesIn(expression.of);
    case 'operation':
      return [...namesIn(expression.left), ...namesIn(expression.right)];
  }
}

/** What is known about one series. A figure that the service left out is null, and never counts as zero. */
export type Measured = {
  readonly values: readonly (number | null)[];
  /** Percentages of a funnel; `steps[n]` is the one from the step before step n + 1. */
  readonly conversion?:
    | { readonly overall: number | null; readonly steps: readonly (number | null)[] }
    | undefined;
  /** Days of the values, where they have any. */
  readonly days?: readonly (string | undefined)[];
  /** Values that do not count, since their intervals are not over. */
  readonly omitted?: number;
  /** The newest interval that has begun; `lag` is the number of seconds since it ended. */
  readonly newest?: { readonly day: string; readonly lag: number } | undefined;
  /** Seconds since it was calculated. */
  readonly age?: number | undefined;
  /** Why the values are not all of them. */
  readonly cut?: string | undefined;
};

/** `when` is the day of a figure, as the end of a sentence. */
type Found = { readonly value: number; readonly when?: string | undefined } | { readonly missing: string };

/** One quantity of a series, or why there is none, as the end of a sentence. */
function measure({ name, step }: Named, measured: Measured): Found {
  if (name === 'age')
    return measured.age === undefined
      ? { missing: 'the service does not say when it was calculated' }
      : { value: measured.age };
  const { values, cut } = measured;
  if (cut !== undefined && name !== 'first') return { missing: cut };
  if (name === 'lag') return lagOf(measured);
  if (values.length === 0)
    return { missing: measured.omitted ? 'none of its intervals is over' : 'there are no figures' };
  switch (name) {
    case 'count':
      return { value: values.length };
    case 'first':
      return figureAt(0, 'the first figure', measured);
    case 'last':
      return figureAt(-1, 'the last figure', measured);
    case 'previous':
      return figureAt(-2, 'the figure before the last', measured);
    case 'conversion':
      return conversion(measured, step);
    case 'change':
      return dated(change(values), measured);
    case 'drop':
      return dated(drop(values), measured);
    case 'min':
    case 'max':
      return extreme(name, measured);
    default:
      return aggregate(name, values);
  }
}

function lagOf({ newest }: Measured): Found {
  if (newest === undefined) return { missing: 'its figures have no days' };
  return { value: Math.max(0, newest.lag), when: ` on ${newest.day}` };
}

function figureAt(place: number, what: string, { values, days }: Measured): Found {
  const found = required(values.at(place), what);
  const day = days?.at(place);
  return 'missing' in found || day === undefined ? found : { ...found, when: ` on ${day}` };
}

/** A change is one from a day to another. */
function dated(found: Found, { days }: Measured): Found {
  const [from, to] = [days?.at(-2), days?.at(-1)];
  if ('missing' in found || from === undefined || to === undefined) return found;
  return { ...found, when: ` from ${from} to ${to}` };
}

function extreme(name: 'min' | 'max', measured: Measured): Found {
  const found = aggregate(name, measured.values);
  const day = 'missing' in found ? undefined : measured.days?.[measured.values.indexOf(found.value)];
  return day === undefined ? found : { ...found, when: ` on ${day}` };
}

function required(value: number | null | undefined, what: string): Found {
  return value === null || value === undefined ? { missing: `${what} is missing` } : { value };
}

function conversion({ conversion: rates }: Measured, step: number | undefined): Found {
  if (rates === undefined) return { missing: 'there is no conversion, since it is no funnel of steps' };
  if (step === undefined) return required(rates.overall, 'the conversion');
  if (step > rates.steps.length) return { missing: `there is no step ${step}` };
  return required(rates.steps[step - 1], `the conversion to step ${step}`);
}

/** In percent of the figure before the last, which may be below zero. */
function change(values: readonly (number | null)[]): Found {
  const last = required(values.at(-1), 'the last figure');
  const previous = required(values.at(-2), 'the figure before the last');
  if ('missing' in last) return last;
  if ('missing' in previous) return previous;
  if (previous.value === 0) return { missing: 'the figure before the last is 0, so there is no percentage' };
  return { value: ((last.value - previous.value) / Math.abs(previous.value)) * 100 };
}

/** How far the last figure is below the one before: none where it is not, even if that one was 0. */
function drop(values: readonly (number | null)[]): Found {
  const [previous, last] = [values.at(-2), values.at(-1)];
  if (typeof previous === 'number' && typeof last === 'number' && last >= previous) return { value: 0 };
  const changed = change(values);
  return 'value' in changed ? { value: -changed.value } : changed;
}

function aggregate(name: 'min' | 'max' | 'sum' | 'mean', values: readonly (number | null)[]): Found {
  const figures = values.filter((value) => value !== null);
  const missing = values.length - figures.length;
  if (missing > 0) return { missing: `${missing} of ${values.length} figures are missing` };
  const sum = figures.reduce((total, value) => total + value, 0);
  if (name === 'sum') return { value: sum };
  if (name === 'mean') return { value: sum / figures.length };
  const better = name === 'min' ? Math.min : Math.max;
  return { value: figures.reduce((best, value) => better(best, value)) };
}

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
  lag: 'time',
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

/** A figure for people, with its unit. */
function figureText(value: number, name: Quantity): string {
  const unit = QUANTITIES[name];
  if (unit === 'time') return timeText(value);
  return unit === 'percent' ? `${digits(value)}%` : digits(value);
}

/** What a double makes of 0.1 + 0.2 is no news to anybody. */
function digits(value: number): string {
  return String(Number(value.toPrecision(12)));
}

function timeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)}s`;
  if (minutes < 60) return `${minutes}min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}min`;
  return hours % 24 === 0 ? `${hours / 24}d` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** `--max-age 24h` or `--max-lag 2d` as an expectation. */
export function timeExpectation(name: 'age' | 'lag', milliseconds: number): Expectation {
  const seconds = milliseconds / 1000;
  return {
    text: `${name} <= ${figureText(seconds, name)}`,
    left: { kind: 'named', name },
    comparison: '<=',
    right: { kind: 'constant', value: seconds, unit: 'time' },
  };
}

/** `--max-drop 20%` as an expectation. Throws a usage error for anything but a percentage from 0 to 100. */
export function dropExpectation(text: string): Expectation {
  const [, digits] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text.trim()) ?? [];
  const percent = digits === undefined ? Number.NaN : Number(digits);
  if (!(percent >= 0 && percent <= 100))
    throw usageError(`--max-drop wants a percentage, not "${text}"`, 'write --max-drop 20%');
  return {
    text: `drop <= ${digits}%`,
    left: { kind: 'named', name: 'drop' },
    comparison: '<=',
    right: { kind: 'constant', value: percent, unit: 'percent' },
  };
}
