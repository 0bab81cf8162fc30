import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { startWithPeople } from '../support/service.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 2, 12);

it.each([
  [
    'this computer slept, its clock set back',
    () => START,
    (isLate: boolean) => (isLate ? 16 * MINUTE : 0),
    true,
  ],
  ['the clock here went on', (isLate: boolean) => START + (isLate ? 16 * MINUTE : 0), () => 0, true],
  ['the clock here was set back', (isLate: boolean) => START - (isLate ? MINUTE : 0), () => 0, true],
  ['no time passed', () => START, () => 0, false],
])('people are looked at again before their call if %s', async (_, now, running, isAged) => {
  let isLate = false;
  const service = await startWithPeople([
    (received) => {
      isLate = true;
      return allDeleted(received);
    },
  ]);
  await service.hogctl('persons bulk-delete --distinct-ids user_1,user_2 --batch-size 1 --yes', {
    now: () => now(isLate),
    running: () => running(isLate),
  });
  const [run = ''] = runsOf(service);
  const journal = readFileSync(join(run, 'journal.ndjson'), 'utf8');
  expect(/"type":"aged","batch":2/.test(journal)).toBe(isAged);
  expect(service.log.filter(({ url }) => url.includes('bulk_delete'))).toHaveLength(2);
});
