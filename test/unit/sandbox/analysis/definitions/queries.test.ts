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
import { FUNNEL, QUERY } from './funnel-forms.ts';

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
