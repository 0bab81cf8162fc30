import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect, Endpoint, InputOf } from '../../../src/api/endpoint.ts';
import { insights } from '../../../src/api/endpoints/insights.ts';
import { persons } from '../../../src/api/endpoints/persons.ts';
import { type Stub, startStub } from '../../support/stub-server.ts';
import { makeClient } from './make-client.ts';

/** Request line and raw body, written by hand from the specification and the facts of the live service. */
type Wire = readonly [line: string, body: string];
type Case = {
  readonly id: string;
  readonly about: string;
  readonly send: (base: string, dialect: Dialect) => Promise<unknown>;
  readonly specification: Wire;
  readonly live: Wire;
};

function wire<Row extends Endpoint>(
  row: Row,
  input: InputOf<Row>,
  expected:
    | { readonly id: string; readonly about?: string; readonly both: Wire }
    | (Omit<Case, 'send' | 'about'> & { readonly about?: string }),
): Case {
  const forms = 'both' in expected ? { specification: expected.both, live: expected.both } : expected;
  return {
    id: expected.id,
    about: expected.about ?? row.summary,
    specification: forms.specification,
    live: forms.live,
    send: async (base, dialect) => {
      const { client } = makeClient(base, { dialect });
      const answer = await client.raw(row, input);
      await client.close();
      return answer;
    },
  };
}

const UUID = '0190c2f5-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
const STEPS = [{ id: 'sign up' }, { id: 'pay' }];
const STEPS_TEXT = '%5B%7B%22id%22%3A%22sign%20up%22%7D%2C%7B%22id%22%3A%22pay%22%7D%5D';

