import { usageError } from '../../errors.ts';

/** Whether something holds, and what was found, as the end of a sentence: `last is 42`. */
type Outcome = { readonly holds: boolean; readonly found: string };

/** Holds an expectation against one series. What is missing never holds. */
export function judge({ left, comparison, right }: Expectation, given: Measured): Outcome {
  try {
    const names = [...left.names, ...right.names];
    const measured = comparable(names, given);
    const holds = COMPARISONS[comparison](left.value(measured), right.value(measured));
    const found = foundText(names, measured);
    return { holds, found: given.own === undefined ? found : `${found}, of a running total` };
  } catch (failure) {
    if (!(failure instanceof MissingFigure)) throw failure;
    return { holds: false, found: failure.message };
  }
}

/** A running total never falls, so its figures are compared with each other by what each interval adds. */
function comparable(names: readonly Named[], measured: Measured): Measured {
  const levels = new Set(names.map(({ name }) => name).filter((name) => QUANTITIES[name].isLevel));
  return measured.own === undefined || levels.size < 2 ? measured : { ...measured, values: measured.own };
}

/** Its message is the end of a sentence. */
class MissingFigure extends Error {}

function required(value: number | null | undefined, otherwise: string): number {
  if (value === null || value === undefined) throw new MissingFigure(otherwise);
  return value;
}

function foundText(names: readonly Named[], measured: Measured): string {
  const texts = names.map(({ name, step }) => {
    const { value, when = '' } = measure({ name, step }, measured);
    return `${step === undefined ? name : `${name}(${step})`} is ${figureText(value, name)}${when}`;
  });
  return [...new Set(texts)].join(', ');
}

/** What is known about one series. A figure that the service left out is null, and never counts as zero. */
export type Measured = {
  readonly values: readonly (number | null)[];
  /** What each interval adds, if the values are running totals. */
  readonly own?: readonly (number | null)[] | undefined;
  /** Percentages of a funnel; `steps[n]` is the one from the step before step n + 1. */
  readonly conversion?:
    | { readonly overall: number | null; readonly steps: readonly (number | null)[] }
    | undefined;
  readonly days?: readonly (string | undefined)[];
  /** Why no value is known to be the last one. */
  readonly unordered?: string | undefined;
  /** Values that do not count, since their intervals are not over. */
  readonly omitted?: number;
  /** The newest interval that has begun; `lag` is the number of seconds since it ended. */
  readonly newest?: { readonly day: string; readonly lag: number } | undefined;
  readonly age?: number | undefined;
  readonly cut?: string | undefined;
};

/** `when` is the day of a figure, as the end of a sentence. */
type Found = { readonly value: number; readonly when?: string | undefined };

/** Throws `MissingFigure`. */
function measure({ name, step }: Named, measured: Measured): Found {
  const { values, cut, omitted, unordered } = measured;
  if (cut !== undefined && name !== 'first' && name !== 'age') throw new MissingFigure(cut);
  if (values.length === 0 && name !== 'lag' && name !== 'age')
    throw new MissingFigure(omitted ? 'none of its intervals is over and whole' : 'there are no figures');
  if (unordered !== undefined && QUANTITIES[name].isByPlace) throw new MissingFigure(unordered);
  return QUANTITIES[name].find(measured, step);
}

function ageOf({ age }: Measured): Found {
  return { value: required(age, 'the service does not say when it was calculated') };
}

function lagOf({ newest }: Measured): Found {
  const lag = required(newest?.lag, 'its figures have no days');
  return { value: Math.max(0, lag), when: ` on ${newest?.day}` };
}

function figureAt(place: number, what: string): (measured: Measured) => Found {
  return ({ values, days }) => {
    const day = days?.at(place);
    const value = required(values.at(place), `${what} is missing`);
    return { value, when: day && ` on ${day}` };
  };
}

function conversion({ conversion: rates }: Measured, step: number | undefined): Found {
  if (rates === undefined) throw new MissingFigure('it has no conversion, since it is not a funnel of steps');
  if (step === undefined) return { value: required(rates.overall, 'the conversion is missing') };
  if (step > rates.steps.length) throw new MissingFigure(`step ${step} does not exist`);
  return { value: required(rates.steps[step - 1], `the conversion to step ${step} is missing`) };
}

/** What each interval adds: a total of running totals, or a fall of one, would mean nothing. */
function byInterval(measured: Measured): Measured {
  return measured.own === undefined ? measured : { ...measured, values: measured.own };
}

/** In percent of the figure before the last, which may be below zero. A change is one from a day to another. */
function change(measured: Measured): Found {
  const { value: last } = figureAt(-1, 'the last figure')(measured);
  const { value: previous } = figureAt(-2, 'the figure before the last')(measured);
  if (previous === 0)
    throw new MissingFigure('the figure before the last is 0, so there is no percentage of it');
  return { value: ((last - previous) / Math.abs(previous)) * 100, when: betweenDays(measured) };
}

