import { describe, expect, it } from 'vitest';
import { openSandbox } from '../../support/open-sandbox.ts';

const SPLIT = 'persons/1/split/';
const BULK = 'persons/bulk_delete/';
const SET = 'persons/1/update_property/';
const UNSET = 'persons/1/delete_property/';

/** Bodies that the service refuses: empty lists, wrong types, and two forms at once. */
const REFUSED: readonly (readonly [method: 'POST' | 'PATCH', path: string, body: unknown, attr: string])[] = [
  ['POST', SPLIT, { distinct_ids_to_split: [] }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: 'ana' }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: '["ana"]' }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: [1, 2] }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: ['ana', null] }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: ['ana', ['ana-phone']] }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: { ana: true } }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: true }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: [], main_distinct_id: 'ana' }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { distinct_ids_to_split: ['ana-phone'], main_distinct_id: 'ana' }, 'distinct_ids_to_split'],
  ['POST', SPLIT, { main_distinct_id: ['ana'] }, 'main_distinct_id'],
  ['POST', SPLIT, { main_distinct_id: 7 }, 'main_distinct_id'],
  ['POST', SPLIT, { main_distinct_id: false }, 'main_distinct_id'],
  ['POST', SPLIT, { main_distinct_id: {} }, 'main_distinct_id'],
  ['POST', BULK, {}, 'ids'],
  ['POST', BULK, { ids: [] }, 'ids'],
  ['POST', BULK, { ids: null }, 'ids'],
  ['POST', BULK, { ids: null, distinct_ids: null }, 'ids'],
  ['POST', BULK, { ids: '1' }, 'ids'],
  ['POST', BULK, { ids: [1.5] }, 'ids'],
  ['POST', BULK, { ids: [true] }, 'ids'],
  ['POST', BULK, { ids: ['ana'] }, 'ids'],
  ['POST', BULK, { ids: ['1'], distinct_ids: ['ana'] }, 'ids'],
  ['POST', BULK, { ids: ['1'], distinct_ids: [] }, 'ids'],
  ['POST', BULK, { distinct_ids: [] }, 'distinct_ids'],
  ['POST', BULK, { distinct_ids: 'ana' }, 'distinct_ids'],
  ['POST', BULK, { distinct_ids: [1] }, 'distinct_ids'],
  ['POST', BULK, { distinct_ids: ['ana', {}] }, 'distinct_ids'],
  ['POST', BULK, { distinct_ids: ['ana'], delete_events: 'maybe' }, 'delete_events'],
  ['POST', BULK, { distinct_ids: ['ana'], delete_events: [] }, 'delete_events'],
  ['PATCH', 'persons/1/', {}, 'properties'],
  ['PATCH', 'persons/1/', { properties: null }, 'properties'],
  ['PATCH', 'persons/1/', { properties: [] }, 'properties'],
  ['PATCH', 'persons/1/', { properties: '{"plan":"pro"}' }, 'properties'],
  ['PATCH', 'persons/1/', { properties: 5 }, 'properties'],
  ['POST', UNSET, {}, '$unset'],
  ['POST', UNSET, { $unset: null }, '$unset'],
  ['POST', UNSET, { $unset: '' }, '$unset'],
  ['POST', UNSET, { $unset: ['plan'] }, '$unset'],
  ['POST', UNSET, { $unset: 5 }, '$unset'],
  ['POST', SET, { key: 'plan' }, 'value'],
  ['POST', SET, { value: 'pro' }, 'key'],
  ['POST', SET, { key: null, value: 'pro' }, 'key'],
  ['POST', SET, { key: '', value: 'pro' }, 'key'],
  ['POST', SET, { key: 5, value: 'pro' }, 'key'],
  ['POST', SET, { key: ['plan'], value: 'pro' }, 'key'],
];

const REFUSED_LIVE: typeof REFUSED = [
  ['POST', 'persons/batch_by_distinct_ids/', { distinct_ids: 'ana' }, 'distinct_ids'],
  ['POST', 'persons/batch_by_uuids/', { uuids: [1] }, 'uuids'],
];

describe.each(['specification', 'live'] as const)(
  'bodies of the persons operations, %s dialect',
  (dialect) => {
    it('refuses what the service refuses, names the field and changes nothing', async () => {
      const open = await openSandbox({ dialect });
      const before = (await open.get('persons/')).text;
      for (const [method, path, body, attr] of dialect === 'live' ? [...REFUSED, ...REFUSED_LIVE] : REFUSED) {
        const answer = await open.call(method, path, body);
        const about = `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`;
        expect(answer.status, about).toBe(400);
        expect(answer.body, about).toMatchObject({ type: 'validation_error', attr });
      }
      expect((await open.get('persons/')).text).toBe(before);
      expect((await open.get('persons/activity/')).body.results).toEqual([]);
    });

    it('takes an optional field that is null for absent', async () => {
      const open = await openSandbox({ dialect });
      const split = { main_distinct_id: null, distinct_ids_to_split: ['ana-phone'] };
      expect((await open.post(SPLIT, split)).body).toEqual({ success: true });
      const deletion = { ids: null, distinct_ids: ['ben'], delete_events: null };
      expect((await open.post(BULK, deletion)).body).toMatchObject({
        persons_found: 1,
        events_queued_for_deletion: false,
      });
    });

    it('refuses a body that is nested too deep', async () => {
      const open = await openSandbox({ dialect });
      const deep = JSON.parse('{}');
      let inner = deep;
      for (let level = 0; level < 2000; level += 1) {
        inner.a = {};
        inner = inner.a;
      }
      expect(await open.call('PATCH', 'persons/1/', { properties: deep })).toMatchObject({
        status: 400,
        body: { type: 'invalid_request', code: 'parse_error' },
      });
      expect((await open.get(`persons/?properties=${'['.repeat(3000)}${']'.repeat(3000)}`)).status).toBe(400);
    });

    it('sets a property to null', async () => {
      const open = await openSandbox({ dialect });
      expect((await open.post(SET, { key: 'plan', value: null })).status).toBe(
        dialect === 'live' ? 202 : 200,
      );
      expect((await open.get('persons/1/')).body.properties.plan).toBeNull();
    });
  },
);
