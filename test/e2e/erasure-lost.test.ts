import { expect, it } from 'vitest';
import { summary, uuid } from '../support/bulk-deletions.ts';
import { startWithPeople } from './service.ts';

const errors = [1, 2].map((number) => ({ person_uuid: uuid(number), step: 'postgres' }));
const failing = { status: 503, json: summary({ found: 2, deleted: 0, errors }) };

it.each([
  ['an answer that was lost', { status: 502 }, 'settled (answer lost once)'],
  ['another summary', failing, 'answered'],
])('reads the summary in a 5xx after %s', async (_, before, state) => {
  const service = await startWithPeople([before, { ...failing, times: 99 }]);
  const { code } = await service.hogctl('persons bulk-delete --distinct-ids a,b --yes --retries 1');
  expect(code).toBe(8);
  const report = JSON.parse((await service.hogctl('runs report last -o json')).stdout);
  expect(report).toMatchObject({ outcome: { failed: 2, unknown: 0 }, batches: [{ state }] });
});
