import { describe, expect, it } from 'vitest';
import { NOW, openSandbox } from '../../support/open-sandbox.ts';

const DISTINCT = 'persons/?distinct_id=';

async function countEvents(open: Awaited<ReturnType<typeof openSandbox>>, id: number): Promise<number> {
  // The timeline counts the events of a person, which is how a captured one shows.
  const { body } = await open.get(`persons/${id}/properties_timeline/`);
  return body.points.reduce(
    (sum: number, point: { relevant_event_count: number }) => sum + point.relevant_event_count,
    0,
  );
}

describe('splitting a person', () => {
  const idOf = async (open: Awaited<ReturnType<typeof openSandbox>>, distinctId: string) =>
    (await open.get(DISTINCT + distinctId)).body.results[0];

  it('gives the other distinct ids persons of their own, with their events', async () => {
    const open = await openSandbox();
    expect(await open.post('persons/1/split/', { main_distinct_id: 'ana-phone' })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const original = await idOf(open, 'ana-phone');
    const made = await idOf(open, 'ana');
    expect(original).toMatchObject({ id: 1, distinct_ids: ['ana-phone'] });
    expect(made).toMatchObject({ id: 4, distinct_ids: ['ana'], properties: {}, created_at: NOW });
    expect(await countEvents(open, 1)).toBe(1);
    await open.post('/_sandbox/advance/', { to: '2026-07-01T00:00:00Z' });
    expect((await open.get('persons/activity/')).body.results[0]).toMatchObject({ activity: 'split_person' });
  });

  it('takes out just the chosen ones', async () => {
    const open = await openSandbox({ dialect: 'live' });
    const { status } = await open.post('persons/1/split/', { distinct_ids_to_split: ['ana-phone'] });
    expect(status).toBe(201);
    expect((await idOf(open, 'ana')).distinct_ids).toEqual(['ana']);
    expect((await idOf(open, 'ana-phone')).distinct_ids).toEqual(['ana-phone']);
  });

  it.each([
    [{ main_distinct_id: 'ben' }],
    [{ main_distinct_id: '' }],
    [{ distinct_ids_to_split: ['ana', 'ben'] }],
    [{ distinct_ids_to_split: ['ana', 'ana-phone'] }],
    [{ main_distinct_id: 'ana', distinct_ids_to_split: ['ana-phone'] }],
  ])('refuses %j and changes nothing', async (body) => {
    const open = await openSandbox();
    expect((await open.post('persons/1/split/', body)).status).toBe(400);
    expect((await idOf(open, 'ana')).distinct_ids).toEqual(['ana', 'ana-phone']);
  });

  it.each([
    [{ main_distinct_id: 'ana' }, ['ana', 'ana-phone']],
    [{}, ['ana', 'ana-phone']],
    [{ distinct_ids_to_split: ['ana-phone'] }, ['ana-phone']],
  ])('logs the distinct ids of the split %j under the UUID', async (body, ids) => {
    const open = await openSandbox();
    const { uuid } = await idOf(open, 'ana');
    await open.post('persons/1/split/', body);
    const [{ activity, detail }] = (await open.get('persons/1/activity/')).body.results;
    expect({ activity, name: detail.name, changes: detail.changes }).toEqual({
      activity: 'split_person',
      name: uuid,
      changes: [{ type: 'Person', action: 'split', field: null, before: null, after: { distinct_ids: ids } }],
    });
  });

  it('succeeds and changes nothing for a single distinct id', async () => {
    const open = await openSandbox();
    expect((await open.post('persons/3/split/')).body).toEqual({ success: true });
    expect((await open.get('persons/')).body.count).toBe(3);
    expect((await open.get('persons/activity/')).body.total_count).toBe(0);
  });
});
