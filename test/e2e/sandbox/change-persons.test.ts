import { describe, expect, it } from 'vitest';
import { NOW, openSandbox } from '../../support/open-sandbox.ts';

async function countEvents(open: Awaited<ReturnType<typeof openSandbox>>, id: number): Promise<number> {
  // The timeline counts the events of a person, which is how a captured one shows.
  const { body } = await open.get(`persons/${id}/properties_timeline/`);
  return body.points.reduce(
    (sum: number, point: { relevant_event_count: number }) => sum + point.relevant_event_count,
    0,
  );
}

describe('getting a person', () => {
  it('takes the integer and the UUID', async () => {
    const { get } = await openSandbox();
    const { status, body } = await get('persons/1/');
    expect(status).toBe(200);
    expect(body.id).toBe(1);
    expect((await get(`persons/${body.uuid.toUpperCase()}/`)).body).toEqual(body);
  });

  it('shows the integer as id in the live dialect too', async () => {
    const { get } = await openSandbox({ dialect: 'live' });
    expect((await get('persons/1/')).body).toMatchObject({ id: 1, last_seen_at: null });
  });

  it('refuses a distinct id and does not know others', async () => {
    const { get } = await openSandbox();
    const refused = await get('persons/ana/');
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain('does not look like a personID');
    for (const id of ['99', '00000000-0000-4000-8000-000000000001', '9999999999999999999']) {
      const missing = await get(`persons/${id}/`);
      expect(missing.status).toBe(404);
      expect(missing.body).toEqual({
        type: 'invalid_request',
        code: 'not_found',
        detail: 'Person not found.',
        attr: null,
      });
    }
  });
});

describe('changing properties', () => {
  it('merges what is set, writes the log and captures an event', async () => {
    const open = await openSandbox();
    const before = await countEvents(open, 1);
    const { status, body } = await open.patch('persons/1/', { properties: { plan: 'gold', city: 'Kiel' } });
    expect(status).toBe(200);
    expect(body.properties).toEqual({
      email: 'ana.berg@example.org',
      plan: 'gold',
      seats: 12,
      city: 'Kiel',
    });
    expect((await open.get('persons/1/')).body).toEqual(body);
    expect(await countEvents(open, 1)).toBe(before + 1);
    const log = (await open.get('persons/1/activity/')).body;
    expect(log).toMatchObject({ total_count: 1, next: null });
    expect(log.results[0]).toMatchObject({
      activity: 'updated',
      scope: 'Person',
      item_id: '1',
      created_at: NOW,
      user: { first_name: 'Olga', email: 'olga.novak@example.org' },
      detail: {
        name: 'ana.berg@example.org',
        changes: [
          { type: 'Person', action: 'changed', field: 'plan', before: 'pro', after: 'gold' },
          { type: 'Person', action: 'created', field: 'city', before: null, after: 'Kiel' },
        ],
      },
    });
  });

  it('answers 202 without a body in the live dialect', async () => {
    const { patch, post, get } = await openSandbox({ dialect: 'live' });
    expect(await patch('persons/1/', { properties: { a: 1 } })).toMatchObject({ status: 202, text: '' });
    const updated = await post('persons/1/update_property/', { key: 'b', value: [1, 'x'] });
    expect(updated).toMatchObject({ status: 202, text: '' });
    expect((await get('persons/1/')).body.properties).toMatchObject({ a: 1, b: [1, 'x'] });
  });

  it.each([[{}], [{ properties: null }], [{ properties: [1] }], [{ properties: 'x' }]])(
    'refuses a body of %j',
    async (body) => {
      const { patch } = await openSandbox();
      expect(await patch('persons/1/', body)).toMatchObject({ status: 400, body: { attr: 'properties' } });
    },
  );

  it('keeps every digit of a number', async () => {
    const { call, get } = await openSandbox();
    const exact = '{"tweet":1524831183200260097,"ratio":1.0,"big":1e400,"nested":[{"x":12.50}]}';
    expect((await call('PATCH', 'persons/1/', `{"properties":${exact}}`)).status).toBe(200);
    const { text } = await get('persons/1/');
    for (const part of exact.slice(1, -1).split(/,(?=")/)) expect(text).toContain(part);
  });

  it('sets one property from the body, or in the specification from the address', async () => {
    const { post, get } = await openSandbox();
    expect(await post('persons/2/update_property/', { key: 'plan', value: 'gold' })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    await post('persons/2/update_property/?key=seats&value=4');
    await post('persons/2/update_property/?key=note&value=plain%20text');
    await post('persons/2/update_property/', { properties: { key: 'inner', value: true } });
    expect((await get('persons/2/')).body.properties).toEqual({
      name: 'Carla',
      plan: 'gold',
      seats: 4,
      note: 'plain text',
      inner: true,
    });
  });

  it('does not read the address in the live dialect', async () => {
    const { post } = await openSandbox({ dialect: 'live' });
    const { status, body } = await post('persons/2/update_property/?key=seats&value=4');
    expect(status).toBe(400);
    expect(body).toMatchObject({ attr: 'key', code: 'required' });
    expect((await post('persons/2/delete_property/?%24unset=seats')).status).toBe(400);
  });

  it('deletes one property, also one that is not there', async () => {
    const open = await openSandbox();
    const before = await countEvents(open, 1);
    expect(await open.post('persons/1/delete_property/?%24unset=plan')).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await open.post('persons/1/delete_property/', { $unset: 'gone' })).status).toBe(200);
    expect((await open.get('persons/1/')).body.properties).toEqual({
      email: 'ana.berg@example.org',
      seats: 12,
    });
    expect(await countEvents(open, 1)).toBe(before + 2);
    const live = await openSandbox({ dialect: 'live' });
    expect((await live.post('persons/1/delete_property/', { $unset: 'plan' })).status).toBe(201);
  });
});

describe('the timeline of properties', () => {
  it('has one point for each state and names what changed', async () => {
    const { patch, post, get } = await openSandbox();
    await patch('persons/1/', { properties: { plan: 'gold' } });
    await post('/_sandbox/advance/', { to: '2026-06-18T00:00:00Z' });
    await post('persons/1/delete_property/', { $unset: 'seats' });
    const { body } = await get('persons/1/properties_timeline/');
    expect(body.crucial_property_keys.sort()).toEqual(['plan', 'seats']);
    expect(body.points).toMatchObject([
      { timestamp: '2026-01-01T00:00:00Z', relevant_event_count: 3, properties: { plan: 'pro', seats: 12 } },
      { timestamp: NOW, relevant_event_count: 1, properties: { plan: 'gold', seats: 12 } },
      { timestamp: '2026-06-18T00:00:00Z', relevant_event_count: 1, properties: { plan: 'gold' } },
    ]);
    const late = await get('persons/1/properties_timeline/?date_from=-1d');
    expect(late.body.points[0]).toMatchObject({ timestamp: '2026-06-17T00:00:00Z', relevant_event_count: 0 });
  });
});
