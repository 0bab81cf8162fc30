import { describe, expect, it } from 'vitest';
import { NOW, openSandbox } from '../../support/open-sandbox.ts';

type Open = Awaited<ReturnType<typeof openSandbox>>;

const create = async ({ post }: Open, fields: object = {}) => (await post('insights/', fields)).body;
const names = (answer: { body: { results: { name: string }[] } }) =>
  answer.body.results.map(({ name }) => name);

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

  it('refuses an unknown mode in the specification and overlooks it in the live dialect', async () => {
    const specification = await openSandbox();
    await create(specification);
    expect((await specification.get('insights/1/?refresh=force_cache')).status).toBe(200);
    const refused = await specification.get('insights/1/?refresh=now');
    expect(refused).toMatchObject({ status: 400, body: { attr: 'refresh', code: 'invalid_choice' } });
    const live = await openSandbox({ dialect: 'live' });
    await create(live);
    expect((await live.get('insights/1/?refresh=now')).status).toBe(200);
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
});
