import { expect } from 'vitest';
import type { Json, JsonObject } from '../../../../src/json/kinds.ts';
import {
  type ActorsRequest,
  readCorrelationPersons,
  readLifecyclePersons,
  readStickinessPersons,
  readTrendsPersons,
} from '../../../../src/sandbox/analysis/definitions/actors.ts';
import {
  readLegacyCorrelation,
  readLegacyLifecycle,
  readLegacyStickiness,
  readLegacyTrends,
} from '../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../src/sandbox/calculation/question.ts';
import { bodyOf, datasetOf, type Expectation, surroundingsOf, type TruthCase } from './truth-cases.ts';
import { checkPersons, TOLERANCE } from './truth-funnels.ts';

const READERS = {
  funnel_correlation: readLegacyCorrelation,
  lifecycle: readLegacyLifecycle,
  stickiness: readLegacyStickiness,
  trends: readLegacyTrends,
} as const;

const PERSON_READERS: Readonly<Record<string, (body: JsonObject) => ActorsRequest>> = {
  lifecycle: readLifecyclePersons,
  stickiness: readStickinessPersons,
  trends: readTrendsPersons,
};

/** Runs a case of the other analyses and checks everything it asserts. */
export function checkOtherCase(truth: TruthCase): void {
  const { expect: expected } = truth;
  const kind = String(truth.request.kind);
  const result = calculateCase(truth, kind);
  checkCorrelation(result, truth);
  checkLifecycle(result, expected);
  checkStickiness(result, expected);
  checkSeries(result, expected);
  for (const { distinct_ids, distinct_ids_derived, count, pages, ...point } of expected.persons ?? []) {
    // What is left of an expectation about persons are fields of the request.
    const request = PERSON_READERS[kind]?.({ ...bodyOf(truth), ...(point as JsonObject) });
    if (request === undefined) throw new Error(`No persons for ${kind}`);
    const wanted = Object.entries({ distinct_ids, distinct_ids_derived, count, pages }).filter(
      ([, value]) => value,
    );
    expect(wanted).not.toHaveLength(0);
    checkPersons(request.find({ ...surroundingsOf(truth), ...datasetOf(truth) }), Object.fromEntries(wanted));
  }
}

function calculateCase(truth: TruthCase, kind: string): Json {
  if (!Object.hasOwn(READERS, kind)) throw new Error(`No analysis ${kind}`);
  // Just checked to be one of the keys.
  const read = READERS[kind as keyof typeof READERS];
  const body = bodyOf(truth);
  if (truth.expect.persons !== undefined && body.events === undefined) return null;
  return calculate(read(body), { ...surroundingsOf(truth), ...datasetOf(truth) });
}

function checkCorrelation(result: Json, truth: TruthCase): void {
  const expected = truth.expect.correlation;
  if (expected === undefined) return;
  // The result of a correlation is an object with a list of events.
  const { events, skewed } = result as {
    events: readonly (JsonObject & { event: JsonObject })[];
    skewed: boolean;
  };
  const found = events.map(({ event, ...counts }) => ({ ...counts, event: event.event }));
  const wanted = expected.events.map((event) => ({
    ...event,
    odds_ratio: expect.closeTo(event.odds_ratio, TOLERANCE),
  }));
  if (expected.order_asserted === true) expect(found).toEqual(wanted);
  else expect(found).toEqual(expect.arrayContaining(wanted));
  expect(found).toHaveLength(wanted.length);
  if (expected.skewed !== undefined) expect(skewed).toBe(expected.skewed);
  for (const { event, converted, count } of expected.persons ?? []) {
    const body = {
      ...bodyOf(truth),
      funnel_correlation_person_entity: { id: event, type: 'events' },
      funnel_correlation_person_converted: converted,
    };
    const actors = readCorrelationPersons(body).find({
      ...surroundingsOf(truth),
      ...datasetOf(truth),
    });
    expect(actors, `${event}, converted ${converted}`).toHaveLength(count);
  }
}

function checkLifecycle(result: Json, { lifecycle }: Expectation): void {
  if (lifecycle === undefined) return;
  // The result of a lifecycle is a list of series.
  const series = result as readonly JsonObject[];
  expect(series).toHaveLength(4);
  for (const [status, data] of Object.entries(lifecycle)) {
    if (status === 'days') expect(series[0]?.days).toEqual(data);
    else expect(series.find((one) => one.status === status)?.data, status).toEqual(data);
  }
}

function checkStickiness(result: Json, { stickiness }: Expectation): void {
  if (stickiness === undefined) return;
  // The result of stickiness is a list of series.
  const [series] = result as readonly { data: number[]; days: number[]; labels: string[]; count: number }[];
  expect(series?.count).toBe(stickiness.count);
  for (const [days, count] of Object.entries(stickiness.at)) {
    const index = series?.days.indexOf(Number(days)) ?? -1;
    expect(series?.data[index], `${days} periods`).toBe(count);
  }
  for (const [days, label] of Object.entries(stickiness.labels)) {
    expect(series?.labels[series.days.indexOf(Number(days))]).toBe(label);
  }
}

function checkSeries(result: Json, { series: expected }: Expectation): void {
  if (expected === undefined) return;
  // The result of trends is a list of series.
  const found = result as readonly {
    data: number[];
    days: string[];
    count: number;
    compare_label?: string;
  }[];
  expect(found).toHaveLength(expected.length);
  for (const [index, { at, ...fields }] of expected.entries()) {
    const series = found[index];
    expect(series).toMatchObject(fields);
    for (const [day, count] of Object.entries(at ?? {})) {
      expect(series?.data[series.days.indexOf(day)], day).toBe(count);
    }
  }
}