function betweenDays({ days }: Measured): string | undefined {
  const [from, to] = [days?.at(-2), days?.at(-1)];
  return from && to && ` from ${from} to ${to}`;
}

/** How far the last figure is below the one before: none if it is not, even if that one was 0. */
function drop(measured: Measured): Found {
  const [previous, last] = [measured.values.at(-2), measured.values.at(-1)];
  if (typeof previous === 'number' && typeof last === 'number' && last >= previous)
    return { value: 0, when: betweenDays(measured) };
  const { value, when } = change(measured);
  return { value: -value, when };
}

function extreme(better: (left: number, right: number) => number): (measured: Measured) => Found {
  return ({ values, days }) => {
    const value = allOf(values).reduce((best, one) => better(best, one));
    const day = days?.[values.indexOf(value)];
    return { value, when: day && ` on ${day}` };
  };
}

function allOf(values: Measured['values']): readonly number[] {
  const figures = values.filter((value) => value !== null);
  const missing = values.length - figures.length;
  if (missing > 0) throw new MissingFigure(`${missing} of ${values.length} figures are missing`);
  return figures;
}

function sumOf({ values }: Measured): number {
  return allOf(values).reduce((total, value) => total + value, 0);
}

/** What a figure is counted in. Times are seconds, percentages 0 to 100. */
export type Unit = 'number' | 'percent' | 'time';

export const QUANTITIES = {
  first: { unit: 'number', isLevel: true, isByPlace: true, find: figureAt(0, 'the first figure') },
  last: { unit: 'number', isLevel: true, isByPlace: true, find: figureAt(-1, 'the last figure') },
  previous: {
    unit: 'number',
    isLevel: true,
    isByPlace: true,
    find: figureAt(-2, 'the figure before the last'),
  },
  min: { unit: 'number', isLevel: true, isByPlace: false, find: extreme(Math.min) },
  max: { unit: 'number', isLevel: true, isByPlace: false, find: extreme(Math.max) },
  sum: {
    unit: 'number',
    isLevel: false,
    isByPlace: false,
    find: (measured) => ({ value: sumOf(byInterval(measured)) }),
  },
  mean: {
    unit: 'number',
    isLevel: false,
    isByPlace: false,
    find: (measured) => ({ value: sumOf(byInterval(measured)) / measured.values.length }),
  },
  count: {
    unit: 'number',
    isLevel: false,
    isByPlace: false,
    find: ({ values }) => ({ value: values.length }),
  },
  change: {
    unit: 'percent',
    isLevel: false,
    isByPlace: true,
    find: (measured) => change(byInterval(measured)),
  },
  drop: { unit: 'percent', isLevel: false, isByPlace: true, find: (measured) => drop(byInterval(measured)) },
  conversion: { unit: 'percent', isLevel: false, isByPlace: false, find: conversion },
  age: { unit: 'time', isLevel: false, isByPlace: false, find: ageOf },
  lag: { unit: 'time', isLevel: false, isByPlace: false, find: lagOf },
} as const satisfies Record<string, QuantityRow>;

type QuantityRow = {
  readonly unit: Unit;
  /** Whether it is a figure of the series, of which two are compared by what each interval adds to a running total. */
  readonly isLevel: boolean;
  /** Whether it means nothing for figures in no known order. */
  readonly isByPlace: boolean;
  readonly find: Find;
};

type Find = (measured: Measured, step: number | undefined) => Found;

export type Quantity = keyof typeof QUANTITIES;

export const QUANTITY_NAMES = Object.keys(QUANTITIES).join(', ');

/** `step`: the conversion from the step before it; without it from the first step to the last. */
type Named = { readonly name: Quantity; readonly step?: number | undefined };

export type Expression = {
  readonly unit: Unit;
  /** Whether it is a figure that was written. */
  readonly isConstant: boolean;
  readonly names: readonly Named[];
  /** Throws `MissingFigure`. */
  readonly value: (measured: Measured) => number;
};

export function constant(value: number, unit: Unit): Expression {
  return { unit, isConstant: true, names: [], value: () => value };
}

export function quantity(name: Quantity, step?: number): Expression {
  const named = { name, step };
  const value = (measured: Measured) => measure(named, measured).value;
  return { unit: QUANTITIES[name].unit, isConstant: false, names: [named], value };
}

/** A figure out of two others. A division by zero is none: a comparison with it would prove nothing. */
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
      const value = calculate(left.value(measured), right.value(measured));
      return required(Number.isFinite(value) ? value : null, 'it divides by zero');
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

export type Expectation = {
  readonly text: string;
  readonly left: Expression;
  readonly comparison: keyof typeof COMPARISONS;
  readonly right: Expression;
};

function figureText(value: number, name: Quantity): string {
  const { unit } = QUANTITIES[name];
  if (unit === 'time') return timeText(value);
  return unit === 'percent' ? `${digits(value)}%` : digits(value);
}

/** Without what a double makes of 0.1 + 0.2. */
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
  const right = constant(value, QUANTITIES[name].unit);
  return { text: `${name} <= ${text}`, left: quantity(name), comparison: '<=', right };
}
