import { describe, expect, it } from 'vitest';
import { NOW, openSandbox } from './open-sandbox.ts';

type Open = Awaited<ReturnType<typeof openSandbox>>;

const QUERY = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [{ event: 'visit' }] } };

const create = async ({ post }: Open, fields: object = {}) => (await post('insights/', fields)).body;
const names = (answer: { body: { results: { name: string }[] } }) =>
  answer.body.results.map(({ name }) => name);

describe('creating an insight', () => {
  it('answers 201 with every field of the specification', async () => {
    const open = await openSandbox();
    const { status, body } = await open.post('insights/', {
      name: 'Visits',
      query: JSON.stringify(QUERY),
      tags: ['a', 'b'],
      favorited: true,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: 1,
      name: 'Visits',
      query: QUERY,
      tags: ['a', 'b'],
      favorited: true,
      saved: false,
      deleted: false,
      created_at: NOW,
      created_by: { id: 1, email: 'olga.novak@example.org' },
      result: null,
      is_cached: false,
      query_status: null,
    });
    expect(body.short_id).toMatch(/^[A-Za-z][A-Za-z0-9]{7}$/);
    const fields = `id short_id name derived_name filters query order deleted dashboards dashboard_tiles last_refresh
      cache_target_age next_allowed_client_refresh result hasMore columns created_at created_by description updated_at
      tags favorited saved last_modified_at last_modified_by is_sample effective_restriction_level
      effective_privilege_level user_access_level timezone is_cached query_status hogql types`;
    for (const field of fields.split(/\s+/)) expect(body).toHaveProperty(field);
    expect((await open.get('insights/1/')).body).toEqual(body);
  });

  it('takes the query as text in the specification and as an object in the live dialect', async () => {
    const specification = await openSandbox();
    expect((await specification.post('insights/', { query: QUERY })).body).toMatchObject({ attr: 'query' });
    expect((await specification.post('insights/', { query: '{"kind":' })).status).toBe(400);
    expect((await specification.post('insights/', { query: '"text"' })).status).toBe(400);
    const live = await openSandbox({ dialect: 'live' });
    expect((await live.post('insights/', { query: QUERY })).status).toBe(201);
    const refused = await live.post('insights/', { query: JSON.stringify(QUERY) });
    expect(refused).toMatchObject({ status: 400, body: { type: 'invalid_request', code: 'parse_error' } });
  });

  it.each([
    [{ tags: null }, 'tags'],
    [{ deleted: null }, 'deleted'],
    [{ favorited: 'maybe' }, 'favorited'],
    [{ order: 'first' }, 'order'],
    [{ dashboards: [9] }, 'dashboards'],
    [{ name: {} }, 'name'],
  ])('refuses %j', async (fields, attr) => {
    const open = await openSandbox();
    expect(await open.post('insights/', fields)).toMatchObject({ status: 400, body: { attr } });
    expect((await open.get('insights/')).body.count).toBe(0);
  });

  it('keeps the digits of a query', async () => {
    const { call, get } = await openSandbox({ dialect: 'live' });
    await call(
      'POST',
      'insights/',
      '{"query":{"kind":"HogQLQuery","limit":12345678901234567890,"rate":1.0}}',
    );
    expect((await get('insights/1/')).text).toContain('"limit":12345678901234567890,"rate":1.0');
  });
});

describe('listing insights', () => {
  it('shows the last changed first, without the deleted', async () => {
    const open = await openSandbox();
    for (const name of ['one', 'two', 'three']) await create(open, { name });
    await open.post('/_sandbox/advance/', { to: '2026-06-18T00:00:00Z' });
    await open.patch('insights/1/', { description: 'changed' });
    await open.patch('insights/2/', { deleted: true });
    const answer = await open.get('insights/?limit=1');
    expect(names(answer)).toEqual(['one']);
    expect(answer.body.count).toBe(2);
    expect(answer.body.next).toBe(`${open.sandbox.origin}/api/projects/1/insights/?limit=1&offset=1`);
    expect(names(await open.get('insights/?order=name'))).toEqual(['one', 'three']);
    expect((await open.get('insights/?order=colour')).status).toBe(400);
  });

  it('narrows by short id, author, text, favourites and saved ones', async () => {
    const open = await openSandbox();
    const first = await create(open, { name: 'Orders', saved: true });
    await create(open, { name: 'Visits', favorited: true, tags: ['Shop'] });
    expect(names(await open.get(`insights/?short_id=${first.short_id}`))).toEqual(['Orders']);
    expect(names(await open.get('insights/?created_by=1'))).toEqual(['Visits', 'Orders']);
    expect(names(await open.get('insights/?created_by=2'))).toEqual([]);
    expect((await open.get('insights/?created_by=[1]')).status).toBe(400);
    expect(names(await open.get('insights/?search=shop'))).toEqual(['Visits']);
    expect(names(await open.get('insights/?favorited=true'))).toEqual(['Visits']);
    expect(names(await open.get('insights/?saved=true'))).toEqual(['Orders']);
    expect((await open.get('insights/?basic=true')).body.results[0]).not.toHaveProperty('result');
  });

  it('reads the author as a list and hides the unsaved in the live dialect', async () => {
    const open = await openSandbox({ dialect: 'live' });
    await create(open, { name: 'hidden' });
    await create(open, { name: 'shown', saved: true });
    expect(names(await open.get('insights/?created_by=[1]'))).toEqual(['shown']);
    expect((await open.get('insights/?created_by=1')).status).toBe(400);
    expect((await open.get('insights/?created_by=[1,2]')).status).toBe(501);
    expect(names(await open.get('insights/?saved=false'))).toEqual(['hidden']);
  });
});

