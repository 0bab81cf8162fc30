import { describe, expect, it } from 'vitest';
import { NOW, openSandbox, sharedSandbox } from '../../support/open-sandbox.ts';

const SERIES = [
  { kind: 'EventsNode', event: 'visit' },
  { kind: 'EventsNode', event: 'order' },
];
const MAY = { date_from: '2026-05-01', date_to: '2026-05-03' };
const FUNNEL = { kind: 'FunnelsQuery', series: SERIES, dateRange: MAY };
const TREND = { kind: 'TrendsQuery', series: [SERIES[0]], dateRange: MAY };
const LIFE = { kind: 'LifecycleQuery', series: [SERIES[0]], dateRange: MAY };
const STICKY = { kind: 'StickinessQuery', series: [SERIES[0]], dateRange: MAY };
/** Runs for the minute that a query may take here, unless it is cancelled: `AT_ONCE` is less than that. */
const SLOW = {
  kind: 'HogQLQuery',
  query: 'select count() from numbers(10000000) a, numbers(100000) b where a.number + b.number = 7',
};

const AT_ONCE = { timeout: 50_000 };

type Open = Awaited<ReturnType<typeof openSandbox>>;

const run = async ({ post }: Open, query: unknown, more: Record<string, unknown> = {}) =>
  post('query/', { query, ...more });

const actors = (source: unknown, more: Record<string, unknown> = {}) => ({
  kind: 'ActorsQuery',
  select: ['properties.email'],
  source,
  ...more,
});

async function followToEnd({ get }: Open, id: string) {
  for (;;) {
    const answer = await get(`query/${id}/`);
    if (answer.status !== 202) return answer;
  }
}

