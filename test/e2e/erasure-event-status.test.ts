import { describe, expect, it } from 'vitest';
import { summary, uuid } from '../support/bulk-deletions.ts';
import { person, startWithoutSql } from './service.ts';

const dated = { date: 'Mon, 02 Mar 2026 12:00:00 GMT' };

/** A live service that once deleted the events of person 1, who then signed up again under the same UUID. */
async function eraseAgain(rows: readonly object[], headers: Readonly<Record<string, string>> = dated) {
  let isThere = true;
  const { hogctl } = await startWithoutSql([
    ({ url }) => {
      if (url.includes('deletion_status')) return { headers, json: { next: null, results: rows } };
      if (url.includes('bulk_delete')) {
        isThere = false;
        return { headers, json: summary({ found: 1, deleted: 0, queued: 1, events: true }) };
      }
      return { headers, json: { results: isThere ? { user_1: person(1) } : {} } };
    },
  ]);
  const live = { environment: { HOGCTL_DIALECT: 'live' } };
  const end = await hogctl('persons bulk-delete --distinct-ids user_1 --delete-events --yes', live);
  const { code, stdout } = await hogctl('runs verify last -o json', live);
  return { end: end.code, code, events: JSON.parse(stdout).events };
}

const row = (status: string, at: string | null) => ({ person_uuid: uuid(1), status, delete_verified_at: at });

describe('the deletion status of somebody who was deleted before', () => {
  it('is believed if the service tells no time', async () => {
    const completed = await eraseAgain([row('completed', '2025-06-01T05:00:00Z')], { date: '' });
    expect(completed).toMatchObject({ code: 0, events: { completed: 1 } });
  });

  it.each([
    [
      'is no proof if it was completed before',
      [row('completed', '2025-06-01T05:00:00Z')],
      8,
      9,
      'unconfirmed',
    ],
    [
      'is pending beside an older one',
      [row('completed', '2025-06-01T05:00:00Z'), row('pending', null)],
      0,
      9,
      'pending',
    ],
    ['is proof once it was completed since', [row('completed', '2026-03-08T05:00:00Z')], 0, 0, 'completed'],
    ['is believed without a time', [row('completed', null)], 0, 0, 'completed'],
  ])('%s', async (_, rows, end, code, word) => {
    expect(await eraseAgain(rows)).toMatchObject({ end, code, events: { [word]: 1 } });
  });
});
