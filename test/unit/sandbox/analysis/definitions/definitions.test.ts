import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/api/json.ts';
import { readActorsQuery } from '../../../../../src/sandbox/analysis/definitions/actors-query.ts';
import { readFunnelPersons } from '../../../../../src/sandbox/analysis/definitions/actors-request.ts';
import {
  isAnalysisQuery,
  readFilterDefinition,
  readQueryDefinition,
  unwrapQuery,
} from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { readLegacyFunnel } from '../../../../../src/sandbox/analysis/definitions/legacy-filters.ts';

const FUNNEL = {
  events: [
    { id: 'a', type: 'events', order: 0, properties: [{ key: 'k', value: 1 }] },
    { id: null, type: 'events', order: 2, custom_name: 'Anything' },
  ],
  actions: [{ id: 7, type: 'actions', order: 1 }],
  properties: [{ key: 'plan', value: 'pro', type: 'person' }],
  filter_test_accounts: true,
  date_from: '-14d',
  date_to: '2024-02-10',
  breakdown: ['os', 'browser'],
  breakdown_type: 'event',
  breakdown_limit: 3,
  breakdown_attribution_type: 'step',
  breakdown_attribution_value: 1,
  funnel_window_interval: 3,
  funnel_window_interval_type: 'HOUR',
  funnel_viz_type: 'trends',
  funnel_order_type: 'strict',
  funnel_from_step: 0,
  funnel_to_step: 2,
  interval: 'week',
  exclusions: [{ id: 'x', type: 'events', funnel_from_step: 0, funnel_to_step: 1 }],
};

const QUERY = {
  kind: 'FunnelsQuery',
  series: [
    { kind: 'EventsNode', event: 'a', properties: [{ key: 'k', value: 1 }] },
    { kind: 'ActionsNode', id: 7 },
    { kind: 'EventsNode', event: null, custom_name: 'Anything' },
  ],
  properties: [{ key: 'plan', value: 'pro', type: 'person' }],
  filterTestAccounts: true,
  dateRange: { date_from: '-14d', date_to: '2024-02-10' },
  breakdownFilter: { breakdown: ['os', 'browser'], breakdown_type: 'event', breakdown_limit: 3 },
  interval: 'week',
  funnelsFilter: {
    funnelWindowInterval: 3,
    funnelWindowIntervalUnit: 'hour',
    funnelVizType: 'trends',
    funnelOrderType: 'strict',
    funnelFromStep: 0,
    funnelToStep: 2,
    breakdownAttributionType: 'step',
    breakdownAttributionValue: 1,
    exclusions: [{ kind: 'EventsNode', event: 'x', funnelFromStep: 0, funnelToStep: 1 }],
  },
};

