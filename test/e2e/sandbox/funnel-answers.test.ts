import { describe, expect, it } from 'vitest';
import { NOW, openSandbox, send } from '../../support/open-sandbox.ts';

const FUNNEL = {
  events: [
    { id: 'visit', type: 'events', order: 0 },
    { id: 'order', type: 'events', order: 1 },
  ],
  date_from: '2026-05-01',
  date_to: '2026-05-31',
};

const asQuery = (body: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(body).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

const names = (people: readonly { name: string }[]) => people.map(({ name }) => name);

describe('the result of a funnel', () => {
  it('has the types of the specification, and addresses that list the people', async () => {
    const { post, sandbox } = await openSandbox();
    const { status, body } = await post('insights/funnel/', FUNNEL);
    expect(status).toBe(200);
    expect(body).toMatchObject({ is_cached: false, last_refresh: NOW, timezone: 'UTC' });
    expect(body.result).toMatchObject([
      { order: '0', action_id: 'visit', count: 2, average_conversion_time: null, dropped_people_url: null },
      { order: '1', action_id: 'order', count: 1, average_conversion_time: 86_400 },
    ]);
    const [first, second] = body.result;
    const follow = async (address: string) => {
      expect(new URL(address).origin).toBe(sandbox.origin);
      return names((await send('GET', new URL(address), { key: 'phx_everything' })).body.results[0].people);
    };
    expect(await follow(first.converted_people_url)).toEqual(['ana.berg@example.org', 'ben@example.org']);
    expect(await follow(second.converted_people_url)).toEqual(['ana.berg@example.org']);
    expect(await follow(second.dropped_people_url)).toEqual(['ben@example.org']);
  });

  it('leads to the people of one value of a breakdown', async () => {
    const { post } = await openSandbox();
    const { body } = await post('insights/funnel/', {
      ...FUNNEL,
      breakdown: 'plan',
      breakdown_type: 'person',
    });
    expect(body.result).toHaveLength(2);
    const [[{ breakdown_value, converted_people_url }]] = body.result;
    expect(breakdown_value).toEqual(['pro']);
    const { results } = (await send('GET', new URL(converted_people_url), { key: 'phx_everything' })).body;
    expect(names(results[0].people)).toEqual(['ana.berg@example.org']);
  });

  it('has the shape of the live service in the live dialect', async () => {
    const { post } = await openSandbox({ dialect: 'live' });
    const { result } = (await post('insights/funnel/', FUNNEL)).body;
    expect(result[1]).toMatchObject({
      order: 1,
      action_id: 'order',
      name: 'order',
      people: [],
      type: 'events',
    });
    expect(result[1]).not.toHaveProperty('converted_people_url');
  });

  it.each(['specification', 'live'] as const)('is the same with GET, %s dialect', async (dialect) => {
    const { get, post } = await openSandbox({ dialect });
    const [got, posted] = [
      await get(`insights/funnel/?${asQuery(FUNNEL)}`),
      await post('insights/funnel/', FUNNEL),
    ];
    expect(got.status).toBe(200);
    const counts = (answer: typeof got) => answer.body.result.map(({ count }: { count: number }) => count);
    expect(counts(got)).toEqual([2, 1]);
    expect(counts(posted)).toEqual([2, 1]);
  });

  it('is kept while it is very fresh, unless it is forced', async () => {
    const { post } = await openSandbox();
    await post('insights/funnel/', FUNNEL);
    expect((await post('insights/funnel/', FUNNEL)).body.is_cached).toBe(true);
    const forced = await post('insights/funnel/', { ...FUNNEL, refresh: 'force_blocking' });
    expect(forced.body.is_cached).toBe(false);
  });

  it('refuses a funnel that is none, in the shape of all errors', async () => {
    const { post } = await openSandbox();
    expect(await post('insights/funnel/', {})).toMatchObject({
      status: 400,
      body: { type: 'validation_error', code: 'funnels_require_at_least_two_steps', attr: null },
    });
    expect((await post('insights/funnel/', { ...FUNNEL, breakdown_limit: 0 })).body.attr).toBe(
      'breakdown_limit',
    );
  });

  it('comes as CSV, too', async () => {
    const { post } = await openSandbox();
    const { type, text } = await post('insights/funnel/?format=csv', FUNNEL);
    expect(type).toContain('text/csv');
    expect(text).toContain('visit');
  });
});

describe('what correlates with converting', () => {
  const data = {
    persons: ['a', 'b', 'c', 'd'].map((id) => ({
      distinct_ids: [id],
      properties: { plan: id < 'c' ? 'pro' : 'free' },
    })),
    events: ['a', 'b', 'c', 'd'].flatMap((id) => [
      { distinct_id: id, event: 'visit', timestamp: '2026-05-01T10:00:00Z' },
      { distinct_id: id, event: id < 'c' ? 'helped' : 'failed', timestamp: '2026-05-01T11:00:00Z' },
      ...(id < 'c' ? [{ distinct_id: id, event: 'order', timestamp: '2026-05-01T12:00:00Z' }] : []),
    ]),
  };

  it('is calculated from options in filters, or in the address', async () => {
    const { get, post } = await openSandbox({ data });
    const { body, status } = await post('insights/funnel/correlation/', { filters: FUNNEL });
    expect(status).toBe(200);
    expect(body.result.events).toMatchObject([
      {
        event: { event: 'helped' },
        success_count: 2,
        failure_count: 0,
        odds_ratio: 9,
        correlation_type: 'success',
      },
      { event: { event: 'failed' }, success_count: 0, failure_count: 2, correlation_type: 'failure' },
    ]);
    expect((await get(`insights/funnel/correlation/?${asQuery(FUNNEL)}`)).body.result).toEqual(body.result);
  });

  it('names an action that does not exist, in a funnel as well', async () => {
    const { post } = await openSandbox({ data });
    const body = {
      actions: [{ id: 666, order: 0 }],
      events: [{ id: 'a', order: 1 }],
      date_from: '2020-01-01',
    };
    for (const path of ['insights/funnel/', 'insights/funnel/correlation/']) {
      expect(await post(path, body)).toMatchObject({
        status: 400,
        body: { type: 'validation_error', detail: 'Action ID 666 does not exist!' },
      });
    }
  });

  it('leads to the people behind an event', async () => {
    const { get, post } = await openSandbox({ data });
    const body = {
      ...FUNNEL,
      funnel_correlation_person_entity: { id: 'failed', type: 'events' },
      funnel_correlation_person_converted: false,
    };
    const { results } = (await post('persons/funnel/correlation/', body)).body;
    expect(names(results[0].people)).toEqual(['c', 'd']);
    const got = await get(`persons/funnel/correlation/?${asQuery(body)}`);
    expect(names(got.body.results[0].people)).toEqual(['c', 'd']);
  });

  it('is gone from the live service', async () => {
    const { get, post } = await openSandbox({ data, dialect: 'live' });
    expect((await get(`insights/funnel/correlation/?${asQuery(FUNNEL)}`)).status).toBe(404);
    expect((await post('insights/funnel/correlation/', { filters: FUNNEL })).status).toBe(404);
  });
});
