import { expect } from 'vitest';
import type { Json, JsonObject } from '../../../../src/json/kinds.ts';
import { readFunnelPersons } from '../../../../src/sandbox/analysis/definitions/actors.ts';
import { readLegacyFunnel } from '../../../../src/sandbox/analysis/definitions/definition.ts';
import type { Actor } from '../../../../src/sandbox/analysis/selection.ts';
import { calculate } from '../../../../src/sandbox/calculation/question.ts';
import { Refusal } from '../../../../src/sandbox/refusal.ts';
import { idsOf } from './stories.ts';
import {
  datasetOf,
  type Expectation,
  type ExpectedPersons,
  type ExpectedStep,
  type ExpectedTrend,
  surroundingsOf,
  type TruthCase,
} from './truth-cases.ts';

export const TOLERANCE = 6;

type Result = readonly (JsonObject & { readonly breakdown_value?: Json })[];

/** Runs a funnel case and checks everything it asserts. */
export function checkFunnelCase(truth: TruthCase): void {
  const { expect: expected, request } = truth;
  const dataset = datasetOf(truth);
  const surroundings = surroundingsOf(truth);
  const run = () => calculate(readLegacyFunnel(request), { ...surroundings, ...dataset });
  if (expected.error !== undefined) {
    expectRefusal(run, expected.error);
    return;
  }
  const result = run();
  checkSteps(result, expected);
  checkBreakdowns(result, expected);
  checkTrends(result, expected);
  checkTimes(result, expected);
  for (const persons of expected.persons ?? []) {
    const body = {
      ...request,
      funnel_step: persons.funnel_step ?? null,
      entrance_period_start: persons.entrance_period_start ?? null,
      drop_off: persons.drop_off ?? null,
      funnel_step_breakdown: persons.breakdown ?? null,
    };
    const find = () => readFunnelPersons(body).find({ ...surroundings, ...dataset });
    if (persons.error !== undefined) expectRefusal(find, persons.error);
    else checkPersons(find(), persons);
  }
}

function expectRefusal(run: () => unknown, error: NonNullable<Expectation['error']>): void {
  let thrown: unknown;
  try {
    run();
  } catch (cause) {
    thrown = cause;
  }
  expect(thrown).toBeInstanceOf(Refusal);
  const { detail, ...fields } = error;
  expect(thrown).toMatchObject(detail === undefined ? fields : { ...fields, message: detail });
}

/** Compares as sets: each actor has exactly one of the ids. */
export function checkPersons(actors: readonly Actor[], expected: ExpectedPersons): void {
  const ids = expected.distinct_ids ?? expected.distinct_ids_derived;
  if (ids !== undefined) {
    const found = actors.map((actor) =>
      ids.find((id) => actor.kind === 'person' && idsOf(actor.person).includes(id)),
    );
    expect(found.toSorted()).toEqual(ids.toSorted());
  }
  if (expected.count !== undefined) expect(actors).toHaveLength(expected.count);
  // The pages themselves are cut by the lists of people; here their sum counts.
  if (expected.pages !== undefined) {
    expect(actors).toHaveLength(expected.pages.reduce((sum, size) => sum + size, 0));
  }
}

function checkSteps(result: Json, expected: Expectation): void {
  // The result of a funnel by steps is a list of steps.
  const steps = result as Result;
  if (expected.steps !== undefined) matchSteps(steps, expected.steps);
  if (expected.steps_total !== undefined) expect(steps).toHaveLength(expected.steps_total);
  if (expected.empty_or_zero === true) expect(steps.every((step) => step.count === 0)).toBe(true);
}

function matchSteps(steps: Result, expected: readonly ExpectedStep[]): void {
  for (const { order, ...fields } of expected) {
    const step = steps[order];
    expect(step).toBeDefined();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'number')
        expect(step?.[name], `${name} of step ${order}`).toBeCloseTo(value, TOLERANCE);
      else expect(step?.[name], `${name} of step ${order}`).toEqual(value);
    }
  }
}

function checkBreakdowns(result: Json, expected: Expectation): void {
  const values = expected.breakdowns?.map(({ value }) => value) ?? expected.breakdown_values;
  if (values === undefined) return;
  // With a breakdown the result is a list of lists of steps.
  const lists = result as readonly Result[];
  const found = lists.map((steps) => steps[0]?.breakdown_value);
  for (const { value, steps } of expected.breakdowns ?? []) {
    const index = found.findIndex((candidate) => JSON.stringify(candidate) === JSON.stringify(value));
    expect(index, `value ${value}`).not.toBe(-1);
    matchSteps(lists[index] ?? [], steps);
  }
  if (expected.breakdown_order_asserted === true) expect(found).toEqual(values);
  if (expected.breakdown_values !== undefined) expect(found.toSorted()).toEqual(values.toSorted());
  if (expected.breakdowns_total !== undefined) expect(lists).toHaveLength(expected.breakdowns_total);
}

function checkTrends(result: Json, expected: Expectation): void {
  // The result of trends is a list of series.
  const series = result as Result;
  if (expected.trend !== undefined) matchTrend(series[0], expected.trend);
  if (expected.trend_breakdowns === undefined) return;
  for (const { value, ...trend } of expected.trend_breakdowns) {
    const found = series.find((one) => JSON.stringify(one.breakdown_value) === JSON.stringify(value));
    matchTrend(found, trend);
  }
  if (expected.breakdowns_total !== undefined) expect(series).toHaveLength(expected.breakdowns_total);
}

function matchTrend(series: JsonObject | undefined, expected: ExpectedTrend): void {
  if (expected.periods !== undefined) {
    expect(series?.count).toBe(expected.periods);
    expect(series?.data).toHaveLength(expected.periods);
  }
  if (expected.days !== undefined) expect(series?.days).toEqual(expected.days);
  matchAsserted(series?.reached_from_step_count, expected.reached_from);
  matchAsserted(series?.reached_to_step_count, expected.reached_to);
  matchAsserted(series?.data, expected.conversion_rate);
}

/** A null in the expectation is not asserted. */
function matchAsserted(found: Json | undefined, expected: readonly (number | null)[] | undefined): void {
  if (expected === undefined) return;
  // Series of figures are lists of numbers.
  const figures = found as readonly number[];
  expect(figures).toHaveLength(expected.length);
  expect(figures.map((figure, index) => (expected[index] === null ? null : figure))).toEqual(expected);
}

function checkTimes(result: Json, expected: Expectation): void {
  const { time_to_convert: times } = expected;
  if (times === undefined) return;
  // The result of a time to convert is one object.
  const found = result as JsonObject;
  expect(found.bins).toEqual(times.bins);
  for (const name of ['average_conversion_time', 'median_conversion_time'] as const) {
    const time = times[name];
    if (time !== undefined) expect(found[name]).toBeCloseTo(time, TOLERANCE);
  }
}