describe.each(['specification', 'live'] as const)('a query, %s dialect', (dialect) => {
  const shared = sharedSandbox({ dialect });
  it.each<[string, unknown, unknown]>([
    ['trends', TREND, [{ data: [2, 1, 0] }]],
    ['a funnel', FUNNEL, [{ count: 2 }, { count: 1 }]],
    ['a funnel in its frame', { kind: 'InsightVizNode', source: FUNNEL }, [{ count: 2 }, { count: 1 }]],
    [
      'a lifecycle',
      LIFE,
      [{ status: 'new' }, { status: 'returning' }, { status: 'resurrecting' }, { status: 'dormant' }],
    ],
    ['stickiness', STICKY, [{ data: [1, 1, 0] }]],
    [
      'retention',
      {
        kind: 'RetentionQuery',
        dateRange: MAY,
        retentionFilter: {
          period: 'Day',
          totalIntervals: 3,
          targetEntity: { id: 'visit', type: 'events' },
          returningEntity: { id: 'visit', type: 'events' },
        },
      },
      [
        { values: [{ count: 2 }, { count: 1 }, { count: 0 }] },
        { values: [{ count: 1 }, { count: 0 }] },
        { values: [{ count: 0 }] },
      ],
    ],
    ['SQL in its frame', { kind: 'DataTableNode', source: { kind: 'HogQLQuery', query: 'select 1' } }, [[1]]],
    [
      'a correlation',
      {
        kind: 'FunnelCorrelationQuery',
        source: { kind: 'FunnelsActorsQuery', source: FUNNEL },
        funnelCorrelationType: 'events',
      },
      { events: [], skewed: false },
    ],
  ])('calculates %s', async (_name, query, expected) => {
    const { status, body } = await run(await openSandbox({ dialect }), query);
    expect(status).toBe(200);
    expect(body.results).toMatchObject(expected as object);
    expect(body).toMatchObject({ is_cached: false, last_refresh: NOW, error: null, query_status: null });
  });

  it.each<[string, unknown, unknown]>([
    ['a funnel step', { kind: 'FunnelsActorsQuery', source: FUNNEL, funnelStep: -2 }, [['ben@example.org']]],
    [
      'a point of a trend',
      { kind: 'InsightActorsQuery', source: TREND, day: '2026-05-02', series: 0 },
      [['ana.berg@example.org']],
    ],
    [
      'a lifecycle',
      { kind: 'InsightActorsQuery', source: LIFE, day: '2026-05-03', status: 'dormant' },
      [['ana.berg@example.org']],
    ],
    ['stickiness', { kind: 'StickinessActorsQuery', source: STICKY, day: 1 }, [['ben@example.org']]],
    [
      'a correlation',
      {
        kind: 'FunnelCorrelationActorsQuery',
        source: {
          kind: 'FunnelCorrelationQuery',
          source: { kind: 'FunnelsActorsQuery', source: FUNNEL },
          funnelCorrelationType: 'events',
        },
        funnelCorrelationPersonConverted: true,
        funnelCorrelationPropertyValues: [{ key: 'plan', operator: 'exact', value: 'pro', type: 'person' }],
      },
      [['ana.berg@example.org']],
    ],
  ])('lists the actors of %s', async (_name, source, expected) => {
    const { status, body } = await run(shared(), actors(source));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: expected,
      columns: ['email'],
      hasMore: false,
      missing_actors_count: 0,
    });
  });

  it('lists actors in the order of select, page by page', async () => {
    const open = await openSandbox({ dialect });
    const source = { kind: 'FunnelsActorsQuery', source: FUNNEL, funnelStep: 1 };
    const select = ['id', 'properties.plan', 'person.properties.seats', 'created_at', 'actor'];
    const { body } = await run(open, actors(source, { select, limit: 1 }));
    const [[id, plan, seats, createdAt, actor]] = body.results;
    expect([plan, seats, createdAt]).toEqual(['pro', 12, '2026-01-01T00:00:00Z']);
    expect(actor).toMatchObject({ uuid: id, distinct_ids: ['ana', 'ana-phone'] });
    expect(body).toMatchObject({ hasMore: true, limit: 1, offset: 0 });
    const second = await run(open, actors(source, { limit: 1, offset: 1 }));
    expect(second.body).toMatchObject({ results: [['ben@example.org']], hasMore: false });
  });

  it('says how many actors have no profile any more', async () => {
    const open = await openSandbox({ dialect });
    await open.del('persons/1/');
    const { body } = await run(open, actors({ kind: 'FunnelsActorsQuery', source: FUNNEL, funnelStep: 1 }));
    expect(body).toMatchObject({ results: [['ben@example.org']], missing_actors_count: 1 });
  });

  it('lists persons without a source', async () => {
    const open = await openSandbox({ dialect });
    const properties = [{ key: 'plan', operator: 'exact', value: 'free', type: 'person' }];
    const { body } = await run(open, { kind: 'ActorsQuery', select: ['name'], properties });
    expect(body.results).toEqual([['ben@example.org'], ['Carla']]);
    expect(
      (await run(open, { kind: 'ActorsQuery', select: ['name'], search: 'ana.b' })).body.results,
    ).toHaveLength(1);
  });

  const warehouse = { distinct_id_field: 'a', id: 'b', id_field: 'c', table_name: 'd', timestamp_field: 'e' };
  it.each<unknown>([
    { kind: 'PathsQuery' },
    { query: 'select 1' },
    { kind: 'FunnelsQuery', series: [SERIES[0]] },
    { kind: 'TrendsQuery', series: [{ kind: 'DataWarehouseNode', ...warehouse }] },
    { kind: 'ActorsQuery', source: { kind: 'HogQLQuery', query: 'select 1' } },
    { kind: 'ActorsQuery', select: ['count()'] },
    { kind: 'ActorsQuery', orderBy: ['id'] },
    { kind: 'ActorsQuery', limit: 50_001 },
  ])('refuses %j in a sentence', async (query) => {
    const answer = await run(shared(), query);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ type: 'validation_error', detail: expect.stringMatching(/\.$/) });
  });

  it.each([
    [{ kind: 'SomethingNew' }, 'kind'],
    [{ kind: 'HogQLQuery' }, 'query'],
    [{ ...TREND, date_from: '-7d' }, 'date_from'],
    [{ ...TREND, interval: 'fortnight' }, 'interval'],
    [{ ...TREND, series: 'x' }, 'series'],
    [{ kind: 'RetentionQuery', retentionFilter: { period: 'day' } }, 'retentionFilter.period'],
    [
      { ...FUNNEL, funnelsFilter: { funnelWindowIntervalUnit: 'days' } },
      'funnelsFilter.funnelWindowIntervalUnit',
    ],
    [{ kind: 'ActorsQuery', source: { kind: 'PathsActorsQuery' } }, 'source.kind'],
  ])('refuses %j as no query that the service knows', async (query, place) => {
    const { status, body } = await run(shared(), query);
    expect([status, body.type, body.code]).toEqual([400, 'invalid_request', 'parse_error']);
    expect(body.detail.split('\n').slice(0, 2)).toEqual(['1 validation error for QuerySchemaRoot', place]);
  });

  it('runs in the background, is polled, and is there afterwards', async () => {
    const open = await openSandbox({ dialect });
    const started = await run(open, FUNNEL, { refresh: 'async', client_query_id: 'mine' });
    expect(started).toMatchObject({
      status: 202,
      body: { results: null, query_status: { id: 'mine', complete: false, error: false, team_id: 1 } },
    });
    const ended = await followToEnd(open, 'mine');
    expect(ended.status).toBe(200);
    expect(ended.body.query_status.results).toMatchObject({ results: [{ count: 2 }, { count: 1 }] });
    expect((await run(open, FUNNEL, { refresh: 'async' })).body).toMatchObject({
      is_cached: true,
      results: [{ count: 2 }, { count: 1 }],
    });
  });

  it('answers others while a long one runs, and is cancelled', AT_ONCE, async () => {
    const open = await openSandbox({ dialect });
    await run(open, SLOW, { refresh: 'async', client_query_id: 'slow' });
    expect((await open.get('persons/1/')).status).toBe(200);
    expect((await open.get('query/slow/')).status).toBe(202);
    expect(await open.del('query/slow/')).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    const { status, body } = await followToEnd(open, 'slow');
    expect(status).toBe(400);
    expect(body.query_status).toMatchObject({
      complete: true,
      error: true,
      error_message: 'The query was cancelled.',
    });
  });

  it('is cancelled while its caller waits for it', AT_ONCE, async () => {
    const open = await openSandbox({ dialect });
    const waiting = run(open, SLOW, { client_query_id: 'waiting' });
    // The request may not have arrived yet.
    while ((await open.del('query/waiting/')).status === 404);
    expect(await waiting).toMatchObject({ status: 400, body: { code: 'query_cancelled' } });
  });

  it('is not known before it starts, nor after 20 minutes', async () => {
    const open = await openSandbox({ dialect });
    expect((await open.get('query/mine/')).status).toBe(404);
    expect((await open.del('query/mine/')).status).toBe(404);
    await run(open, TREND, { refresh: 'force_async', client_query_id: 'mine' });
    await followToEnd(open, 'mine');
    await open.call('POST', '/_sandbox/advance/', { to: '2026-06-17T12:20:01Z' });
    expect((await open.get('query/mine/')).status).toBe(404);
  });

  it('sees the data of the moment it was asked at', async () => {
    const open = await openSandbox({ dialect });
    await run(
      open,
      { kind: 'HogQLQuery', query: 'select count() from persons' },
      { refresh: 'async', client_query_id: 'count' },
    );
    await open.del('persons/1/');
    const { body } = await followToEnd(open, 'count');
    expect(body.query_status.results.results).toEqual([[3]]);
  });

  it('counts events that belong to nobody', async () => {
    const open = await openSandbox({
      dialect,
      data: {
        events: ['x', 'y', 'x'].map((id) => ({
          distinct_id: id,
          event: 'visit',
          timestamp: '2026-05-02T10:00:00Z',
        })),
      },
    });
    expect((await run(open, TREND)).body.results[0].data).toEqual([0, 3, 0]);
    const daily = { ...TREND, series: [{ kind: 'EventsNode', event: 'visit', math: 'dau' }] };
    expect((await run(open, daily)).body.results[0].data).toEqual([0, 2, 0]);
    const source = { kind: 'InsightActorsQuery', source: TREND, day: '2026-05-02' };
    expect((await run(open, actors(source))).body).toMatchObject({ results: [], missing_actors_count: 2 });
  });

  it('needs the scope query:read', async () => {
    const { call } = await openSandbox({ dialect });
    const { status, body } = await call('POST', 'query/', { query: TREND }, 'phx_reading');
    expect([status, body.code]).toEqual([403, 'permission_denied']);
  });
});

