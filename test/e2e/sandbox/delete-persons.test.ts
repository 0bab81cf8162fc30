import { describe, expect, it } from 'vitest';
import { openSandbox } from '../../support/open-sandbox.ts';

type Open = Awaited<ReturnType<typeof openSandbox>>;

const advance = async ({ post }: Open, to: string) => (await post('/_sandbox/advance/', { to })).body;
const deletions = async ({ get }: Open, query = '') => (await get(`persons/deletion_status/${query}`)).body;
const uuidOf = async ({ get }: Open, id: number): Promise<string> => (await get(`persons/${id}/`)).body.uuid;

describe('deleting one person', () => {
  it('answers 204, keeps the events and writes the log', async () => {
    const open = await openSandbox();
    expect(await open.del('persons/1/')).toMatchObject({ status: 204, text: '' });
    expect((await open.get('persons/1/')).status).toBe(404);
    expect((await open.get('persons/?distinct_id=ana')).body.results).toEqual([]);
    expect((await open.get('persons/activity/')).body.results[0]).toMatchObject({
      activity: 'deleted',
      item_id: '1',
    });
    expect((await advance(open, '2026-06-21T05:00:00Z')).event_deletions_completed).toBe(0);
  });

  it('reads delete_events=false as false in the specification, as a wish in the live dialect', async () => {
    const specification = await openSandbox();
    await specification.del('persons/1/?delete_events=false');
    expect((await advance(specification, '2026-06-21T05:00:00Z')).event_deletions_completed).toBe(0);
    const live = await openSandbox({ dialect: 'live' });
    expect(await live.del('persons/1/?delete_events=false')).toMatchObject({ status: 202, text: '' });
    expect((await deletions(live)).count).toBe(1);
  });

  it('deletes the events on the coming Sunday at 05:00 UTC and not before', async () => {
    const open = await openSandbox({ dialect: 'live' });
    const uuid = await uuidOf(open, 1);
    await open.del('persons/1/?delete_events=true');
    expect((await deletions(open)).results).toEqual([
      { person_uuid: uuid, created_at: '2026-06-17T12:00:00Z', status: 'pending', delete_verified_at: null },
    ]);
    expect(await advance(open, '2026-06-21T04:59:59Z')).toEqual({
      now: '2026-06-21T04:59:59Z',
      event_deletions_completed: 0,
    });
    expect((await advance(open, '2026-06-30T00:00:00Z')).event_deletions_completed).toBe(1);
    expect((await deletions(open, '?status=pending')).results).toEqual([]);
    expect((await deletions(open, `?status=completed&person_uuid=${uuid}`)).results[0]).toMatchObject({
      status: 'completed',
      delete_verified_at: '2026-06-21T05:00:00Z',
    });
  });

  it('keeps the person only where the live service reads that', async () => {
    const live = await openSandbox({ dialect: 'live' });
    await live.del('persons/1/?keep_person=true&delete_events=true');
    expect((await live.get('persons/1/')).status).toBe(200);
    expect((await deletions(live)).count).toBe(1);
    const specification = await openSandbox();
    await specification.del('persons/1/?keep_person=true');
    expect((await specification.get('persons/1/')).status).toBe(404);
  });

  it('spares the events that were captured after the request', async () => {
    const open = await openSandbox({ dialect: 'live' });
    await open.del('persons/1/?keep_person=true&delete_events=true');
    await open.patch('persons/1/', { properties: { plan: 'gold' } });
    await advance(open, '2026-06-22T00:00:00Z');
    const specification = await openSandbox();
    await specification.patch('persons/1/', { properties: { plan: 'gold' } });
    const timeline = await specification.get('persons/1/properties_timeline/');
    expect(timeline.body.points.at(-1).relevant_event_count).toBe(1);
  });

  it('does not know the unknown', async () => {
    const { del } = await openSandbox();
    expect((await del('persons/77/')).status).toBe(404);
    expect((await del('persons/ana/')).status).toBe(400);
    expect((await del('persons/activity/')).status).toBe(405);
  });
});

describe('deleting many persons', () => {
  it('takes integers and UUIDs, ignores the unknown, and counts', async () => {
    const open = await openSandbox();
    const uuid = await uuidOf(open, 2);
    const { status, body } = await open.post('persons/bulk_delete/', { ids: [1, uuid, '1', 99] });
    expect(status).toBe(200);
    expect(body).toEqual({
      persons_found: 2,
      persons_deleted: 2,
      events_queued_for_deletion: false,
      recordings_queued_for_deletion: false,
      deletion_errors: [],
    });
    expect((await open.get('persons/')).body.count).toBe(1);
  });

  it('counts a person once who owns several of the distinct ids', async () => {
    const { post } = await openSandbox();
    const { body } = await post('persons/bulk_delete/', { distinct_ids: ['ana', 'ana-phone', 'nobody'] });
    expect(body).toMatchObject({ persons_found: 1, persons_deleted: 1 });
  });

  it('reads lists and flag from the address in the specification', async () => {
    const open = await openSandbox();
    const { body } = await open.post('persons/bulk_delete/?delete_events=true', { distinct_ids: ['ana'] });
    expect(body).toMatchObject({ persons_found: 1, events_queued_for_deletion: true });
    expect((await advance(open, '2026-06-21T05:00:00Z')).event_deletions_completed).toBe(1);
  });

  it('queues in the live dialect and takes UUIDs only', async () => {
    const open = await openSandbox({ dialect: 'live' });
    expect((await open.post('persons/bulk_delete/', { ids: [1] })).status).toBe(400);
    const answer = await open.post('persons/bulk_delete/?delete_recordings=true', {
      ids: [await uuidOf(open, 1)],
      delete_events: true,
    });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        persons_found: 1,
        persons_deleted: 0,
        persons_queued_for_deletion: 1,
        events_queued_for_deletion: true,
        recordings_queued_for_deletion: false,
        deletion_errors: [],
      },
    });
  });

  it.each([
    ['specification', 100],
    ['live', 1000],
  ] as const)('takes in the %s dialect at most %i entries', async (dialect, limit) => {
    const { post } = await openSandbox({ dialect });
    const list = Array.from({ length: limit }, (_, index) => `nobody-${index}`);
    expect((await post('persons/bulk_delete/', { distinct_ids: list })).body.persons_found).toBe(0);
    const refused = await post('persons/bulk_delete/', { distinct_ids: [...list, 'one more'] });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(String(limit));
    expect(refused.body.detail).toContain('1000');
  });

  it.each([
    [{}],
    [{ ids: [1], distinct_ids: ['ana'] }],
    [{ ids: [] }],
    [{ ids: ['ana'] }],
    [{ ids: [{ id: 1 }] }],
    [{ distinct_ids: { 0: 'ana' } }],
  ])('refuses %j and deletes nobody', async (body) => {
    const { post, get } = await openSandbox();
    expect((await post('persons/bulk_delete/', body)).status).toBe(400);
    expect((await get('persons/')).body.count).toBe(3);
  });

  it('deletes a thousand in one go', async () => {
    const { post, get } = await openSandbox({ dialect: 'live', data: 'sample' });
    const page = (await get('persons/?limit=1000')).body.results;
    const ids = page.map(({ id }: { id: string }) => id);
    const { body } = await post('persons/bulk_delete/', { ids, delete_events: true });
    expect(body.persons_found).toBe(1000);
    expect((await get('persons/')).body.results).toEqual([]);
    expect((await get('persons/activity/?limit=3&page=2')).body).toMatchObject({ total_count: 1003 });
  });
});
