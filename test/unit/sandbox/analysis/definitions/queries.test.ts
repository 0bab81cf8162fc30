import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/json/kinds.ts';
import {
  readActorsQuery,
  readFunnelPersons,
} from '../../../../../src/sandbox/analysis/definitions/actors.ts';
import {
  readQueryDefinition,
  unwrapQuery,
} from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { TWO } from '../funnels/run-funnel.ts';
import { during, namesOf, RANGE, type Story, tell } from '../stories.ts';
import { QUERY } from './funnel-forms.ts';

describe('queries and filters of an insight', () => {
  it('are told apart from what is not calculated', () => {
    expect(unwrapQuery({ kind: 'InsightVizNode', source: QUERY })).toBe(QUERY);
    expect(() => readQueryDefinition({ kind: 'PathsQuery' })).toThrow(/"PathsQuery" are not supported here/);
    expect(() => readQueryDefinition({ filters: { insight: 'PATHS' } })).toThrow(
      /"PATHS" are not supported here/,
    );
  });

  it('say what kind of insight they are, trends where they do not', () => {
    const kindOf = (insight?: string) =>
      readQueryDefinition({
        filters: { events: [{ id: 'a' }], ...(insight === undefined ? {} : { insight }) },
      }).kind;
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
  const story: Story = {
    ann: [
      ['a', '10:00', { os: 'Mac' }],
      ['b', '11:00'],
    ],
    bob: [['a', '10:00', { os: 'Mac' }]],
    cat: 'a 10:00',
    dan: 'a 3 10:00',
  };

  it.each<[JsonObject, JsonObject, readonly string[]]>([
    [{ funnel_step: 2 }, { funnelStep: 2 }, ['ann']],
    [{ funnel_step: -2 }, { funnelStep: -2 }, ['bob', 'cat', 'dan']],
    [
      { funnel_step: -2, funnel_step_breakdown: ['Mac'] },
      { funnelStep: -2, funnelStepBreakdown: ['Mac'] },
      ['bob'],
    ],
    [
      { entrance_period_start: '2024-02-01', drop_off: 'true' },
      { funnelTrendsEntrancePeriodStart: '2024-02-01', funnelTrendsDropOff: true },
      ['bob', 'cat'],
    ],
  ])('are the same in the old form and in the query: %j', (old, node, names) => {
    const input = { ...tell(story), ...during() };
    const body = { ...TWO, breakdown: 'os' };
    const source = {
      kind: 'FunnelsQuery',
      series: ['a', 'b'].map((event) => ({ kind: 'EventsNode', event })),
      dateRange: RANGE,
      breakdownFilter: { breakdown: 'os' },
    };
    expect(namesOf(readFunnelPersons({ ...body, ...old }).find(input))).toEqual(names);
    const query = { source: { kind: 'FunnelsActorsQuery', source, ...node } };
    expect(namesOf(readActorsQuery(query).find(input))).toEqual(names);
  });

  it('are refused for sources that have no persons', () => {
    expect(() => readActorsQuery({ source: { kind: 'HogQLQuery' } })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
    const funnel = { kind: 'InsightActorsQuery', source: QUERY };
    expect(() => readActorsQuery({ source: funnel })).toThrow(/with a query of their own/);
  });
});