describe('trends of stored events', () => {
  it.each([
    ['unique_session', 2],
    ['unique_group', 3],
  ])('count by %s', async (math, expected) => {
    const visit = (hour: number, $session_id: string) => ({
      distinct_id: 'ana',
      event: 'visit',
      timestamp: `2026-05-01T0${hour}:00:00Z`,
      properties: { $session_id, $group_0: `group ${hour}` },
    });
    const data = { events: [visit(1, 'one'), visit(2, 'one'), visit(3, 'two')] };
    const open = await openSandbox({ data });
    const query = { ...TREND, series: [{ ...SERIES[0], math }] };
    expect((await run(open, query)).body.results[0].data).toEqual([expected, 0, 0]);
  });
});

describe('cancelling a calculation', () => {
  it('takes the id that the caller chose, in the specification', AT_ONCE, async () => {
    const open = await openSandbox();
    await run(open, SLOW, { refresh: 'async', client_query_id: 'slow' });
    expect(await open.post('insights/cancel/', { client_query_id: 'slow' })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await followToEnd(open, 'slow')).body.query_status.error).toBe(true);
    expect((await open.post('insights/cancel/', {})).body).toMatchObject({
      attr: 'client_query_id',
      code: 'required',
    });
    expect((await open.post('insights/cancel/', { client_query_id: 'other' })).status).toBe(404);
  });

  it('is closed to keys in the live service', async () => {
    const { post } = await openSandbox({ dialect: 'live' });
    expect((await post('insights/cancel/', { client_query_id: 'slow' })).status).toBe(403);
  });

  it('happens to all that runs when the sandbox stops', AT_ONCE, async () => {
    // With a port, so that it is no borrowed one, which stays.
    const open = await openSandbox({ port: 0 });
    await run(open, SLOW, { refresh: 'async' });
    await open.sandbox.stop();
    await expect(open.get('persons/')).rejects.toThrow();
  });
});
