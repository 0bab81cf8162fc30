import { describe, expect, it } from 'vitest';
import { openSandbox } from '../../support/open-sandbox.ts';
import { readTruth } from '../../support/truth.ts';

// The cases hold what the service's own tests assert; each test looks only at the keys its case has.
// biome-ignore lint/suspicious/noExplicitAny: the file's shape is described beside it, not by a type of ours
const cases = readTruth<any>('others').filter(({ id }) => id.startsWith('O-PER'));

type Open = Awaited<ReturnType<typeof openSandbox>>;

const asQuery = (query: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

const find = async ({ get }: Open, distinctId: string) =>
  (await get(`persons/?distinct_id=${distinctId}`)).body.results[0];

describe.each(['specification', 'live'] as const)(
  'persons as the service itself tests them, %s dialect',
  (dialect) => {
    it('has its 10 expected cases', () => {
      expect(cases).toHaveLength(10);
    });

    it.each(cases.filter(({ expect: expected }) => expected.lists))('$id $title', async (truth) => {
      const { get } = await openSandbox({ dialect, data: truth.data });
      for (const list of truth.expect.lists) {
        const { results } = (await get(`persons/?${asQuery(list.query)}`)).body;
        if (list.distinct_ids) {
          expect(results.map((person: { distinct_ids: unknown }) => person.distinct_ids)).toEqual(
            list.distinct_ids,
          );
        }
        if (list.names) expect(results.map(({ name }: { name: string }) => name)).toEqual(list.names);
        if (list.count !== undefined) expect(results).toHaveLength(list.count);
      }
    });

    it('O-PER-06 queues the deletion of events', async () => {
      const truth = cases.find(({ id }) => id === 'O-PER-06');
      const open = await openSandbox({ dialect, data: truth.data, now: truth.now });
      const { id, uuid } = await find(open, truth.request.target);
      const { status, text } = await open.del(`persons/${id}/?${asQuery(truth.request.query)}`);
      expect(status).toBe(dialect === 'live' ? truth.expect.status : truth.expect.spec_status);
      expect(text).toBe('');
      expect((await open.get('persons/')).body.results).toEqual(truth.expect.persons_left);
      if (dialect === 'live') {
        expect((await open.get(`persons/deletion_status/?person_uuid=${uuid}`)).body.count).toBe(1);
      }
      const { body } = await open.post('/_sandbox/advance/', { to: '2021-08-29T05:00:00Z' });
      expect(body.event_deletions_completed).toBe(truth.expect.events_deletion_queued);
    });

    it('O-PER-07 finds nobody in a bulk deletion of unknown ids', async () => {
      const truth = cases.find(({ id }) => id === 'O-PER-07');
      const open = await openSandbox({ dialect, data: truth.data });
      const { status, body } = await open.post('persons/bulk_delete/', truth.request.body);
      expect(status).toBe(dialect === 'live' ? truth.expect.status : 200);
      expect(body).toMatchObject(truth.expect.body);
    });

    it('O-PER-08 keeps the first distinct id in a split', async () => {
      const truth = cases.find(({ id }) => id === 'O-PER-08');
      const open = await openSandbox({ dialect, data: truth.data });
      const before = await find(open, truth.request.target);
      expect((await open.post(`persons/${before.uuid}/split/`)).body).toEqual(truth.expect.body);
      for (const {
        distinct_ids: [distinctId],
        original,
        properties,
      } of truth.expect.persons_after) {
        const after = await find(open, distinctId);
        expect(after.distinct_ids).toEqual([distinctId]);
        expect(after.uuid === before.uuid).toBe(original === true);
        if (properties) expect(after.properties).toEqual(properties);
      }
    });

    it('O-PER-09 sets one property, by UUID and by number', async () => {
      const truth = cases.find(({ id }) => id === 'O-PER-09');
      const open = await openSandbox({ dialect, data: truth.data });
      const { uuid } = await find(open, truth.request.target);
      for (const id of [uuid, 1]) {
        const { status } = await open.post(`persons/${id}/update_property/`, truth.request.body);
        expect(status).toBe(dialect === 'live' ? 202 : 200);
      }
      expect((await find(open, truth.request.target)).properties).toMatchObject({ foo: 'bar' });
    });

    it('O-PER-10 refuses an update without properties', async () => {
      const truth = cases.find(({ id }) => id === 'O-PER-10');
      const open = await openSandbox({ dialect, data: truth.data });
      const { status, body } = await open.patch('persons/1/', truth.request.body);
      expect(status).toBe(truth.expect.status);
      // The service swaps code and detail here; ours stand where they belong.
      expect(body).toMatchObject({ type: 'validation_error', code: 'required', attr: 'properties' });
    });
  },
);
