import { describe, expect, it } from 'vitest';
import { openSandbox, sharedSandbox } from '../../support/open-sandbox.ts';

const VISITS = encodeURIComponent(JSON.stringify([{ id: 'visit', type: 'events', order: 0 }]));
const MAY = 'date_from=2026-05-01&date_to=2026-05-31';
const STEPS = {
  events: [
    { id: 'visit', type: 'events', order: 0 },
    { id: 'order', type: 'events', order: 1 },
  ],
  date_from: '2026-05-01',
};

const names = ({ body }: Awaited<ReturnType<Awaited<ReturnType<typeof openSandbox>>['get']>>) =>
  body.results[0].people.map(({ name }: { name: string }) => name);

const shared = sharedSandbox();
const sample = sharedSandbox({ data: 'sample', now: undefined });
const live = sharedSandbox({ dialect: 'live' });

describe('the people behind a number, specification dialect', () => {
  it('are those of a funnel step, with GET and POST', async () => {
    const { get, post } = shared();
    expect(names(await post('persons/funnel/', { ...STEPS, funnel_step: 2 }))).toEqual([
      'ana.berg@example.org',
    ]);
    expect(names(await post('persons/funnel/', { ...STEPS, funnel_step: -2 }))).toEqual(['ben@example.org']);
    const events = encodeURIComponent(JSON.stringify(STEPS.events));
    const got = await get(`persons/funnel/?events=${events}&date_from=2026-05-01&funnel_step=1`);
    expect(names(got)).toEqual(['ana.berg@example.org', 'ben@example.org']);
    expect(got.body).toMatchObject({ next: null, missing_persons: 0, is_cached: false });
  });

  it('may be asked for inside of properties, as the specification shows the body', async () => {
    const { post } = shared();
    expect(names(await post('persons/funnel/', { properties: { ...STEPS, funnel_step: 2 } }))).toEqual([
      'ana.berg@example.org',
    ]);
  });

  it('come in pages that next leads through, whatever the method', async () => {
    const { get, post } = sample();
    const events = [{ id: '$pageview' }, { id: 'product_viewed' }];
    const body = { events, date_from: '-60d', funnel_step: 2 };
    const first = (await post('persons/funnel/', body)).body;
    expect(first.results[0]).toMatchObject({ count: 100 });
    const second = (await post(new URL(first.next).pathname + new URL(first.next).search, body)).body;
    const [one, two] = [first, second].map(({ results }) =>
      results[0].people.map(({ id }: { id: number }) => id),
    );
    expect(new Set([...one, ...two]).size).toBe(200);
    const query = `events=${encodeURIComponent(JSON.stringify(events))}&date_from=-60d&funnel_step=2`;
    const third = (await get(`persons/funnel/?${query}&limit=150&offset=100`)).body;
    expect(third.results[0].people.slice(0, 100).map(({ id }: { id: number }) => id)).toEqual(two);
    expect((await post('persons/funnel/', { ...body, limit: 0 })).status).toBe(400);
  });

  it('come in pages of the size that was asked for, behind a correlation as well', async () => {
    const { post } = sample();
    const body = {
      events: [{ id: '$pageview' }, { id: 'product_viewed' }, { id: 'order_completed' }],
      date_from: '-60d',
      funnel_correlation_type: 'events',
      funnel_correlation_person_entity: { id: 'added_to_basket', type: 'events' },
      funnel_correlation_person_converted: 'true',
    };
    const sizes: number[] = [];
    const seen = new Set<number>();
    let path: string | null = 'persons/funnel/correlation/?limit=150';
    while (path !== null) {
      const { body: page } = await post(path, body);
      sizes.push(page.results[0].people.length);
      for (const { id } of page.results[0].people) seen.add(id);
      path = page.next === null ? null : new URL(page.next).pathname + new URL(page.next).search;
    }
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.slice(0, -1).every((size) => size === 150)).toBe(true);
    expect(seen.size).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const inBody = await post('persons/funnel/correlation/', { ...body, limit: 150 });
    expect(inBody.body.results[0].count).toBe(150);
    const all = await post('persons/funnel/correlation/', { properties: { ...body, limit: 1000 } });
    expect(all.body).toMatchObject({ results: [{ count: seen.size }], next: null });
  });

  it('are counted when their profile is gone, and cannot be shown', async () => {
    const { post, del } = await openSandbox();
    await del('persons/1/');
    const { body } = await post('persons/funnel/', { ...STEPS, funnel_step: 1 });
    expect(body.results[0]).toMatchObject({ count: 1, people: [{ name: 'ben@example.org' }] });
    expect(body.missing_persons).toBe(1);
    expect((await post('insights/funnel/', STEPS)).body.result[0].count).toBe(2);
  });

  it('are those of a lifecycle on one day', async () => {
    const { get } = shared();
    const answer = await get(
      `persons/lifecycle/?events=${VISITS}&${MAY}&lifecycle_type=dormant&target_date=2026-05-03`,
    );
    expect(names(answer)).toEqual(['ana.berg@example.org']);
  });

  it('are those who did it on a number of days', async () => {
    const { get } = shared();
    const ask = (days: number) => get(`persons/stickiness/?events=${VISITS}&${MAY}&stickiness_days=${days}`);
    expect(names(await ask(2))).toEqual(['ana.berg@example.org']);
    expect(names(await ask(1))).toEqual(['ben@example.org']);
  });

  it('are those behind a point of a trend', async () => {
    const { get } = shared();
    const day = (date: string) =>
      get(`persons/trends/?entity_id=visit&entity_type=events&date_from=${date}&date_to=${date}`);
    expect(names(await day('2026-05-01'))).toEqual(['ana.berg@example.org', 'ben@example.org']);
    expect(names(await day('2026-05-02'))).toEqual(['ana.berg@example.org']);
  });

  const SIGN_UPS = {
    persons: ['before', 'fifth', 'seventh', 'last', 'after'].map((id) => ({
      distinct_ids: [id],
      created_at: '2019-01-01T00:00:00Z',
    })),
    events: [
      ['before', '2019-10-31T23:59:59Z'],
      ['fifth', '2019-11-05T08:10:00Z'],
      ['seventh', '2019-11-07T08:59:59Z'],
      ['last', '2019-11-30T23:59:59Z'],
      ['after', '2019-12-01T00:00:00Z'],
    ].map(([id = '', timestamp = '']) => ({ distinct_id: id, event: 'sign up', timestamp })),
  };
  const signedUp = sharedSandbox({ data: SIGN_UPS });

  it.each([
    ['2019-11-01', 'month', ['fifth', 'seventh', 'last']],
    ['2019-11-15', 'month', ['fifth', 'seventh', 'last']],
    // The week from Sunday, 3 November.
    ['2019-11-03', 'week', ['fifth', 'seventh']],
    ['2019-11-06', 'week', ['fifth', 'seventh']],
    ['2019-11-05', 'day', ['fifth']],
    ['2019-11-05 08:00', 'hour', ['fifth']],
    ['2019-11-05 08:30', 'hour', ['fifth']],
    ['2019-11-05 09:00', 'hour', []],
  ])('are those of the whole period behind the point %s by %s', async (day, interval, expected) => {
    const { get, post } = signedUp();
    const address = new URLSearchParams({ entity_id: 'sign up', date_from: day, date_to: day, interval });
    expect(names(await get(`persons/trends/?${address}`)).toSorted()).toEqual(expected.toSorted());
    const source = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'sign up' }],
      interval,
      dateRange: { date_from: '2019-10-01', date_to: '2019-12-31' },
    };
    const query = {
      kind: 'ActorsQuery',
      select: ['name'],
      source: { kind: 'InsightActorsQuery', source, day, series: 0 },
    };
    const { results } = (await post('query/', { query })).body;
    expect(results.flat().toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    ['2019-11-01', 'month'],
    ['2019-11-04', 'week'],
    ['2019-11-05', 'day'],
    ['2019-11-05 08:00', 'hour'],
  ])('are those of the whole period of a lifecycle: %s by %s', async (day, interval) => {
    const { get, post } = signedUp();
    const range = { date_from: '2019-11-01', date_to: '2019-11-30' };
    const events = JSON.stringify([{ id: 'sign up' }]);
    const point = { lifecycle_type: 'resurrecting', target_date: day };
    const listed = names(
      await get(`persons/lifecycle/?${new URLSearchParams({ events, interval, ...range, ...point })}`),
    );
    const expected = {
      month: ['fifth', 'last', 'seventh'],
      week: ['fifth', 'seventh'],
      day: ['fifth'],
      hour: ['fifth'],
    };
    expect(listed.toSorted()).toEqual(expected[interval as keyof typeof expected]);
    const series = [{ kind: 'EventsNode', event: 'sign up' }];
    const source = { kind: 'LifecycleQuery', series, interval, dateRange: range };
    const query = {
      kind: 'ActorsQuery',
      select: ['name'],
      source: { kind: 'InsightActorsQuery', source, day, status: 'resurrecting' },
    };
    expect((await post('query/', { query })).body.results.flat().toSorted()).toEqual(listed.toSorted());
  });

  it.each([
    'funnel/',
    'funnel/correlation/',
    'lifecycle/',
    'stickiness/',
    'trends/',
    'funnel/?funnel_step=1',
    `lifecycle/?events=${VISITS}&lifecycle_type=lost`,
    `trends/?events=${VISITS}&date_from=never`,
  ])('are refused in the documented shape where the question is not whole: %s', async (path) => {
    const { get } = shared();
    const { status, body } = await get(`persons/${path}`);
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(['type', 'code', 'detail', 'attr']);
  });
});

describe('the people behind a number, live dialect', () => {
  it.each([
    ['GET', 'funnel/', 403],
    ['POST', 'funnel/', 403],
    ['GET', 'funnel/correlation/', 403],
    ['POST', 'funnel/correlation/', 403],
    ['GET', 'lifecycle/', 403],
    ['GET', 'stickiness/', 404],
    ['GET', 'trends/', 403],
  ])('are closed to keys: %s %s is %i', async (method, path, status) => {
    const { call } = live();
    expect((await call(method, `persons/${path}`, method === 'GET' ? undefined : {})).status).toBe(status);
  });
});
