import { expect, it } from 'vitest';
import { summary } from '../support/bulk-deletions.ts';
import { startService } from '../support/service.ts';
import type { StubAnswer } from '../support/stub-server.ts';
import { answerFrom, known } from '../support/two-stores.ts';

const PLANNED = 'Mon, 02 Mar 2026 12:00:00 GMT';
const ASKED = 'Mon, 09 Mar 2026 12:00:00 GMT';

/** What `runs verify` says of events on a live service whose deletion status answers so, and of which so many are left. */
async function verify(status: StubAnswer, left: number) {
  let isThere = true;
  const { hogctl } = await startService([
    (received) => {
      const headers = { date: isThere ? PLANNED : ASKED };
      if (received.url.includes('deletion_status')) return { headers, ...status };
      if (received.url.includes('bulk_delete')) {
        isThere = false;
        return {
          headers: { date: PLANNED },
          json: summary({ found: 1, deleted: 0, queued: 1, events: true }),
        };
      }
      if (received.body.includes('FROM events'))
        return { headers, json: { results: [[left, 1, Date.parse(headers.date) / 1000]], columns: [] } };
      const people = [...(isThere ? [known(1)] : []), known(2)];
      return { headers, ...answerFrom({ listed: people, queried: people })(received) };
    },
  ]);
  const live = { environment: { HOGCTL_DIALECT: 'live' } };
  await hogctl('persons bulk-delete --distinct-ids user_1 --delete-events --yes', live);
  return hogctl('runs verify last -o json', live);
}

it.each([403, 404, 405])('events are counted by SQL if the deletion status answers %i', async (status) => {
  const answer = { status, json: { code: 'not_found', detail: 'no' } };
  const some = await verify(answer, 4);
  expect([some.code, JSON.parse(some.stdout).events]).toMatchObject([
    9,
    { gone: 0, open: 1, left: 4, later: 1 },
  ]);
  const none = await verify(answer, 0);
  expect([none.code, JSON.parse(none.stdout).events]).toMatchObject([0, { gone: 1, open: 0 }]);
});

it.each([
  ['shows no row', { json: { next: null, results: [] } }, 4, 9],
  ['shows no row, and none is left by SQL', { json: { next: null, results: [] } }, 0, 0],
  [
    'refuses the key, and some are left by SQL',
    { status: 403, json: { code: 'permission_denied', detail: 'no' } },
    4,
    9,
  ],
  ['fails', { status: 503, json: { detail: 'busy' } }, 0, 6],
] as const)('events are not proven by a deletion status alone that %s', async (_, status, left, code) => {
  const end = await verify(status, left);
  expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code });
});
