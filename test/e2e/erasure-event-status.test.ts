import { describe, expect, it } from 'vitest';
import { summary, uuid } from '../support/bulk-deletions.ts';
import { startWithoutSql } from '../support/service.ts';
import { answerFrom, known } from '../support/two-stores.ts';

const PLANNED = 'Mon, 02 Mar 2026 12:00:00 GMT';
const ASKED = 'Mon, 09 Mar 2026 12:00:00 GMT';

type Status = { readonly rows: readonly object[] | undefined; readonly hasClock?: boolean };

/** A live service that once deleted the events of person 1, who then signed up again under the same UUID. */
async function eraseAgain({ rows, hasClock = true }: Status) {
  let isThere = true;
  const { hogctl } = await startWithoutSql([
    (received) => {
      const date = isThere ? PLANNED : ASKED;
      const headers = { date: hasClock ? date : '' };
      if (received.url.includes('deletion_status'))
        return rows === undefined
          ? { status: 404, headers, json: { code: 'not_found' } }
          : { headers, json: { next: null, results: rows } };
      if (received.url.includes('bulk_delete')) {
        isThere = false;
        return {
          headers: { date: hasClock ? PLANNED : '' },
          json: summary({ found: 1, deleted: 0, queued: 1, events: true }),
        };
      }
      const listed = [...(isThere ? [known(1)] : []), known(2)];
      return { headers, ...answerFrom({ listed })(received) };
    },
  ]);
  const live = { environment: { HOGCTL_DIALECT: 'live' } };
  const end = await hogctl('persons bulk-delete --distinct-ids user_1 --delete-events --yes', live);
  const { code, stdout, stderr } = await hogctl('runs verify last -o json', live);
  return { end: end.code, code, record: JSON.parse(stdout), stderr };
}

const row = (status: string, created_at: string | null, person_uuid = uuid(1)) => ({
  person_uuid,
  status,
  created_at,
  delete_verified_at: status === 'completed' ? '2026-03-08T05:00:00Z' : null,
});

const BEFORE = '2025-06-01T09:00:00Z';
const SINCE = '2026-03-02T12:00:01Z';

describe('the deletion status of somebody who was deleted before', () => {
  it('is proof once each row that was made since the plan is completed', async () => {
    const rows = [row('completed', BEFORE), row('completed', SINCE), row('pending', SINCE, uuid(9))];
    const { end, code, record } = await eraseAgain({ rows });
    expect({ end, code, events: record.events }).toEqual({ end: 0, code: 0, events: { gone: 1, open: 0 } });
  });

  it.each([
    ['without a row', []],
    ['about somebody else', [row('completed', SINCE, uuid(9))]],
    ['of a deletion from before', [row('completed', BEFORE)]],
    ['that is pending beside an older one', [row('completed', BEFORE), row('pending', SINCE)]],
    ['of which one is pending', [row('completed', SINCE), row('pending', SINCE)]],
    ['of a kind that nobody knows', [row('done', SINCE)]],
    ['without a time', [row('completed', null)]],
    ['with a time that is none', [row('completed', 'yesterday')]],
    ["made after the service's present", [row('completed', '2026-03-10T05:00:00Z')]],
  ])('is no proof %s', async (_, rows) => {
    const { end, code, record } = await eraseAgain({ rows });
    expect({ end, code, events: record.events }).toEqual({ end: 0, code: 9, events: { gone: 0, open: 1 } });
  });

  it('is no proof if the service tells no time', async () => {
    const { code, record } = await eraseAgain({ rows: [row('completed', SINCE)], hasClock: false });
    expect({ code, events: record.events }).toEqual({ code: 9, events: { gone: 0, open: 1 } });
  });

  it('names the scope to count with where the service has none', async () => {
    const { code, stderr } = await eraseAgain({ rows: undefined });
    expect(code).toBe(9);
    expect(stderr).toContain('use a key with the scope query:read');
  });
});
