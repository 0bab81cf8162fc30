import { describe, expect, it } from 'vitest';
import { uuid } from '../support/bulk-deletions.ts';
import { erased, LATER, OLD } from '../support/erased.ts';
import { onSandbox } from '../support/on-sandbox.ts';
import { startService } from '../support/service.ts';

describe('a run that found nobody', () => {
  it('does not claim that the deletion of events is pending, which it never queued', async () => {
    const answer = { persons_found: 0, persons_deleted: 0 };
    const { end, verify } = await erased({ events: [13, 0], answer }, '--delete-events --ignore-missing');
    expect(end.code).toBe(8);
    const { code, record, stderr } = await verify();
    expect({ code, record }).toMatchObject({
      code: 9,
      record: { events: { left: 13 }, pending_until: null },
    });
    expect(stderr).toContain('no answer says that the events of these persons will be deleted');
    expect(stderr).not.toContain('still be at work');
  });
});

describe('runs verify', () => {
  it.each([
    ['in SQL only', { inSql: { uuid: uuid(1), created: LATER } }, ['sql']],
    ['in the person list only', { listed: { uuid: uuid(1), created: LATER } }, ['person list']],
    [
      'in both',
      { listed: { uuid: uuid(1), created: LATER }, inSql: { uuid: uuid(1), created: LATER } },
      ['person list', 'sql'],
    ],
  ])('names who came back %s, the day and the id that sends, and holds', async (_, shown, stores) => {
    const { verify } = await erased(shown);
    const { code, record, stderr } = await verify();
    expect([code, record.holds, record.came_back, record.left]).toEqual([0, true, 1, 0]);
    expect(record.people).toEqual([
      {
        kind: 'distinct-ids',
        id: 'user_1',
        uuid: uuid(1),
        state: 'came back',
        stores,
        created_at: expect.stringMatching(/^2026-03-05[T ]09:00:00/),
        last_event: LATER,
        sent_by: 'anonymous_1',
      },
    ]);
    expect(stderr).toContain('1 person came back after the deletion: stop the client that sends');
  });

  it('does not hold for who was back when the stores were first asked, and says how to go on', async () => {
    const back = { uuid: uuid(1), created: LATER };
    const { end, verify } = await erased({ listed: back, inSql: back, isAtOnce: true });
    expect(end.code).toBe(0);
    const { code, record, stderr } = await verify();
    expect([code, record.holds, record.came_back, record.left]).toEqual([9, false, 1, 0]);
    expect(stderr).toContain('1 person came back before their ids were seen free');
    expect(stderr).toContain('bulk-delete --new-run with these ids plans them again');
  });

  const planned = { uuid: uuid(1), created: OLD };
  const another = { uuid: uuid(7), created: OLD };

  it.each([
    ['SQL still has', { inSql: planned, isAtOnce: true as const }],
    ['the person list still has', { listed: planned, isAtOnce: true as const }],
    ['SQL has again', { inSql: planned }],
    ['the person list has again', { listed: planned }],
  ])('does not hold where %s the planned person', async (_, shown) => {
    const { verify } = await erased(shown, '--delete-events');
    const { code, record } = await verify();
    expect([code, record.left]).toEqual([9, 1]);
  });

  it('tells another person behind an id that was free as come back, whatever their age', async () => {
    const { verify } = await erased({ listed: another, inSql: another }, '--delete-events');
    const { code, record } = await verify();
    expect([code, record.left, record.came_back]).toEqual([0, 0, 1]);
  });

  it.each([
    ['the person list', { listed: another }],
    ['SQL', { inSql: another }],
    ['both stores', { listed: another, inSql: another }],
  ])('does not hold where %s showed another person behind the id from the call on', async (_, shown) => {
    const { verify } = await erased({ ...shown, isAtOnce: true });
    const { code, record, stderr } = await verify();
    expect([code, record.left, record.others, record.came_back]).toEqual([9, 0, 1, 0]);
    expect(record.people).toMatchObject([{ id: 'user_1', uuid: uuid(7), state: 'another' }]);
    expect(stderr).toContain('bulk-delete --new-run with these ids plans them again');
  });

  it('counts the events of all distinct ids up to the deletion, and tells later ones', async () => {
    const { verify, service } = await erased({ events: [3, 2] }, '--delete-events');
    const { code, record, stderr } = await verify();
    expect(code).toBe(9);
    expect(record.events).toEqual({ gone: 0, open: 1, left: 3, later: 2 });
    expect(stderr).toContain('3 events from before the deletion still there');
    expect(stderr).toContain('2 events came after the deletion');
    const count = service.log.find(({ body }) => body.includes('countIf'));
    // A client dates its events as it likes; when they arrived is for the service to say.
    expect(count?.body).toContain('countIf(created_at <= toDateTime({moment}))');
    expect(count?.body).toContain('"distinct_ids":["user_1","anonymous_1"]');
    expect(count?.body).toContain(`"uuids":["${uuid(1)}"]`);
    expect(count?.body).toContain('"moment":"2026-03-02T12:00:00.999Z"');
    expect(count?.body).toContain('"refresh":"force_blocking"');
    expect((await service.hogctl('runs list -o json')).stdout).toContain('"has_ids":true');
  });

  it('calls no events gone whose deletion was refused', async () => {
    const refusal = { status: 400, json: { code: 'invalid_input', detail: 'no' } };
    const there = { listed: planned, inSql: planned };
    const { end, verify } = await erased({ ...there, events: [0, 0], refusal }, '--delete-events');
    expect(end.code).not.toBe(0);
    const { code, record, stderr } = await verify();
    expect([code, record.left, record.events]).toEqual([9, 1, { gone: 0, open: 0, left: 0, later: 0 }]);
    expect(stderr).toContain('sends what is left');
  });

  it('holds with later events alone', async () => {
    const { verify } = await erased({ events: [0, 2] }, '--delete-events');
    expect(await verify()).toMatchObject({ code: 0, record: { holds: true } });
  });

  it.each([
    [true, 0, 'not askable', 'whether recordings have gone cannot be asked'],
    [undefined, 9, 'not told', 'the service did not say that it queued'],
    [false, 9, 'not queued', 'the service did not queue the deletion of the recordings of 1 person'],
  ])('says of recordings that were queued: %s', async (queued, code, word, text) => {
    const run = await erased({ answer: { recordings_queued_for_deletion: queued } }, '--delete-recordings');
    expect(run.end.code).toBe(code === 0 ? 0 : 8);
    const verified = await run.verify();
    expect([verified.code, verified.record.recordings]).toEqual([code, word]);
    expect(verified.stderr).toContain(text);
    const [listed] = JSON.parse((await run.service.hogctl('runs list -o json')).stdout);
    expect(listed).toMatchObject({ verified: code === 0, owed: code === 0 ? null : 'recordings' });
  });

  it('ends with 9 and names the scope where the key may not ask about events', async () => {
    const { end, verify, service } = await erased({ mayQuery: false }, '--delete-events');
    expect(end.code).toBe(0);
    const { code, stderr } = await verify();
    expect(code).toBe(9);
    expect(stderr).toContain('this key may not ask everything, since it lacks query:read');
    expect(stderr).toContain('use a key with the scope query:read');
    const [listed] = JSON.parse((await service.hogctl('runs list -o json')).stdout);
    expect(listed).toMatchObject({ has_ids: true, owed: 'events' });
  });

  it('ends with 9 and names the scope where a store answered before and may not be asked any more', async () => {
    const { end, verify, service } = await erased({ mayQuery: 'until the deletion' });
    expect(end.code).toBe(0);
    const { code, record, stderr } = await verify();
    expect([code, record.left, record.missing_scope]).toEqual([9, 0, 'query:read']);
    expect(stderr).toContain('use a key with the scope query:read');
    expect((await service.hogctl('runs list -o json')).stdout).toContain('"has_ids":true');
  });

  it('asks about each run that owes something, also beside one of another project', async () => {
    const { service, bringBack } = await erased({ events: [3, 0] }, '--delete-events');
    const other = { environment: { HOGCTL_PROJECT: '2' } };
    bringBack(true);
    await service.hogctl('persons bulk-delete --distinct-ids user_1 --delete-events --yes', other);
    bringBack(false);
    const due = await service.hogctl('runs verify --due -o json');
    expect(due.code).toBe(9);
    const rows = JSON.parse(due.stdout);
    expect(rows).toMatchObject([
      { holds: false, owed: 'events', remark: expect.stringContaining('3 events from before') },
      { holds: false, owed: 'events', remark: expect.stringContaining('no key is stored for project 2') },
    ]);
    expect(due.stderr).toContain('was not asked about: no key is stored for project 2');
    const one = await service.hogctl('runs verify --due -o json --project 2');
    expect(JSON.parse(one.stdout)).toMatchObject([
      { project: '2', remark: expect.stringContaining('3 events') },
    ]);
    expect(due.stderr).toContain('2 of 2 runs are not known to be done');
  });

  it.each([
    ['no run', 'runs verify', 'a run is missing'],
    ['a run with --due', 'runs verify last --due', '--due asks about every run'],
    ['a list with --wait', 'runs verify last --wait --from f --as ids', '--wait writes no receipt'],
  ])('refuses %s', async (_, line, text) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('knows no last run where there is none', async () => {
    const service = await startService([]);
    expect(await service.hogctl('runs show last')).toMatchObject({ code: 3 });
  });
});

describe('a run on the sandbox', () => {
  it('that keeps the persons is pending by the clock of the service, whatever the one here says', async () => {
    const { hogctl } = await onSandbox('live');
    await hogctl('persons bulk-delete --distinct-ids shopper-0001 --keep-person --delete-events --yes');
    const later = { now: () => Date.parse('2026-11-28T12:00:00Z') };
    const { stdout } = await hogctl('runs verify last -o json', later);
    expect(JSON.parse(stdout).pending_until).toBe('2026-06-21T05:00:00.000Z');
  });

  it('leaves no day to come to tell of, also when the run is resumed', async () => {
    const { hogctl } = await onSandbox('live');
    await hogctl('persons bulk-delete --distinct-ids shopper-0007 --delete-events --yes');
    const resume = async () => (await hogctl('runs resume 2026 --yes --project 1')).stderr;
    expect(await resume()).toContain('it does not run before Sunday 2026-06-21');
    await hogctl('sandbox advance --to 2026-06-21T06:00:00Z');
    expect(await hogctl('runs verify last')).toMatchObject({ code: 0 });
    expect(await resume()).toContain('Nothing is left to send.');
    expect(await resume()).not.toContain('does not run before');
  });

  it('is waited for past the Sunday with --wait, and then keeps nothing', async () => {
    const { hogctl } = await onSandbox();
    await hogctl('persons bulk-delete --distinct-ids shopper-0007 --delete-events --yes');
    const waits: number[] = [];
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds);
      await hogctl('sandbox advance --to 2026-06-21T06:00:00Z');
    };
    const { code, stderr } = await hogctl('runs verify last --wait', { wait });
    expect([code, waits.length]).toEqual([0, 1]);
    expect(stderr).toContain(
      'pending until Sunday 2026-06-21, 05:00 UTC; the next check is at 2026-06-21T05:10',
    );
    expect((await hogctl('runs list')).stdout).toMatch(/done +true +gone$/m);
    expect(await hogctl('runs verify --due -o json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('ends its wait on %s with %i', async (name, expected) => {
    const { hogctl } = await onSandbox();
    await hogctl('persons bulk-delete --distinct-ids shopper-0007 --delete-events --yes');
    const controller = new AbortController();
    const wait = async () => controller.abort(name);
    const { code } = await hogctl('runs verify last --wait', { wait, signal: controller.signal });
    expect(code).toBe(expected);
  });

  it('keeps its ids under prune while it owes, and loses them when it is named, which its report says', async () => {
    const { hogctl } = await onSandbox();
    await hogctl('persons bulk-delete --distinct-ids shopper-0007 --delete-events --yes');
    const kept = await hogctl('runs prune --older-than 0 --yes');
    expect(kept.stderr).toContain('1 run keeps its ids, since it owes something');
    expect(await hogctl('runs prune last', { answers: ['n'] })).toMatchObject({ code: 7 });
    const dry = await hogctl('runs prune last --dry-run');
    expect(dry.stdout).toMatch(/remove ids +it owes events/);
    const given = await hogctl('runs prune last', { answers: ['y'] });
    expect(given.stderr).toContain('which still owes events');
    expect(JSON.parse((await hogctl('runs report last -o json')).stdout)).toMatchObject({
      ids_dropped: true,
      ids_dropped_owing: ['events'],
    });
    expect((await hogctl('runs report last')).stdout).toContain(
      'The ids were removed while the run still owed: events.',
    );
    expect(await hogctl('runs prune last --yes')).toMatchObject({ code: 5 });
  });

  it('ends with the command that comes next, on a line of its own', async () => {
    const { hogctl, state } = await onSandbox();
    const end = await hogctl('persons bulk-delete --distinct-ids shopper-0007 --yes --project 1');
    expect(end.stderr).toMatch(
      new RegExp(`^HOGCTL_STATE_DIR=${state} hogctl runs verify last --project 1$`, 'm'),
    );
  });

  const combinations = [0, 1, 2, 3, 5, 6, 7].map((number) => ({
    keep: number >= 4,
    events: number % 2 === 1,
    recordings: (number & 2) === 2,
  }));

  it.each(combinations)(
    'says what goes and stays alike in plan, question, end and report: %j',
    async (flags) => {
      const { hogctl } = await onSandbox(flags.keep ? 'live' : 'specification');
      const options = [
        flags.keep ? ' --keep-person' : '',
        flags.events ? ' --delete-events' : '',
        flags.recordings ? ' --delete-recordings' : '',
      ].join('');
      const end = await hogctl(`persons bulk-delete --distinct-ids shopper-0007${options}`, {
        answers: ['1'],
      });
      const { stdout: report } = await hogctl('runs report last');
      const names = ['events', 'recordings'] as const;
      const staying = names.filter((name) => !flags[name]);
      const going = names.filter((name) => flags[name]);
      const [plan, rest = ''] = end.stderr.split('This will ');
      const [question, ending] = rest.split(/Type 1/);
      const stays = `heir ${staying.join(' and ')} stay`;
      for (const text of [plan, question, ending, report]) {
        expect(text?.includes(stays)).toBe(staying.length > 0);
        expect(text?.match(/heir [a-z ]+ stay/g) ?? []).toHaveLength(staying.length > 0 ? 1 : 0);
      }
      expect(question?.startsWith(`${flags.keep ? 'keep' : 'delete'} 1 person of 1 id`)).toBe(true);
      expect(plan?.includes('the persons themselves are kept')).toBe(flags.keep);
      expect(/keep the persons|persons? (?:is|are) kept|kept/i.test(report)).toBe(flags.keep);
      for (const name of going) expect(plan).toContain(`their ${name} too`);
      const requested = `request the deletion of their ${going.join(' and ')}`;
      expect(question?.includes(requested)).toBe(going.length > 0);
      expect(report.includes('deletion of events was requested')).toBe(flags.events);
      // The specification's service knows no deletion of recordings.
      const isRefused = flags.recordings && !flags.keep;
      expect(report.includes('did not queue the deletion of the recordings')).toBe(isRefused);
      expect(report.includes('deletion of recordings was requested')).toBe(flags.recordings && flags.keep);
      expect(end.code).toBe(isRefused ? 8 : 0);
    },
  );
});
