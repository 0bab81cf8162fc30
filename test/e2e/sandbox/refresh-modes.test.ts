import { describe, expect, it } from 'vitest';
import { openSandbox } from '../../support/open-sandbox.ts';

const TREND = {
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'visit' }],
    dateRange: { date_from: '2026-05-01', date_to: '2026-05-03' },
  },
};

type Open = Awaited<ReturnType<typeof openSandbox>>;

async function openWithInsight(settings: Parameters<typeof openSandbox>[0] = {}, query: unknown = TREND) {
  const open = await openSandbox(settings);
  const isLive = settings.dialect === 'live';
  await open.post('insights/', { saved: true, query: isLive ? query : JSON.stringify(query) });
  return open;
}

const show = async ({ get }: Open, mode: string) => (await get(`insights/1/?refresh=${mode}`)).body;

const advance = ({ call }: Open, to: string) => call('POST', '/_sandbox/advance/', { to });

/** Asks until the query has ended, which the status says; each question lets the calculation go on. */
async function followToEnd({ get }: Open, id: string) {
  for (;;) {
    const answer = await get(`query/${id}/`);
    if (answer.status !== 202) return answer;
    expect(answer.body.query_status).toMatchObject({ id, complete: false, results: null });
  }
}

describe.each(['specification', 'live'] as const)('refreshing an insight, %s dialect', (dialect) => {
  it('never calculates with force_cache, which is the default', async () => {
    const open = await openWithInsight({ dialect });
    for (const answer of [await show(open, 'force_cache'), (await open.get('insights/1/')).body]) {
      expect(answer).toMatchObject({
        result: null,
        last_refresh: null,
        is_cached: false,
        query_status: null,
      });
    }
  });

  it.each(['blocking', 'force_blocking', 'async_except_on_cache_miss'])(
    'calculates at once with %s where there is no result',
    async (mode) => {
      const open = await openWithInsight({ dialect });
      const answer = await show(open, mode);
      expect(answer.result[0]).toMatchObject({ data: [2, 1, 0], count: 3 });
      expect(answer).toMatchObject({
        is_cached: false,
        last_refresh: '2026-06-17T12:00:00Z',
        next_allowed_client_refresh: '2026-06-17T12:03:00Z',
        cache_target_age: '2026-06-17T13:00:00Z',
        query_status: null,
        timezone: 'UTC',
      });
      expect(await show(open, 'force_cache')).toMatchObject({ is_cached: true, result: answer.result });
    },
  );

  it.each(['async', 'lazy_async', 'force_async'])('calculates in the background with %s', async (mode) => {
    const open = await openWithInsight({ dialect });
    const started = await show(open, mode);
    expect(started).toMatchObject({
      result: null,
      query_status: { complete: false, error: false, insight_id: 1 },
    });
    const ended = await followToEnd(open, started.query_status.id);
    expect(ended).toMatchObject({
      status: 200,
      body: { query_status: { complete: true, error: false, results: { results: [{ count: 3 }] } } },
    });
    expect((await show(open, 'force_cache')).result[0].count).toBe(3);
  });

  it('answers a very fresh result with all modes but the two that force', async () => {
    const open = await openWithInsight({ dialect });
    await show(open, 'blocking');
    for (const mode of ['blocking', 'async', 'lazy_async', 'async_except_on_cache_miss', 'force_cache']) {
      expect(await show(open, mode), mode).toMatchObject({ is_cached: true, query_status: null });
    }
    expect(await show(open, 'force_blocking')).toMatchObject({ is_cached: false });
    const forced = await show(open, 'force_async');
    expect(forced).toMatchObject({ is_cached: true, query_status: { complete: false } });
    expect(forced.result[0].count).toBe(3);
  });

  it('takes a result of half an hour as fresh enough for lazy_async alone', async () => {
    const open = await openWithInsight({ dialect });
    await show(open, 'blocking');
    await advance(open, '2026-06-17T12:30:00Z');
    expect((await show(open, 'lazy_async')).query_status).toBeNull();
    const background = await show(open, 'async_except_on_cache_miss');
    expect(background).toMatchObject({ is_cached: true, query_status: { complete: false } });
    await followToEnd(open, background.query_status.id);
    expect(await show(open, 'force_cache')).toMatchObject({ last_refresh: '2026-06-17T12:30:00Z' });
    await advance(open, '2026-06-17T13:31:00Z');
    expect((await show(open, 'lazy_async')).query_status).toMatchObject({ complete: false });
  });

  it('calculates again once persons or events have changed', async () => {
    const open = await openWithInsight({ dialect });
    await show(open, 'blocking');
    await open.del('persons/3/');
    expect(await show(open, 'lazy_async')).toMatchObject({ is_cached: true, query_status: null });
    expect(await show(open, 'blocking')).toMatchObject({ is_cached: false });
    // The person is gone and the events are still there.
    expect((await show(open, 'force_cache')).result[0].count).toBe(3);
  });

  it('refreshes every row of a list', async () => {
    const open = await openWithInsight({ dialect });
    const { results } = (await open.get('insights/?refresh=blocking')).body;
    expect(results[0].result[0].count).toBe(3);
    expect((await open.get('insights/')).body.results[0]).toMatchObject({ is_cached: true });
  });

  it('says in query_status why there is no result', async () => {
    const open = await openWithInsight(
      { dialect },
      { kind: 'InsightVizNode', source: { kind: 'PathsQuery' } },
    );
    const { status, body } = await open.get('insights/1/?refresh=blocking');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: null,
      query_status: {
        complete: true,
        error: true,
        error_message: 'Queries of the kind "PathsQuery" are not supported here.',
      },
    });
  });

  it('says in the status of a background query why it failed', async () => {
    const query = {
      kind: 'DataVisualizationNode',
      source: { kind: 'HogQLQuery', query: 'select nothing from events' },
    };
    const open = await openWithInsight({ dialect }, query);
    const { query_status: started } = await show(open, 'async');
    const ended = await followToEnd(open, started.id);
    expect(ended.status).toBe(400);
    expect(ended.body.query_status).toMatchObject({ complete: true, error: true, results: null });
    expect(ended.body.query_status.error_message).toContain('nothing');
  });

  it('applies filters and dates of a dashboard, and keeps that result apart', async () => {
    const dashboards = [
      {
        id: 7,
        name: 'pro in May',
        filters: {
          date_from: '2026-05-02',
          date_to: '2026-05-02',
          properties: [{ key: 'plan', value: 'pro', type: 'person' }],
        },
      },
    ];
    const { PEOPLE } = await import('../../support/open-sandbox.ts');
    const open = await openWithInsight({ dialect, data: { ...PEOPLE, project: { dashboards } } });
    const { body } = await open.get('insights/1/?refresh=blocking&from_dashboard=7');
    expect(body.result[0]).toMatchObject({ data: [1], count: 1 });
    expect((await show(open, 'force_cache')).result).toBeNull();
    expect((await open.get('insights/1/?from_dashboard=7')).body.result[0].count).toBe(1);
    expect((await open.get('insights/1/?from_dashboard=8')).status).toBe(404);
  });
});

