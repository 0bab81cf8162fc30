import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered, summary, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { startService, startWithPeople } from '../support/service.ts';
import type { StubAnswer } from '../support/stub-server.ts';
import { answerFrom, known } from '../support/two-stores.ts';

const environment = { HOGCTL_DIALECT: 'live' };
const four = 'persons bulk-delete --distinct-ids u1,u2,u3,u4 --yes --retries 0';

/** Answers the first calls as listed, the others with success. */
async function answering(...answers: readonly StubAnswer[]) {
  let call = 0;
  return startWithPeople([
    (received) => {
      call += 1;
      return answers[call - 1] ?? allDeleted(received);
    },
  ]);
}

describe('a row of the report, one for each id', () => {
  const failed = [{ person_uuid: uuid(2), step: 'clickhouse' }];
  const stranger = [{ person_uuid: uuid(9), step: 'clickhouse' }];
  const told = (json: object) => ({ status: 202, json });
  const again = told(summary({ found: 1, deleted: 0, errors: failed }));
  const lost = { status: 502 };
  const refused = { status: 403, json: { code: 'permission_denied', detail: 'no' } };

  it.each<[string, string, readonly StubAnswer[], readonly string[]]>([
    ['each figure agrees', '', [], Array(4).fill('deleted')],
    ['all are queued', '', [told(summary({ found: 4, deleted: 0, queued: 4 }))], Array(4).fill('queued')],
    [
      'one fails, twice',
      '',
      [told(summary({ found: 4, deleted: 0, queued: 3, errors: failed })), again],
      ['queued', 'failed clickhouse', 'queued', 'queued'],
    ],
    ['the answer has no body', '', [{ status: 202 }], Array(4).fill('accepted')],
    ['fewer are found', '', [told(summary({ found: 3, deleted: 3 }))], ['sent', 'sent', 'sent', 'deleted']],
    [
      'a stranger fails',
      '',
      [told(summary({ found: 4, deleted: 3, errors: stranger }))],
      ['sent', 'sent', 'sent', 'deleted'],
    ],
    [
      'an answer is lost, and nothing is done',
      '--batch-size 2',
      [lost, lost],
      ['unknown', 'unknown', 'deleted', 'deleted'],
    ],
    [
      'the key is refused in the midst of it',
      '--batch-size 1',
      [told(summary({ found: 1, deleted: 1 })), refused],
      ['deleted', 'refused', 'not sent', 'not sent'],
    ],
  ])('says what is known, and no more, if %s', async (_, option, answers, expected) => {
    const service = await answering(...answers);
    await service.hogctl(`${four} ${option}`, { environment });
    const { code, stdout } = await service.hogctl('runs report last -o json');
    const { list } = JSON.parse(stdout).members;
    const rows = list.map(({ outcome, step }: Record<string, string>) =>
      step ? `${outcome} ${step}` : outcome,
    );
    expect([code, rows]).toEqual([0, expected]);
    const csv = await service.hogctl('runs report last -o csv');
    expect(csv.stdout.trim().split('\n')).toHaveLength(5);
  });

  it('names nobody, in no format, nor does it show the check key', async () => {
    const service = await answering(told(summary({ found: 4, deleted: 3, errors: failed })), again);
    await service.hogctl(four, { environment });
    const [run = ''] = runsOf(service);
    const key = readFileSync(join(run, 'check-key'), 'utf8').trim();
    for (const format of ['json', 'csv', 'table']) {
      const { code, stdout } = await service.hogctl(`runs report last -o ${format}`);
      expect([code, stdout.length > 300]).toEqual([0, true]);
      for (const secret of [/\bu[1-4]\b/, /00000000-0000/, new RegExp(key)])
        expect(stdout).not.toMatch(secret);
    }
  });

  it('stands in the rows alone if there are more than 10,000', async () => {
    const bystander = known(999_999, undefined, { distinct_ids: ['somebody-else'] });
    const service = await startService([answerFrom({ listed: [bystander] })]);
    const end = await service.hogctl('persons bulk-delete --from - --as distinct-ids --yes', {
      environment,
      stdin: numbered(10_001).join('\n'),
    });
    expect(end.code).toBe(3);
    const { stdout } = await service.hogctl('runs report last -o json');
    expect(JSON.parse(stdout).members).toMatchObject({ count: 10_001, list: null });
    const csv = await service.hogctl('runs report last -o csv');
    expect(csv.stdout.trim().split('\n')).toHaveLength(10_002);
  });
});

describe('the report of a run', () => {
  const reportOf = async (service: Awaited<ReturnType<typeof answering>>) =>
    JSON.parse((await service.hogctl('runs report last -o json')).stdout);

  it('that was not carried out has no times and no figures', async () => {
    const service = await answering();
    await service.hogctl(`${four} --plan-only --delete-events`, { environment });
    expect(await reportOf(service)).toMatchObject({
      first_sent_at: null,
      last_answered_at: null,
      ended_at: null,
      sessions: [],
      outcome: { verdict: 'not begun', found: null, deleted: null, queued: null, not_sent: 4 },
      events: { requested_at: null, queued: null, not_before: null, not_before_by: null },
      calls: [],
    });
  });

  it('tells how each call ended, and why the run did', async () => {
    const refused = { status: 403, json: { code: 'permission_denied', detail: 'no' } };
    const service = await answering({ status: 202 }, { status: 502 }, refused);
    await service.hogctl(`${four} --batch-size 1`, { environment });
    const { outcome, calls } = await reportOf(service);
    expect(outcome).toMatchObject({
      verdict: 'stopped',
      stopped: 'authentication',
      found: null,
      deleted: null,
    });
    const failed = { outcome: 'unknown', kind: 'unavailable', status: 502 };
    const forbidden = { outcome: 'not-done', kind: 'authentication', status: 403, code: 'permission_denied' };
    expect(calls).toMatchObject([
      { batch: 1, call: 1, persons: 1, state: 'accepted', found: null, failure: null },
      { batch: 2, call: 1, persons: 1, state: 'unknown', failure: failed },
      { batch: 2, call: 2, persons: 1, state: 'failed, not carried out', failure: forbidden },
    ]);
  });
});

describe('the day before which no event goes, in the report', () => {
  it.each([
    ['2026-11-28T12:00:00Z', '2026-11-29T05:00:00.000Z'],
    ['2026-11-29T04:59:59Z', '2026-11-29T05:00:00.000Z'],
    ['2026-11-29T05:00:00Z', '2026-12-06T05:00:00.000Z'],
    ['2026-11-30T00:00:00Z', '2026-12-06T05:00:00.000Z'],
    [undefined, '2026-03-08T05:00:00.000Z'],
  ])('is the Sunday after the service answered: at %s', async (at, sunday) => {
    const headers = at === undefined ? {} : { date: new Date(at).toUTCString() };
    const service = await startWithPeople([
      (received) => {
        const count = idsOf(received).length;
        return { headers, status: 202, json: summary({ found: count, deleted: count, events: true }) };
      },
    ]);
    await service.hogctl('persons bulk-delete --ids 1 --delete-events --yes');
    const { events } = JSON.parse((await service.hogctl('runs report last -o json')).stdout);
    expect(events.not_before).toBe(sunday);
    expect(events.not_before_by).toBe(
      at === undefined ? 'the clock of the computer that asked' : "the service's clock",
    );
  });
});
