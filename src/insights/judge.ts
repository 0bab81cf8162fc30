import { usageError } from '../errors.ts';

/** Whether something holds, and what was found, as the end of a sentence: `last is 42`. */
type Outcome = { readonly holds: boolean; readonly found: string };

/** Holds an expectation against one series. What is missing never holds. */
export function judge({ left, comparison, right }: Expectation, measured: Measured): Outcome {
  const sides = [left.value(measured), right.value(measured)] as const;
  if ('missing' in sides[0]) return { holds: false, found: sides[0].missing };
  if ('missing' in sides[1]) return { holds: false, found: sides[1].missing };
  const holds = COMPARISONS[comparison](sides[0].value, sides[1].value);
  return { holds, found: foundText([...left.names, ...right.names], measured) };
}

function foundText(names: readonly Named[], measured: Measured): string {
  const texts = names.flatMap(({ name, step }) => {
    const found = measure({ name, step }, measured);
    const label = step === undefined ? name : `${name}(${step})`;
    return 'value' in found ? [`${label} is ${figureText(found.value, name)}${found.when ?? ''}`] : [];
  });
  return [...new Set(texts)].join(', ');
}

/** What is known about one series. A figure that the service left out is null, and never counts as zero. */
export type Measured = {
  readonly values: readonly (number | null)[];
  /** Percentages of a funnel; `steps[n]` is the one from the step before step n + 1. */
  readonly conversion?:
    | { readonly overall: number | null; readonly steps: readonly (number | null)[] }
    | undefined;
  /** Days of the values, if they have any. */
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
  if (rates === undefined) return { missing: 'it has no conversion, since it is not a funnel of steps' };
  if (step === undefined) return required(rates.overall, 'the conversion');
  if (step > rates.steps.length) return { missing: `step ${step} does not exist` };
  return required(rates.steps[step - 1], `the conversion to step ${step}`);
}

/** In percent of the figure before the last, which may be below zero. */
function change(values: readonly (number | null)[]): Found {
  const last = required(values.at(-1), 'the last figure');
  const previous = required(values.at(-2), 'the figure before the last');
  if ('missing' in last) return last;
  if ('missing' in previous) return previous;
  if (previous.value === 0)
    return { missing: 'the figure before the last is 0, so there is no percentage of it' };
  return { value: ((last.value - previous.value) / Math.abs(previous.value)) * 100 };
}

/** How far the last figure is below the one before: none if it is not, even if that one was 0. */
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
type Named = { readonly name: Quantity; readonly step?: number | undefined };

/** One side of a comparison, or a part of one. */
export type Expression = {
  readonly unit: Unit;
  /** Whether it is a figure that was written. */
  readonly isConstant: boolean;
  readonly names: readonly Named[];
  readonly value: (measured: Measured) => Found;
};

export function constant(value: number, unit: Unit): Expression {
  return { unit, isConstant: true, names: [], value: () => ({ value }) };
}

export function quantity(name: Quantity, step?: number): Expression {
  const named = { name, step };
  const value = (measured: Measured) => measure(named, measured);
  return { unit: QUANTITIES[name], isConstant: false, names: [named], value };
}

/** A figure out of two others. A division by zero is none: whatever it were compared with would prove nothing. */
export function combine(
  [left, right]: readonly [Expression, Expression],
  calculate: (left: number, right: number) => number,
  unit: Unit,
): Expression {
  return {
    unit,
    isConstant: false,
    names: [...left.names, ...right.names],
    value: (measured) => {
      const [one, other] = [left.value(measured), right.value(measured)];
      if ('missing' in one) return one;
      if ('missing' in other) return other;
      const value = calculate(one.value, other.value);
      return Number.isFinite(value) ? { value } : { missing: 'it divides by zero' };
    },
  };
}

export const COMPARISONS = {
  '>=': (left: number, right: number) => left >= right,
  '<=': (left: number, right: number) => left <= right,
  '==': (left: number, right: number) => left === right,
  '!=': (left: number, right: number) => left !== right,
  '>': (left: number, right: number) => left > right,
  '<': (left: number, right: number) => left < right,
} as const;

/** One thing that is to hold. `text` is how it was written. */
export type Expectation = {
  readonly text: string;
  readonly left: Expression;
  readonly comparison: keyof typeof COMPARISONS;
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
  return atMost(name, seconds, figureText(seconds, name));
}

/** `--max-drop 20%` as an expectation. Throws a usage error for anything but a percentage from 0 to 100. */
export function dropExpectation(text: string, name = '--max-drop'): Expectation {
  const [, digits] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text.trim()) ?? [];
  const percent = digits === undefined ? Number.NaN : Number(digits);
  if (!(percent >= 0 && percent <= 100))
    throw usageError(`${name} takes a percentage, not "${text}"`, 'write 20%');
  return atMost('drop', percent, `${digits}%`);
}

function atMost(name: Quantity, value: number, text: string): Expectation {
  const right = constant(value, QUANTITIES[name]);
  return { text: `${name} <= ${text}`, left: quantity(name), comparison: '<=', right };
}
