import { insights } from '../../../src/service/insights.ts';
import { type Case, STEPS, STEPS_TEXT, wire } from './wire-case.ts';

export const funnelWires: readonly Case[] = [
  wire(
    insights.funnelGet,
    { events: STEPS, funnel_viz_type: 'trends', breakdown_limit: 5 },
    {
      id: 'I13',
      both: [
        `GET /api/projects/7/insights/funnel/?events=${STEPS_TEXT}&funnel_viz_type=trends&breakdown_limit=5`,
        '',
      ],
    },
  ),
  wire(
    insights.funnel,
    {
      actions: [{ id: 3 }],
      date_from: 'mStart',
      date_to: '2026-01-31',
      breakdown: 'plan',
      aggregation_group_type_index: 0,
    },
    {
      id: 'I14',
      both: [
        'POST /api/projects/7/insights/funnel/',
        '{"actions":[{"id":3}],"date_from":"mStart","date_to":"2026-01-31","breakdown":"plan","aggregation_group_type_index":0}',
      ],
    },
  ),
  wire(
    insights.funnelCorrelationGet,
    { events: STEPS, funnel_order_type: 'strict' },
    {
      id: 'I15',
      both: [
        `GET /api/projects/7/insights/funnel/correlation/?events=${STEPS_TEXT}&funnel_order_type=strict`,
        '',
      ],
    },
  ),
  wire(
    insights.funnelCorrelation,
    { name: 'x', filters: { events: [] } },
    {
      id: 'I16',
      both: ['POST /api/projects/7/insights/funnel/correlation/', '{"name":"x","filters":{"events":[]}}'],
    },
  ),
  wire(insights.lastViewed, {}, { id: 'I17', both: ['GET /api/projects/7/insights/my_last_viewed/', ''] }),
];
