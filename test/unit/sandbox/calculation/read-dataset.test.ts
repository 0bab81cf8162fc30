import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/json/kinds.ts';
import { writeJson } from '../../../../src/json/text.ts';
import {
  type AnalysisDefinition,
  readLegacyCorrelation,
  readLegacyFunnel,
  readLegacyLifecycle,
  readLegacyStickiness,
  readLegacyTrends,
} from '../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate, questionOf } from '../../../../src/sandbox/calculation/question.ts';
import { readMoment } from '../../../../src/sandbox/operator.ts';
import { Refusal } from '../../../../src/sandbox/refusal.ts';
import { emptyStore, fillStore } from '../../../../src/sandbox/store/load-content.ts';
import { openStore, type Store } from '../../../../src/sandbox/store/open-store.ts';
import { readTruth } from '../../../support/truth.ts';
import { bodyOf, datasetOf, surroundingsOf, type TruthCase } from '../analysis/truth-cases.ts';

type Reader = (body: JsonObject) => AnalysisDefinition;

const READERS: Readonly<Record<string, Reader>> = {
  funnel_correlation: readLegacyCorrelation,
  lifecycle: readLegacyLifecycle,
  stickiness: readLegacyStickiness,
  trends: readLegacyTrends,
};

// One database for all cases, which is emptied before each: making one takes longer than most calculations.
let store: Store;
beforeAll(async () => {
  store = await openStore(undefined);
});
afterAll(() => store.close());

/** What the result is when it is calculated from the database. */
async function calculateStored(truth: TruthCase, definition: AnalysisDefinition): Promise<Json> {
  await emptyStore(store);
  // Content is JSON; the type of a case says more than that.
  const content = { ...truth.data, project: truth.project } as unknown as Json;
  const now = readMoment(new Date(surroundingsOf(truth).now).toISOString()) ?? 0n;
  await fillStore(store, writeJson(content), now);
  const session = await store.openSession();
  try {
    const { signal } = new AbortController();
    const answer = await questionOf(definition)({
      session,
      signal,
      dialect: 'live',
      longestQuery: 60_000,
    });
    return answer.results ?? null;
  } finally {
    session.close();
  }
}

async function expectSame(truth: TruthCase, read: Reader, body: JsonObject): Promise<void> {
  // Without a time of creation a person of the database is created now.
  const whole = datasetOf(truth);
  const refusals: unknown[] = [];
  const orRefusal = async (work: () => Json | Promise<Json>) => {
    try {
      return await work();
    } catch (refusal) {
      expect(refusal).toBeInstanceOf(Refusal);
      refusals.push(refusal);
      return null;
    }
  };
  const expected = await orRefusal(() => calculate(read(body), { ...surroundingsOf(truth), ...whole }));
  const found = await orRefusal(() => calculateStored(truth, read(body)));
  expect(found).toEqual(expected);
  expect([0, 2]).toContain(refusals.length);
}

const funnels = readTruth<TruthCase>('funnels');
const others = readTruth<TruthCase>('others').filter(({ request }) =>
  Object.hasOwn(READERS, String(request.kind)),
);

describe('reading what an analysis needs, and no more', () => {
  it('has its 112 expected cases', () => {
    expect(funnels.length + others.length).toBe(112);
  });

  it.each(funnels)('gives the figures of all events: $id $title', async (truth) => {
    await expectSame(truth, readLegacyFunnel, truth.request);
  });

  it.each(others)('gives the figures of all events: $id $title', async (truth) => {
    const read = READERS[String(truth.request.kind)] ?? readLegacyTrends;
    await expectSame(truth, read, bodyOf(truth));
  });
});

const person = (id: string, properties: JsonObject) => ({
  distinct_ids: [id],
  properties,
  created_at: '2026-05-01T00:00:00Z',
});

const deed = (id: string, event: string, minute: number, properties: JsonObject = {}) => ({
  distinct_id: id,
  event,
  timestamp: `2026-05-02T10:${String(minute).padStart(2, '0')}:00Z`,
  properties,
});

