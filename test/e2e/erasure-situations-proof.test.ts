import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, summary, uuid } from '../support/bulk-deletions.ts';
import { isLookUpOfMany, minuteText, nothingShown, startStores } from '../support/changing-stores.ts';
import { temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { type Known, known } from '../support/two-stores.ts';

const dialects = ['live', 'specification'] as const;
const erase = 'persons bulk-delete --distinct-ids user_1 --yes --retries 0';
const lost = () => ({ reset: 'before' as const });

/** A list of distinct ids, and how it is answered line by line. */
function listOf(...ids: readonly string[]) {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'list.txt'), ids.map((id) => `${id}\n`).join(''));
  return {
    words: (kind = 'distinct-ids') => `--from ${join(folder, 'list.txt')} --as ${kind}`,
    receipt: `--receipt ${join(folder, 'answer.csv')}`,
    /** The last column of the receipt. */
    proven: () => {
      const [, ...rows] = readFileSync(join(folder, 'answer.csv'), 'utf8').trim().split('\n');
      return rows.map((row) => row.split(',').at(-1));
    },
  };
}

describe('somebody who is there, and whose calls were lost before they ran', () => {
  it.each([
    ['10 minutes behind, and they signed up 5 minutes ago', -10, -5],
    ['13 hours behind, and they signed up 5 hours ago', -13 * 60, -5 * 60],
  ])('has not come back if the clock here is %s', async (_, ahead, created) => {
    for (const dialect of dialects) {
      const one = known(1, undefined, { created_at: minuteText(created) });
      const { hogctl, stores, owed, verify } = await startStores({ listed: [one] }, dialect);
      stores.answers.push(lost, lost);
      expect(await hogctl(erase, 0, ahead)).toMatchObject({ code: 8 });
      const { code, record } = await verify(1, ahead);
      expect([code, record.left, record.came_back, record.holds]).toEqual([9, 1, 0, false]);
      expect(await owed(2)).toBe('persons');
    }
  });
});

describe('somebody who was two hours old, and is in SQL still', () => {
  it.each(['America/Los_Angeles', 'UTC', 'Asia/Tokyo'])(
    'is there still, with the time zone %s',
    async (zone) => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        const one = known(1, undefined, { created_at: minuteText(-120) });
        const { hogctl, stores, verify } = await startStores({ listed: [one], queried: [one] });
        stores.answers.push((received) => {
          stores.listed = [];
          return allDeleted(received);
        });
        expect(await hogctl(erase, 0)).toMatchObject({ code: 0 });
        const { code, record } = await verify(5);
        expect([code, record.left, record.came_back]).toEqual([9, 1, 0]);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    },
  );
});

describe.each(dialects)('an id that was split off, %s dialect', (dialect) => {
  const whole = known(1, undefined, { distinct_ids: ['user_1', 'phone_1'] });

  it('is not proven by the call that followed, however old its new person is', async () => {
    const { hogctl, stores, sent, owed } = await startStores({ listed: [whole] }, dialect);
    const { words, receipt, proven } = listOf('user_1');
    expect(await hogctl(`persons bulk-delete ${words()} --plan-only --yes`, 0)).toMatchObject({ code: 0 });
    const other = known(9, undefined, { distinct_ids: ['user_1'], created_at: '2025-01-01T00:00:00Z' });
    stores.listed = [{ ...whole, distinct_ids: ['phone_1'] }, other];
    const resumed = await hogctl('runs resume 2026 --yes', 5);
    expect([resumed.code, sent().flat().includes(uuid(9)), stores.listed]).toEqual([0, false, [other]]);
    const { code, stdout } = await hogctl(`runs verify last ${words()} ${receipt} -o json`, 6);
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { holds: false, others: 1 }]);
    expect([proven(), await owed(7)]).toEqual([['no'], 'persons']);
  });

  it('is not proven by a deletion that was queued when it was', async () => {
    const { hogctl, stores, owed } = await startStores({ listed: [whole] }, dialect);
    stores.answers.push(() => ({ status: 202, json: summary({ found: 1, deleted: 0, queued: 1 }) }));
    const { words, receipt, proven } = listOf('user_1', 'phone_1');
    expect(await hogctl(`persons bulk-delete ${words()} --yes`, 0)).toMatchObject({ code: 0 });
    const split = known(9, undefined, { distinct_ids: ['phone_1'], created_at: minuteText(10) });
    stores.listed = [split];
    const { code, stdout } = await hogctl(`runs verify last ${words()} ${receipt} -o json`, 60);
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { holds: false, left: 0, others: 1 }]);
    expect([proven(), await owed(61)]).toEqual([['no', 'no'], 'persons']);
  });
});

