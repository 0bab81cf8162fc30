import { expect, it } from 'vitest';
import { summary, uuid } from '../support/bulk-deletions.ts';
import { person, startWithoutSql } from '../support/service.ts';
import type { Received } from '../support/stub-server.ts';

const errors = [1, 2].map((number) => ({ person_uuid: uuid(number), step: 'postgres' }));
const failing = { status: 503, json: summary({ found: 2, deleted: 0, errors }) };
const headers = { date: 'Mon, 02 Mar 2026 12:00:00 GMT' };

it.each([
  ['an answer that was lost', { status: 502 }, 'unknown'],
  ['another summary', failing, 'answered'],
])('reads the summary in a 5xx after %s', async (_, before, state) => {
  const everybody = [1, 2, 999].map(person);
  const lookUp = ({ url, json }: Received) => {
    if (url.endsWith('/persons/?limit=10')) return { json: { next: null, results: everybody } };
    const asked = Object.values(json as Record<string, readonly string[]>).flat();
    const found = everybody.flatMap((one) => [one.uuid, ...one.distinct_ids].map((id) => [id, one] as const));
    return { json: { results: Object.fromEntries(found.filter(([id]) => asked.includes(id))) } };
  };
  const service = await startWithoutSql([
    { on: /bulk_delete/, ...before },
    { on: /bulk_delete/, ...failing, times: 99 },
    (received) => ({ ...lookUp(received), headers }),
  ]);
  const live = { environment: { HOGCTL_DIALECT: 'live' } };
  const { code } = await service.hogctl(`persons bulk-delete ${uuid(1)} ${uuid(2)} --yes --retries 1`, live);
  expect(code).toBe(8);
  const report = JSON.parse((await service.hogctl('runs report last -o json')).stdout);
  expect(report).toMatchObject({
    outcome: { failed: 2, unknown: 0 },
    calls: [{ state }, { state: 'answered' }],
  });
});