describe('getting an insight', () => {
  it('takes short ids in the live dialect only', async () => {
    const specification = await openSandbox();
    const { short_id } = await create(specification);
    expect((await specification.get(`insights/${short_id}/`)).status).toBe(404);
    const live = await openSandbox({ dialect: 'live' });
    await create(live);
    expect((await live.get(`insights/${short_id}/`)).body.id).toBe(1);
    expect((await live.get('insights/2/')).body).toMatchObject({ code: 'not_found' });
  });

  it.each(['blocking', 'async', 'lazy_async', 'force_blocking', 'force_async', 'async_except_on_cache_miss'])(
    'says that it does not calculate for refresh=%s',
    async (mode) => {
      const open = await openSandbox();
      await create(open);
      expect((await open.get(`insights/1/?refresh=${mode}`)).status).toBe(501);
      expect((await open.get(`insights/?refresh=${mode}`)).status).toBe(501);
    },
  );

  it('refuses an unknown mode in the specification and overlooks it in the live dialect', async () => {
    const specification = await openSandbox();
    await create(specification);
    expect((await specification.get('insights/1/?refresh=force_cache')).status).toBe(200);
    const refused = await specification.get('insights/1/?refresh=now');
    expect(refused).toMatchObject({ status: 400, body: { attr: 'refresh', code: 'invalid_choice' } });
    const live = await openSandbox({ dialect: 'live' });
    await create(live);
    expect((await live.get('insights/1/?refresh=now')).status).toBe(200);
    expect((await live.get('insights/1/?refresh=true')).status).toBe(501);
  });

  it('knows its dashboards', async () => {
    const { get, patch } = await openSandbox({ data: 'sample' });
    const { body } = await get('insights/1/?from_dashboard=1');
    expect(body).toMatchObject({
      name: 'Orders per day',
      dashboards: [1],
      dashboard_tiles: [{ id: 1, dashboard_id: 1, deleted: false }],
    });
    expect((await get('insights/1/?from_dashboard=7')).status).toBe(404);
    expect((await patch('insights/1/', { dashboards: [] })).body.dashboards).toEqual([]);
    expect((await patch('insights/1/', { dashboards: [1, 1] })).body.dashboard_tiles).toHaveLength(1);
  });
});

describe('changing an insight', () => {
  it('changes what is given and nothing else', async () => {
    const open = await openSandbox();
    const before = await create(open, { name: 'Visits', description: 'old', query: JSON.stringify(QUERY) });
    await open.post('/_sandbox/advance/', { to: '2026-06-18T00:00:00Z' });
    const { status, body } = await open.patch('insights/1/', { description: 'new' });
    expect(status).toBe(200);
    const changed = {
      description: 'new',
      updated_at: '2026-06-18T00:00:00Z',
      last_modified_at: '2026-06-18T00:00:00Z',
    };
    expect(body).toEqual({ ...before, ...changed });
    expect((await open.patch('insights/9/', { name: 'x' })).status).toBe(404);
    const entries = (await open.get('insights/1/activity/')).body;
    expect(entries.total_count).toBe(2);
    expect(entries.results[0]).toMatchObject({
      activity: 'updated',
      scope: 'Insight',
      item_id: '1',
      detail: {
        name: 'Visits',
        short_id: before.short_id,
        changes: [{ type: 'Insight', action: 'changed', field: 'description', before: 'old', after: 'new' }],
      },
    });
    expect((await open.get('insights/activity/?limit=1')).body).toMatchObject({
      total_count: 2,
      next: `${open.sandbox.origin}/api/projects/1/insights/activity/?limit=1&page=2`,
    });
  });

  it('keeps the record of a deleted one in the specification', async () => {
    const open = await openSandbox();
    await create(open);
    expect((await open.patch('insights/1/', { deleted: true })).body.deleted).toBe(true);
    expect((await open.get('insights/1/')).body.deleted).toBe(true);
    expect((await open.patch('insights/1/', { deleted: false })).body.deleted).toBe(false);
    const activities = (await open.get('insights/activity/')).body.results.map(
      ({ activity }: { activity: string }) => activity,
    );
    expect(activities).toEqual(['restored', 'deleted', 'created']);
  });

  it('finds a deleted one only to restore it in the live dialect, without its tiles', async () => {
    const { get, patch } = await openSandbox({ dialect: 'live', data: 'sample' });
    await patch('insights/1/', { deleted: true });
    expect((await get('insights/1/')).status).toBe(404);
    expect((await patch('insights/1/', { name: 'x' })).status).toBe(404);
    expect((await patch('insights/1/', { deleted: false })).body).toMatchObject({
      deleted: false,
      dashboards: [],
    });
    expect((await get('insights/1/')).status).toBe(200);
  });

  it('saves whatever is changed in the live dialect', async () => {
    const open = await openSandbox({ dialect: 'live' });
    await create(open);
    expect((await open.patch('insights/1/', { name: 'x' })).body.saved).toBe(true);
  });

  it('never hard-deletes', async () => {
    const open = await openSandbox();
    await create(open);
    expect(await open.del('insights/1/')).toMatchObject({ status: 405, text: '' });
    expect((await open.get('insights/1/')).status).toBe(200);
  });
});