describe('look-ups without anybody', () => {
  const many = (received: Received) => (isLookUpOfMany(received) ? { json: { results: {} } } : undefined);
  const everything = ({ url }: Received): StubAnswer | undefined =>
    url.endsWith('/query/') ? undefined : { json: { results: {} } };

  it.each([
    ['the look-up of many shows nobody', 'live', many],
    ['each answer is an empty one', 'live', everything],
    ['lists are empty, and all else is not found', 'live', nothingShown],
    ['lists are empty, and all else is not found', 'specification', nothingShown],
  ] as const)('prove nothing where people are there: %s, %s dialect', async (_, dialect, lookUp) => {
    const { hogctl, stores, owed } = await startStores({ listed: [known(1), known(2)] }, dialect);
    stores.answers.push(allDeleted);
    const line = 'persons bulk-delete --distinct-ids user_1,user_2 --yes';
    expect(await hogctl(line, 0)).toMatchObject({ code: 0 });
    stores.lookUp = lookUp;
    const { code, stdout } = await hogctl('runs verify last -o json', 1);
    expect({ code, stdout }).not.toMatchObject({ code: 0 });
    expect(stdout).not.toContain('"holds":true');
    const [run] = JSON.parse((await hogctl('runs list -o json', 2)).stdout);
    expect(run).toMatchObject({ verified: false, owed: await owed(3), has_ids: true });
    expect(run.owed).toBe('persons');
  });
});

describe('somebody who was merged before the call', () => {
  const survivor = known(9, undefined, { distinct_ids: ['user_9', 'user_2'] });

  it.each(['before', 'after'])(
    'is not proven by a list that is given %s the ids were removed',
    async (when) => {
      const { hogctl, stores, remove } = await startStores({ listed: [known(1), known(2)] });
      stores.answers.push((received) => {
        stores.listed = [known(1), survivor];
        return remove(received);
      });
      const { words, receipt, proven } = listOf(uuid(1), uuid(2));
      expect(await hogctl(`persons bulk-delete ${words('ids')} --yes`, 0)).toMatchObject({ code: 8 });
      if (when === 'after') expect(await hogctl('runs prune last --yes', 1)).toMatchObject({ code: 0 });
      const { code, stderr } = await hogctl(`runs verify last ${words('ids')} ${receipt}`, 2);
      expect(code, stderr).toBe(9);
      expect(proven()).toEqual(['person list', 'no']);
      expect(JSON.parse((await hogctl('runs list -o json', 3)).stdout)).toMatchObject([{ verified: false }]);
    },
  );
});

it.each([
  ['without a date', false],
  ['with dates', true],
])('a deletion status of last year proves nothing of the events of a service %s', async (_, hasDate) => {
  const { hogctl, stores, owed, verify } = await startStores({ listed: [known(1)], hasDate });
  const row = { person_uuid: uuid(1), status: 'completed', created_at: '2025-03-02T12:00:00Z' };
  stores.lookUp = ({ url }) =>
    url.includes('deletion_status') ? { json: { next: null, results: [row] } } : undefined;
  expect(await hogctl(`${erase} --delete-events`, 0)).toMatchObject({ code: 0 });
  const { code, record } = await verify(1);
  expect([code, record.left, record.holds, record.events]).toEqual([9, 0, false, { gone: 0, open: 1 }]);
  expect(await owed(2)).toBe('events');
});

describe.each(dialects)(
  'people who are there, though the service says that it deleted them, %s dialect',
  (dialect) => {
    const people: readonly Known[] = [known(1), known(2)];
    const EPOCH = 'Thu, 01 Jan 1970 00:00:00 GMT';

    it.each([
      ['dates that answer 1970', EPOCH, false],
      ['dates all answers 1970', EPOCH, true],
      ['dates that answer before they came', 'Mon, 01 Dec 2025 00:00:00 GMT', false],
      ['dates that answer two days back', 'Sat, 28 Feb 2026 12:00:00 GMT', false],
      ['dates no answer', '', true],
      ['dates that answer with a word', 'yesterday', false],
    ])('are there still if it %s', async (_, date, isOfAll) => {
      const { hogctl, stores, owed } = await startStores({ listed: people }, dialect);
      if (isOfAll) stores.date = date;
      stores.answers.push((received) => ({ ...allDeleted(received), headers: { date } }));
      const { words, receipt, proven } = listOf('user_1', 'user_2');
      expect(await hogctl(`persons bulk-delete ${words()} --yes`, 0)).toMatchObject({ code: 0 });
      const { code, stdout } = await hogctl(`runs verify last ${words()} ${receipt} -o json`, 1);
      expect([code, JSON.parse(stdout)]).toMatchObject([9, { left: 2, came_back: 0, holds: false }]);
      expect([proven(), await owed(2)]).toEqual([['no', 'no'], 'persons']);
    });
  },
);

it.each(dialects)(
  'a count that was calculated before proves nothing of the events, %s dialect',
  async (dialect) => {
    const one = known(1);
    const { hogctl, stores, owed } = await startStores({ listed: [one], queried: [one] }, dialect);
    expect(await hogctl(`${erase} --delete-events`, 0)).toMatchObject({ code: 0 });
    const answer = { results: [[0, 0, Date.parse(minuteText(1)) / 1000]], columns: [] };
    const kept = { ...answer, is_cached: true, last_refresh: '2025-03-02T12:00:00Z' };
    stores.lookUp = ({ body }) => (body.includes('FROM events') ? { json: kept } : undefined);
    const { code, stdout, stderr } = await hogctl('runs verify last -o json', 1);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain('does not say that the query was calculated anew');
    expect(await owed(2)).toBe('events');
    stores.lookUp = ({ body }) => (body.includes('FROM events') ? { json: answer } : undefined);
    expect(await hogctl('runs verify last', 3)).toMatchObject({ code: 0 });
  },
);