const cases: readonly Case[] = [
  wire(
    persons.list,
    {
      distinct_id: 'a b',
      email: 'ana+test@example.org',
      search: 'Zoë',
      properties: [{ key: 'plan', value: 'pro', operator: 'exact', type: 'person' }],
      limit: 50,
      offset: 100,
    },
    {
      id: 'P1',
      both: [
        'GET /api/projects/7/persons/?distinct_id=a%20b&email=ana%2Btest%40example.org&search=Zo%C3%AB&properties=%5B%7B%22key%22%3A%22plan%22%2C%22value%22%3A%22pro%22%2C%22operator%22%3A%22exact%22%2C%22type%22%3A%22person%22%7D%5D&limit=50&offset=100',
        '',
      ],
    },
  ),
  wire(persons.get, { id: UUID }, { id: 'P2', both: [`GET /api/projects/7/persons/${UUID}/`, ''] }),
  wire(
    persons.update,
    { id: '42', properties: { plan: 'pro', seats: 3, gone: null } },
    {
      id: 'P3',
      both: ['PATCH /api/projects/7/persons/42/', '{"properties":{"plan":"pro","seats":3,"gone":null}}'],
    },
  ),
  wire(
    persons.delete,
    { id: '42', delete_events: true },
    { id: 'P4', both: ['DELETE /api/projects/7/persons/42/?delete_events=true', ''] },
  ),
  wire(
    persons.delete,
    { id: '42', delete_events: false },
    { id: 'P4', about: 'a flag that is off is not sent', both: ['DELETE /api/projects/7/persons/42/', ''] },
  ),
  wire(
    persons.activity,
    { id: '42', limit: 10, page: 2 },
    { id: 'P5', both: ['GET /api/projects/7/persons/42/activity/?limit=10&page=2', ''] },
  ),
  wire(
    persons.deleteProperty,
    { id: '42', $unset: 'old plan' },
    {
      id: 'P6',
      specification: [
        'POST /api/projects/7/persons/42/delete_property/?%24unset=old%20plan',
        '{"$unset":"old plan"}',
      ],
      live: ['POST /api/projects/7/persons/42/delete_property/', '{"$unset":"old plan"}'],
    },
  ),
  wire(
    persons.timeline,
    { id: '42' },
    { id: 'P7', both: ['GET /api/projects/7/persons/42/properties_timeline/', ''] },
  ),
  wire(
    persons.split,
    { id: '42', main_distinct_id: 'ana' },
    { id: 'P8', both: ['POST /api/projects/7/persons/42/split/', '{"main_distinct_id":"ana"}'] },
  ),
  wire(
    persons.split,
    { id: '42', distinct_ids_to_split: ['b', 'c'] },
    {
      id: 'P8',
      about: 'some leave',
      both: ['POST /api/projects/7/persons/42/split/', '{"distinct_ids_to_split":["b","c"]}'],
    },
  ),
  wire(
    persons.updateProperty,
    { id: '42', key: 'plan', value: 'pro' },
    {
      id: 'P9',
      specification: [
        'POST /api/projects/7/persons/42/update_property/?key=plan&value=%22pro%22',
        '{"key":"plan","value":"pro"}',
      ],
      live: ['POST /api/projects/7/persons/42/update_property/', '{"key":"plan","value":"pro"}'],
    },
  ),
  wire(
    persons.updateProperty,
    { id: '42', key: 'note', value: 'x'.repeat(2000) },
    {
      id: 'P9',
      about: 'a value beyond 2,000 characters stays out of the address',
      specification: [
        'POST /api/projects/7/persons/42/update_property/',
        `{"key":"note","value":"${'x'.repeat(2000)}"}`,
      ],
      live: [
        'POST /api/projects/7/persons/42/update_property/',
        `{"key":"note","value":"${'x'.repeat(2000)}"}`,
      ],
    },
  ),
  wire(
    persons.allActivity,
    { limit: 5, page: 1 },
    { id: 'P10', both: ['GET /api/projects/7/persons/activity/?limit=5&page=1', ''] },
  ),
  wire(
    persons.bulkDelete,
    { ids: ['42', UUID], delete_events: true },
    {
      id: 'P11',
      specification: [
        'POST /api/projects/7/persons/bulk_delete/?delete_events=true',
        `{"ids":["42","${UUID}"],"delete_events":true}`,
      ],
      live: ['POST /api/projects/7/persons/bulk_delete/', `{"ids":["42","${UUID}"],"delete_events":true}`],
    },
  ),
  wire(
    persons.bulkDelete,
    { distinct_ids: ['7', 'a/b'], delete_events: false },
    {
      id: 'P11',
      about: 'events stay',
      both: ['POST /api/projects/7/persons/bulk_delete/', '{"distinct_ids":["7","a/b"]}'],
    },
  ),
  wire(
    persons.cohorts,
    { person_id: '42' },
    { id: 'P12', both: ['GET /api/projects/7/persons/cohorts/?person_id=42', ''] },
  ),
  wire(
    persons.cohorts,
    {},
    { id: 'P12', about: 'without a person', both: ['GET /api/projects/7/persons/cohorts/', ''] },
  ),
  wire(
    persons.funnelGet,
    { events: STEPS, date_from: '-7d', funnel_step: -2 },
    {
      id: 'P13',
      both: [`GET /api/projects/7/persons/funnel/?events=${STEPS_TEXT}&date_from=-7d&funnel_step=-2`, ''],
    },
  ),
  wire(
    persons.funnel,
    { events: STEPS, filter_test_accounts: false, funnel_step: 1, limit: 20 },
    {
      id: 'P14',
      both: [
        'POST /api/projects/7/persons/funnel/',
        '{"events":[{"id":"sign up"},{"id":"pay"}],"filter_test_accounts":false,"funnel_step":1,"limit":20}',
      ],
    },
  ),
  wire(
    persons.funnelCorrelationGet,
    { events: STEPS, funnel_correlation_person_converted: true },
    {
      id: 'P15',
      both: [
        `GET /api/projects/7/persons/funnel/correlation/?events=${STEPS_TEXT}&funnel_correlation_person_converted=true`,
        '',
      ],
    },
  ),
  wire(
    persons.funnelCorrelation,
    { events: STEPS, funnel_window_interval: 14, funnel_window_interval_type: 'DAY' },
    {
      id: 'P16',
      both: [
        'POST /api/projects/7/persons/funnel/correlation/',
        '{"events":[{"id":"sign up"},{"id":"pay"}],"funnel_window_interval":14,"funnel_window_interval_type":"DAY"}',
      ],
    },
  ),
  wire(
    persons.lifecycle,
    { events: STEPS, target_date: '2026-01-02', lifecycle_type: 'dormant' },
    {
      id: 'P17',
      both: [
        `GET /api/projects/7/persons/lifecycle/?events=${STEPS_TEXT}&target_date=2026-01-02&lifecycle_type=dormant`,
        '',
      ],
    },
  ),
  wire(
    persons.stickiness,
    { events: STEPS, interval: 'week', stickiness_days: 3, offset: 100 },
    {
      id: 'P18',
      both: [
        `GET /api/projects/7/persons/stickiness/?events=${STEPS_TEXT}&interval=week&stickiness_days=3&offset=100`,
        '',
      ],
    },
  ),
  wire(
    persons.trends,
    { date_from: '2026-01-01', date_to: '2026-01-02', entity_id: '$pageview', entity_type: 'events' },
    {
      id: 'P19',
      both: [
        'GET /api/projects/7/persons/trends/?date_from=2026-01-01&date_to=2026-01-02&entity_id=%24pageview&entity_type=events',
        '',
      ],
    },
  ),
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

const ALL =
  'P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P15 P16 P17 P18 P19 I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I13 I14 I15 I16 I17';

describe('every operation over the wire', () => {
  let stub: Stub;
  beforeAll(async () => {
    stub = await startStub([() => ({ json: {} })]);
  });
  afterAll(() => stub.close());

  it('covers all 36', () => {
    expect([...new Set(cases.map(({ id }) => id))].join(' ')).toBe(ALL);
  });

  for (const one of cases) {
    for (const dialect of ['specification', 'live'] as const) {
      it(`${one.id} in the ${dialect} form: ${one.about}`, async () => {
        await one.send(stub.origin, dialect);
        const sent = stub.log.at(-1);
        expect([`${sent?.method} ${sent?.url}`, sent?.body]).toEqual(one[dialect]);
        expect(sent?.headers.authorization).toBe('Bearer phx_TESTONLY0123456789');
        expect(sent?.headers['content-type']).toBe(one[dialect][1] === '' ? undefined : 'application/json');
      });
    }
  }
});
