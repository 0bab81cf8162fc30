import { expect, test } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { openSqlStore } from '../../../src/erasure/sql-store.ts';
import { numbered, uuidOf } from './rehearsal.ts';

type Values = Readonly<Record<string, readonly string[] | string>>;

/** A second store over an event each of some distinct ids, that keeps how many values it was asked about. */
async function open(senders: readonly string[]) {
  const sizes: number[] = [];
  const call = async (
    _: unknown,
    input: { readonly query: { readonly query: string; readonly values: Values } },
  ) => {
    const { query, values } = input.query;
    const { distinct_ids: ids = [], uuids = [] } = values;
    sizes.push(ids.length + uuids.length);
    const found = senders.filter((id) => ids.includes(id) || uuids.length > 0);
    if (query.startsWith('SELECT countIf')) return { results: [[found.length, 0]] };
    if (query.includes('groupArray')) return { results: [[uuidOf(1), found]] };
    return { results: found.map((id) => [id, uuidOf(1), `2026-01-0${id.length}`]) };
  };
  // Cast: only the client is asked for here.
  const access = await openSqlStore({ client: async () => ({ call }) } as unknown as Context);
  if (!('store' in access)) throw access.refusal;
  return { store: access.store, sizes };
}

test('no statement names more than 1,000 values, and an event that two of them find counts once', async () => {
  const distinctIds = numbered(2500);
  const { store, sizes } = await open(['user-7', 'user-1500', 'user-2400']);
  const subject = { distinctIds, uuids: [uuidOf(1)] };
  expect(await store.countEvents(subject, '2026-01-01T00:00:00Z')).toEqual({ upTo: 3, later: 0 });
  await store.findPersons(subject);
  await store.findOwners(subject);
  const senders = await store.findSenders(subject, '2026-01-01T00:00:00Z');
  expect(senders[0]?.distinctId).toMatch(/user-\d{4}/);
  expect(Math.max(...sizes)).toBe(1000);
});
