import type { Named } from './expectation.ts';

/** What is known about one series. A figure that the service left out is null, and never counts as zero. */
export type Measured = {
  readonly values: readonly (number | null)[];
  /** Percentages of a funnel; `steps[n]` is the one from the step before step n + 1. */
  readonly conversion?:
    | { readonly overall: number | null; readonly steps: readonly (number | null)[] }
    | undefined;
  /** Seconds since it was calculated. */
  readonly age?: number | undefined;
};

export type Found = { readonly value: number } | { readonly missing: string };

/** One quantity of a series, or why there is none, as the end of a sentence. */
export function measure({ name, step }: Named, measured: Measured): Found {
  if (name === 'age')
    return measured.age === undefined
      ? { missing: 'the service does not say when it was calculated' }
      : { value: measured.age };
  const { values } = measured;
  if (values.length === 0) return { missing: 'there are no figures' };
  switch (name) {
    case 'count':
      return { value: values.length };
    case 'first':
      return known(values[0], 'the first figure');
    case 'last':
      return known(values.at(-1), 'the last figure');
    case 'previous':
      return known(values.at(-2), 'the figure before the last');
    case 'conversion':
      return conversion(measured, step);
    case 'change':
      return change(values);
    case 'drop':
      return drop(values);
    default:
      return aggregate(name, values);
  }
}

function known(value: number | null | undefined, what: string): Found {
  return value === null || value === undefined ? { missing: `${what} is missing` } : { value };
}

function conversion({ conversion: rates }: Measured, step: number | undefined): Found {
  if (rates === undefined) return { missing: 'there is no conversion, since it is no funnel of steps' };
  if (step === undefined) return known(rates.overall, 'the conversion');
  if (step > rates.steps.length) return { missing: `there is no step ${step}` };
  return known(rates.steps[step - 1], `the conversion to step ${step}`);
}

/** In percent of the figure before the last, which may be below zero. */
function change(values: readonly (number | null)[]): Found {
  const last = known(values.at(-1), 'the last figure');
  const previous = known(values.at(-2), 'the figure before the last');
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