/** As a query string carries it: every value is text. */
function asTexts(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

describe('the body of a funnel', () => {
  it('puts events and actions in their common order, and reads every field', () => {
    expect(readLegacyFunnel(FUNNEL)).toMatchObject({
      steps: [
        { type: 'events', id: 'a', properties: [{ key: 'k', value: 1 }] },
        { type: 'actions', id: 7 },
        { type: 'events', id: null, customName: 'Anything' },
      ],
      exclusions: [{ entity: { id: 'x' }, fromStep: 0, toStep: 1 }],
      order: 'strict',
      view: 'trends',
      windowSeconds: 10_800,
      filters: [{ key: 'plan', value: 'pro', type: 'person' }],
      filterTestAccounts: true,
      dates: { from: '-14d', to: '2024-02-10' },
      interval: 'week',
      breakdown: { kind: 'properties', parts: [{ property: 'os' }, { property: 'browser' }], limit: 3 },
      attribution: { kind: 'step', step: 1 },
      fromStep: 0,
      toStep: 2,
    });
  });

  it('means the same as the query node and as the texts of a query string', () => {
    const definition = readLegacyFunnel(FUNNEL);
    expect(readQueryDefinition(QUERY)).toEqual(definition);
    expect(readLegacyFunnel(asTexts(FUNNEL))).toEqual(definition);
  });

  it.each<[JsonObject, number]>([
    [{}, 14 * 86_400],
    [{ funnel_window_days: 7 }, 7 * 86_400],
    [{ funnel_window_interval: 2, funnel_window_interval_type: 'days' }, 2 * 86_400],
    [{ funnel_window_interval: 2, funnel_window_interval_unit: 'week' }, 14 * 86_400],
    [{ funnel_window_interval: 1, funnel_window_interval_type: 'MONTH' }, 30 * 86_400],
    [{ funnel_window_interval: 90, funnel_window_interval_type: 'SECOND', funnel_window_days: 3 }, 90],
  ])('reads the window of %j', (fields, seconds) => {
    expect(readLegacyFunnel(fields).windowSeconds).toBe(seconds);
  });

  it('counts persons for group 0, the query node the first group type', () => {
    expect(readLegacyFunnel({ aggregation_group_type_index: 0 }).groupTypeIndex).toBeUndefined();
    expect(readLegacyFunnel({ aggregation_group_type_index: 1 }).groupTypeIndex).toBe(1);
    const query = { ...QUERY, aggregation_group_type_index: 0 };
    expect(readQueryDefinition(query)).toMatchObject({ groupTypeIndex: 0 });
  });

  it('keeps an event that is named by the empty text apart from any event', () => {
    expect(readLegacyFunnel({ events: [{ id: '' }, { id: null }, {}] }).steps.map(({ id }) => id)).toEqual([
      '',
      null,
      null,
    ]);
  });

  it.each<JsonObject>([
    { events: 'a' },
    { events: [3] },
    { funnel_viz_type: 'pie' },
    { funnel_order_type: 'any' },
    { funnel_window_interval: 'soon' },
    { funnel_window_interval: 1, funnel_window_interval_type: 'fortnight' },
    { interval: 'year' },
    { breakdown: 'x', breakdown_type: 'hogql' },
    { breakdown: 'x', breakdown_type: 'session' },
    { breakdown: ['x'], breakdown_type: 'cohort' },
    { breakdown: 'x', breakdown_limit: 0 },
    { bin_count: 91 },
  ])('is refused with %j', (body) => {
    expect(() => readLegacyFunnel(body)).toThrow(
      expect.objectContaining({ status: 400, type: 'validation_error' }),
    );
  });
});

describe('queries and filters of an insight', () => {
  it('are told apart from what is not calculated', () => {
    expect(isAnalysisQuery({ kind: 'InsightVizNode', source: QUERY })).toBe(true);
    expect(isAnalysisQuery({ kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' } })).toBe(false);
    expect(unwrapQuery({ kind: 'InsightVizNode', source: QUERY })).toBe(QUERY);
    expect(() => readQueryDefinition({ kind: 'PathsQuery' })).toThrow(/"PathsQuery" are not supported here/);
    expect(() => readFilterDefinition({ insight: 'PATHS' })).toThrow(/"PATHS" are not supported here/);
  });

  it('say what kind of insight they are, trends where they do not', () => {
    const kindOf = (insight?: string) =>
      readFilterDefinition({ events: [{ id: 'a' }], ...(insight === undefined ? {} : { insight }) }).kind;
    expect([undefined, 'FUNNELS', 'LIFECYCLE', 'STICKINESS', 'RETENTION'].map(kindOf)).toEqual([
      'trends',
      'funnel',
      'lifecycle',
      'stickiness',
      'retention',
    ]);
  });

  it('are refused where a part of them cannot be calculated', () => {
    const optional = [{ kind: 'EventsNode', event: 'a', optionalInFunnel: true }];
    const warehouse = [{ kind: 'DataWarehouseNode', id: 'orders' }];
    for (const wrong of [
      { series: optional },
      { series: warehouse },
      { funnelsFilter: { funnelAggregateByHogQL: 'x' } },
    ]) {
      expect(() => readQueryDefinition({ ...QUERY, ...wrong })).toThrow(
        expect.objectContaining({ status: 400 }),
      );
    }
    const retention = { kind: 'RetentionQuery', breakdownFilter: { breakdown: 'x' } };
    expect(() => readQueryDefinition(retention)).toThrow(/breakdown is not supported/);
  });

  it('name formulas in any of three places', () => {
    const series = [{ kind: 'EventsNode', event: 'a' }];
    const formulasOf = (trendsFilter: JsonObject) =>
      readQueryDefinition({ kind: 'TrendsQuery', series, trendsFilter });
    for (const filter of [{ formula: 'A' }, { formulas: ['A'] }, { formulaNodes: [{ formula: 'A' }] }]) {
      expect(formulasOf(filter)).toMatchObject({ formulas: ['A'] });
    }
    expect(formulasOf({})).toMatchObject({ formulas: [] });
  });
});

describe('requests for the persons of a funnel', () => {
  it('mean the same in the query and in the old form', () => {
    const old = readFunnelPersons({ ...FUNNEL, funnel_step: -2, funnel_step_breakdown: ['Mac', 'Safari'] });
    const source = {
      kind: 'FunnelsActorsQuery',
      source: QUERY,
      funnelStep: -2,
      funnelStepBreakdown: ['Mac', 'Safari'],
    };
    expect(readActorsQuery({ kind: 'ActorsQuery', source })).toEqual(old);
    const period = { entrance_period_start: '2024-02-01', drop_off: 'true' };
    const trend = { funnelTrendsEntrancePeriodStart: '2024-02-01', funnelTrendsDropOff: true };
    expect(readActorsQuery({ source: { kind: 'FunnelsActorsQuery', source: QUERY, ...trend } })).toEqual(
      readFunnelPersons({ ...FUNNEL, ...period }),
    );
  });

  it('are refused for sources that have no persons', () => {
    expect(() => readActorsQuery({ source: { kind: 'HogQLQuery' } })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
    const funnel = { kind: 'InsightActorsQuery', source: QUERY };
    expect(() => readActorsQuery({ source: funnel })).toThrow(/with a query of their own/);
  });
});