describe('around an insight', () => {
  it('shows the sharing configuration, by number only', async () => {
    const live = await openSandbox({ dialect: 'live' });
    const { short_id } = await create(live);
    expect((await live.get('insights/1/sharing/')).body).toEqual({
      created_at: NOW,
      enabled: false,
      access_token: expect.stringMatching(/^[0-9a-f]{32}$/),
      settings: null,
      password_required: false,
      share_passwords: [],
    });
    expect((await live.get(`insights/${short_id}/sharing/`)).status).toBe(404);
    const specification = await openSandbox();
    await create(specification);
    const { body } = await specification.get('insights/1/sharing/');
    expect(Object.keys(body)).toEqual(['created_at', 'enabled', 'access_token']);
  });

  it('shows access controls in the shape of each service', async () => {
    const specification = await openSandbox();
    const insight = await create(specification);
    for (const path of ['access_controls', 'global_access_controls']) {
      expect((await specification.get(`insights/1/${path}/`)).body).toEqual(insight);
    }
    const live = await openSandbox({ dialect: 'live' });
    await create(live);
    expect((await live.get('insights/1/access_controls/')).body).toMatchObject({
      user_access_level: 'editor',
    });
    expect((await live.get('insights/1/global_access_controls/')).status).toBe(400);
    expect(
      (await live.call('GET', 'insights/1/access_controls/', undefined, 'phx_reading')).body.detail,
    ).toBe("API key missing required scope 'access_control:read'");
  });

  it('remembers the last five viewed', async () => {
    const open = await openSandbox();
    for (let number = 1; number <= 7; number += 1) await create(open, { name: `n${number}` });
    for (const id of [1, 2, 3, 4, 5, 6, 2]) {
      expect((await open.post(`insights/${id}/viewed/`)).status).toBe(200);
    }
    await open.patch('insights/5/', { deleted: true });
    const { body } = await open.get('insights/my_last_viewed/');
    expect(body.map(({ id }: { id: number }) => id)).toEqual([2, 6, 4, 3, 1]);
    expect((await open.get('insights/2/')).body.last_viewed_at).toBe(NOW);
    expect((await open.post('insights/99/viewed/')).status).toBe(404);
  });

  it('takes a list of viewed ones in the live dialect and drops the unknown', async () => {
    const open = await openSandbox({ dialect: 'live' });
    await create(open, { saved: true });
    await create(open, { saved: true });
    expect((await open.post('insights/viewed/', { insight_ids: [1, 99] })).status).toBe(201);
    const { results } = (await open.get('insights/?order=-last_viewed_at')).body;
    expect(results.map(({ last_viewed_at }: { last_viewed_at: unknown }) => last_viewed_at)).toEqual([
      NOW,
      null,
    ]);
    expect((await open.post('insights/1/viewed/')).status).toBe(404);
    expect((await open.post('insights/viewed/', { insight_ids: [] })).status).toBe(400);
    expect((await open.get('insights/my_last_viewed/')).status).toBe(403);
  });

  it.each([
    ['GET', 'insights/funnel/'],
    ['POST', 'insights/funnel/'],
    ['GET', 'insights/funnel/correlation/'],
    ['POST', 'insights/cancel/'],
    ['POST', 'query/'],
  ])('says that it does not calculate %s %s', async (method, path) => {
    const { call } = await openSandbox();
    const body = path === 'query/' ? { query: { kind: 'HogQLQuery' } } : {};
    expect((await call(method, path, method === 'GET' ? undefined : body)).status).toBe(501);
  });
});