describe('results that are kept', () => {
  it('belong to the query: another one has none yet', async () => {
    const open = await openWithInsight();
    await show(open, 'blocking');
    await open.patch('insights/1/', {
      query: JSON.stringify({ ...TREND, source: { ...TREND.source, interval: 'month' } }),
    });
    expect((await show(open, 'force_cache')).result).toBeNull();
    await open.patch('insights/1/', { query: JSON.stringify(TREND) });
    expect((await show(open, 'force_cache')).result[0].count).toBe(3);
  });

  it('are gone after a reset', async () => {
    const open = await openWithInsight();
    await show(open, 'blocking');
    await open.call('POST', '/_sandbox/reset/');
    await open.post('insights/', { query: JSON.stringify(TREND) });
    expect((await show(open, 'force_cache')).result).toBeNull();
  });

  it('are calculated from old filters where there is no query', async () => {
    const open = await openSandbox();
    const filters = {
      insight: 'FUNNELS',
      events: [{ id: 'visit' }, { id: 'order' }],
      date_from: '2026-05-01',
    };
    await open.post('insights/', { filters });
    const { result } = await show(open, 'blocking');
    expect(result.map(({ count }: { count: number }) => count)).toEqual([2, 1]);
  });

  it('take true and nothing for force_blocking in the live dialect', async () => {
    const open = await openWithInsight({ dialect: 'live' });
    for (const mode of ['true', '']) expect(await show(open, mode)).toMatchObject({ is_cached: false });
  });
});
