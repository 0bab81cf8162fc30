import { describe, expect, it } from 'vitest';
import { funnelQuery } from '../../../../src/insights/analyses/funnel.ts';
import { correlationQuery } from '../../../../src/insights/analyses/people.ts';

const events = [
  { id: 'paid', type: 'events', order: 2 },
  { id: null, type: 'events', order: 0 },
];
const actions = [{ id: '7', type: 'actions', order: 1, properties: [{ key: 'a', value: 1, type: 'event' }] }];

const series = [
  { kind: 'EventsNode', event: null },
  { kind: 'ActionsNode', id: 7, properties: [{ key: 'a', value: 1, type: 'event' }] },
  { kind: 'EventsNode', event: 'paid' },
];

describe('a funnel as a query', () => {
  it('has the steps in their order and nothing that was not given', () => {
    expect(funnelQuery({ events, actions })).toEqual({ kind: 'FunnelsQuery', series });
  });

  it('has every field of the calculation', () => {
    expect(
      funnelQuery({
        events,
        actions,
        properties: [{ key: 'plan', value: 'pro', type: 'person' }],
        filter_test_accounts: true,
        date_from: '-7d',
        date_to: '2026-01-05',
        breakdown: ['$browser'],
        breakdown_type: 'event',
        breakdown_limit: 5,
        funnel_window_interval: 2,
        funnel_window_interval_type: 'WEEK',
        funnel_viz_type: 'time_to_convert',
        funnel_order_type: 'unordered',
        exclusions: [{ id: 'refund', type: 'events', funnel_from_step: 0, funnel_to_step: 1 }],
        aggregation_group_type_index: 1,
        bin_count: 7,
        breakdown_attribution_type: 'step',
        breakdown_attribution_value: 1,
      }),
    ).toEqual({
      kind: 'FunnelsQuery',
      series,
      properties: [{ key: 'plan', value: 'pro', type: 'person' }],
      filterTestAccounts: true,
      dateRange: { date_from: '-7d', date_to: '2026-01-05' },
      breakdownFilter: { breakdown: ['$browser'], breakdown_type: 'event', breakdown_limit: 5 },
      aggregation_group_type_index: 1,
      funnelsFilter: {
        funnelVizType: 'time_to_convert',
        funnelOrderType: 'unordered',
        funnelWindowInterval: 2,
        funnelWindowIntervalUnit: 'week',
        binCount: 7,
        breakdownAttributionType: 'step',
        breakdownAttributionValue: 1,
        exclusions: [{ kind: 'EventsNode', event: 'refund', funnelFromStep: 0, funnelToStep: 1 }],
      },
    });
  });

  it.each([
    [{ funnel_window_days: 3 }, { funnelWindowInterval: 3, funnelWindowIntervalUnit: 'day' }],
    [{ funnel_window_interval: 3 }, { funnelWindowInterval: 3 }],
    [
      { funnel_window_interval: 3, funnel_window_interval_type: 'days' },
      { funnelWindowInterval: 3, funnelWindowIntervalUnit: 'day' },
    ],
  ])('has the window of %j', (fields, filter) => {
    expect(funnelQuery({ events, ...fields }).funnelsFilter).toEqual(filter);
  });

  it('counts persons by leaving the group type out', () => {
    expect(funnelQuery({ events, aggregation_group_type_index: 0 })).not.toHaveProperty(
      'aggregation_group_type_index',
    );
  });

  it('refuses a field it cannot express, and a unit nobody knows', () => {
    expect(() => funnelQuery({ events, funnel_aggregate_by_hogql: 'x' })).toThrow(
      'the field "funnel_aggregate_by_hogql" cannot be sent in a query',
    );
    expect(() => funnelQuery({ events, funnel_window_interval_type: 'YEAR' })).toThrow(
      'conversion window in "YEAR"',
    );
  });
});

describe('a correlation as a query', () => {
  const source = { kind: 'FunnelsActorsQuery', source: { kind: 'FunnelsQuery', series } };

  it('asks about events unless told otherwise', () => {
    expect(correlationQuery({ events, actions })).toEqual({
      kind: 'FunnelCorrelationQuery',
      source,
      funnelCorrelationType: 'events',
    });
  });

  it('carries what is correlated', () => {
    expect(
      correlationQuery({
        events,
        actions,
        funnel_correlation_type: 'event_with_properties',
        funnel_correlation_event_names: ['video'],
        funnel_correlation_event_exclude_property_names: ['$ip'],
      }),
    ).toEqual({
      kind: 'FunnelCorrelationQuery',
      source,
      funnelCorrelationType: 'event_with_properties',
      funnelCorrelationEventNames: ['video'],
      funnelCorrelationEventExcludePropertyNames: ['$ip'],
    });
  });
});