const SHOP: TruthCase = {
  id: 'shop',
  title: 'a small shop',
  now: '2026-05-03T12:00:00Z',
  project: {
    timezone: 'UTC',
    test_account_filters: [{ key: 'email', operator: 'not_icontains', value: '@test', type: 'person' }],
    cohorts: [
      { id: 1, name: 'payers', groups: [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }] }] },
    ],
    groups: [{ type_index: 1, key: 'acme', properties: { size: 'big' } }],
    actions: [
      { id: 1, name: 'shop page', steps: [{ event: 'page', url: '/shop', url_matching: 'contains' }] },
    ],
  },
  request: {},
  data: {
    persons: [
      person('a', { plan: 'pro', email: 'a@example.org' }),
      person('b', { plan: 'free', email: 'b@test' }),
      person('c', { plan: 'pro' }),
    ],
    events: [
      deed('a', 'page', 1, { $current_url: 'https://x.example/shop', 'a/b~c': 'x', $group_1: 'acme' }),
      deed('a', 'order', 2, { sum: 2.5, $group_1: 'acme', coupon: 'A' }),
      deed('b', 'page', 1, { $current_url: 'https://x.example/', 'a/b~c': 'y' }),
      deed('b', 'order', 3, { sum: 10, coupon: 'A' }),
      deed('c', 'page', 1, { $current_url: 'https://x.example/shop', constructor: 'x' }),
      deed('c', 'helped', 2, { by: 'chat' }),
    ],
  },
  expect: {},
};

const STEPS = {
  events: [
    { id: 'page', order: 0 },
    { id: 'order', order: 1 },
  ],
  date_from: '-2d',
};
const ORDERS = { events: [{ id: 'order' }], date_from: '-2d' };

describe('reading the properties that are looked at', () => {
  it.each<[string, Reader, JsonObject]>([
    ['test accounts', readLegacyFunnel, { ...STEPS, filter_test_accounts: true }],
    [
      'an action by address',
      readLegacyFunnel,
      { ...STEPS, events: [{ id: 'order', order: 1 }], actions: [{ id: 1, order: 0 }] },
    ],
    [
      'keys with signs',
      readLegacyFunnel,
      { ...STEPS, events: [{ id: 'page', properties: [{ key: 'a/b~c', value: 'x' }] }, { id: 'order' }] },
    ],
    [
      'a key of every object',
      readLegacyTrends,
      { events: [{ id: 'page', properties: [{ key: 'constructor', operator: 'is_set' }] }] },
    ],
    ['the old form of filters', readLegacyTrends, { ...ORDERS, properties: { coupon__icontains: 'a' } }],
    [
      'filters in a tree',
      readLegacyTrends,
      {
        ...ORDERS,
        properties: {
          type: 'OR',
          values: [
            { key: 'plan', value: 'pro', type: 'person' },
            { key: 'sum', value: 10, operator: 'gte' },
          ],
        },
      },
    ],
    [
      'a sum',
      readLegacyTrends,
      { events: [{ id: 'order', math: 'sum', math_property: 'sum' }], date_from: '-2d' },
    ],
    ['groups', readLegacyFunnel, { ...STEPS, aggregation_group_type_index: 1 }],
    [
      'a property of groups',
      readLegacyTrends,
      { ...ORDERS, breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 1 },
    ],
    ['a cohort', readLegacyTrends, { ...ORDERS, breakdown: [1], breakdown_type: 'cohort' }],
    [
      'a filter by cohort',
      readLegacyTrends,
      { ...ORDERS, properties: [{ key: 'id', value: 1, type: 'cohort' }] },
    ],
    [
      'a breakdown by event and by person',
      readLegacyFunnel,
      {
        ...STEPS,
        breakdowns: [
          { property: 'coupon', type: 'event' },
          { property: 'plan', type: 'person' },
        ],
      },
    ],
    ['all since the first event', readLegacyTrends, { ...ORDERS, date_from: 'all' }],
    ['an earlier range', readLegacyTrends, { ...ORDERS, date_from: '-1d', compare: true }],
    [
      'correlated properties',
      readLegacyCorrelation,
      { ...STEPS, funnel_correlation_type: 'properties', funnel_correlation_names: ['plan'] },
    ],
    ['correlated events', readLegacyCorrelation, STEPS],
    [
      'correlated properties of events',
      readLegacyCorrelation,
      {
        ...STEPS,
        funnel_correlation_type: 'event_with_properties',
        funnel_correlation_event_names: ['helped'],
      },
    ],
    ['an unknown action', readLegacyFunnel, { actions: [{ id: 9 }, { id: 1 }] }],
  ])('is the same as from all: %s', async (_name, read, body) => {
    await expectSame(SHOP, read, body);
  });
});
