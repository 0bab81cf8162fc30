/** One funnel in the two forms of a request. */

export const FUNNEL = {
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

export const QUERY = {
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
