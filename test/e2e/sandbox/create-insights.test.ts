import { describe, expect, it } from 'vitest';
import { NOW, openSandbox } from '../../support/open-sandbox.ts';

type Open = Awaited<ReturnType<typeof openSandbox>>;

const QUERY = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [{ event: 'visit' }] } };

const create = async ({ post }: Open, fields: object = {}) => (await post('insights/', fields)).body;

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
      '{"query":{"kind":"EventsQuery","limit":12345678901234567890,"rate":1.0}}',
    );
    expect((await get('insights/1/')).text).toContain('"limit":12345678901234567890,"rate":1.0');
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
