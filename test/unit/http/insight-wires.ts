import { insights } from '../../../src/service/insights.ts';
import { type Case, wire } from './wire-case.ts';

export const insightWires: readonly Case[] = [
  wire(
    insights.list,
    { created_by: 5, short_id: 'AbC123xy', refresh: 'force_cache', limit: 10, offset: 20 },
    {
      id: 'I1',
      specification: [
        'GET /api/projects/7/insights/?created_by=5&short_id=AbC123xy&refresh=force_cache&limit=10&offset=20',
        '',
      ],
      live: [
        'GET /api/projects/7/insights/?created_by=%5B5%5D&short_id=AbC123xy&refresh=force_cache&limit=10&offset=20',
        '',
      ],
    },
  ),
  wire(
    insights.create,
    {
      name: 'Sign-ups',
      query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } },
      tags: ['a', 'b'],
      saved: true,
    },
    {
      id: 'I2',
      specification: [
        'POST /api/projects/7/insights/',
        '{"name":"Sign-ups","query":"{\\"kind\\":\\"InsightVizNode\\",\\"source\\":{\\"kind\\":\\"TrendsQuery\\"}}","tags":["a","b"],"saved":true}',
      ],
      live: [
        'POST /api/projects/7/insights/',
        '{"name":"Sign-ups","query":{"kind":"InsightVizNode","source":{"kind":"TrendsQuery"}},"tags":["a","b"],"saved":true}',
      ],
    },
  ),
  wire(
    insights.sharing,
    { insight_id: '9' },
    { id: 'I3', both: ['GET /api/projects/7/insights/9/sharing/', ''] },
  ),
  wire(
    insights.get,
    { id: '9', from_dashboard: 3, refresh: 'blocking' },
    { id: 'I4', both: ['GET /api/projects/7/insights/9/?from_dashboard=3&refresh=blocking', ''] },
  ),
  wire(
    insights.update,
    { id: '9', query: { kind: 'HogQLQuery' }, dashboards: [1, 2] },
    {
      id: 'I5',
      specification: [
        'PATCH /api/projects/7/insights/9/',
        '{"query":"{\\"kind\\":\\"HogQLQuery\\"}","dashboards":[1,2]}',
      ],
      live: ['PATCH /api/projects/7/insights/9/', '{"query":{"kind":"HogQLQuery"},"dashboards":[1,2]}'],
    },
  ),
  wire(
    insights.update,
    { id: '9', deleted: false },
    {
      id: 'I5',
      about: 'sends what was asked and nothing else (O-23)',
      both: ['PATCH /api/projects/7/insights/9/', '{"deleted":false}'],
    },
  ),
  wire(insights.delete, { id: '9' }, { id: 'I6', both: ['DELETE /api/projects/7/insights/9/', ''] }),
  wire(
    insights.accessControls,
    { id: '9' },
    { id: 'I7', both: ['GET /api/projects/7/insights/9/access_controls/', ''] },
  ),
  wire(
    insights.activity,
    { id: '9', page: 3 },
    { id: 'I8', both: ['GET /api/projects/7/insights/9/activity/?page=3', ''] },
  ),
  wire(
    insights.globalAccessControls,
    { id: '9' },
    { id: 'I9', both: ['GET /api/projects/7/insights/9/global_access_controls/', ''] },
  ),
  wire(
    insights.viewed,
    { id: '9' },
    {
      id: 'I10',
      specification: ['POST /api/projects/7/insights/9/viewed/', '{}'],
      live: ['POST /api/projects/7/insights/viewed/', '{"insight_ids":[9]}'],
    },
  ),
  wire(insights.allActivity, {}, { id: 'I11', both: ['GET /api/projects/7/insights/activity/', ''] }),
  wire(
    insights.cancel,
    { client_query_id: 'c0ffee' },
    { id: 'I12', both: ['POST /api/projects/7/insights/cancel/', '{"client_query_id":"c0ffee"}'] },
  ),
];
