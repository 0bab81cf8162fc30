import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, summary, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { nobodyThere, person, startWithoutSql, startWithPeople } from './service.ts';

const line = 'persons bulk-delete --distinct-ids user_1,user_2,user_3 --yes --retries 0 -o json';
const minutes = (count: number) => Date.UTC(2026, 2, 2, 12, count);

describe('a lost answer', () => {
  it('of a service that never told a time leaves it open who is there, so nobody is sent again', async () => {
    const { hogctl, log } = await startWithPeople([{ on: /^POST/, status: 502 }]);
    const { code, stdout, stderr } = await hogctl(line);
    expect([code, JSON.parse(stdout)]).toEqual([8, expect.objectContaining({ withheld: 3, gone: 0 })]);
    expect(log).toHaveLength(1);
    expect(stderr).toContain('3 persons spared, who may have come since');
  });

  it.each([
    ['right', 0],
    ['an hour ahead', 60],
    ['an hour behind', -60],
  ])('spares who signed up since, and only them, with a clock here that is %s', async (_, ahead) => {
    const old = person(1);
    const back = { ...person(2), created_at: '2026-03-02T12:10:00Z' };
    const again = { ...person(3), created_at: '2026-03-02T12:10:00Z' };
    const before = { user_1: old, user_2: { ...person(9), distinct_ids: ['user_2'] }, user_3: person(3) };
    const date = { date: new Date(minutes(0)).toUTCString() };
    const { hogctl, log } = await startWithoutSql([
      { on: /by_distinct_ids/, times: 2, json: { results: before }, headers: date },
      { on: /bulk_delete/, status: 502, times: 2 },
      { on: /by_distinct_ids/, json: { results: { user_1: old, user_2: back, user_3: again } } },
      allDeleted,
    ]);
    const environment = { HOGCTL_DIALECT: 'live' };
    const at = (minute: number) => ({ environment, now: () => minutes(minute + ahead) });
    expect(await hogctl(line, at(0))).toMatchObject({ code: 8 });
    const { code, stdout } = await hogctl('runs resume 2026 --yes -o json', at(20));
    expect(log.slice(5).flatMap(idsOf)).toEqual([uuid(1)]);
    expect(JSON.parse(stdout)).toMatchObject({ withheld: 2, deleted: 1 });
    expect(code).toBe(8);
  });
});

describe('a dry run', () => {
  it('of runs resume tells what is left, sends nothing and leaves the record as it is', async () => {
    const { hogctl, log, environment } = await startWithPeople([allDeleted]);
    await hogctl('persons bulk-delete --ids 1,2,3 --plan-only --yes');
    const [run = ''] = runsOf({ environment });
    const record = () => readdirSync(run).map((name) => [name, readFileSync(join(run, name), 'utf8')]);
    const before = record();
    const { code, stdout } = await hogctl('runs resume last --dry-run -o json');
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ run: basename(run), ids: 3 }]]);
    expect(record()).toEqual(before);
    expect(log.flatMap(idsOf)).toEqual([]);
    expect(await hogctl('runs resume 2026 --yes')).toMatchObject({ code: 0 });
    expect(log.flatMap(idsOf)).toEqual(['1', '2', '3']);
  });

  it('of runs verify keeps the ids of a run of which nobody is left', async () => {
    const { hogctl, environment } = await startWithoutSql([
      (received) => (received.method === 'GET' ? nobodyThere(received) : allDeleted(received)),
    ]);
    await hogctl('persons bulk-delete --ids 1,2 --yes');
    const [run = ''] = runsOf({ environment });
    expect(await hogctl('runs verify last --dry-run')).toMatchObject({ code: 0 });
    expect(readdirSync(run)).toContain('ids');
    expect(await hogctl('runs verify last')).toMatchObject({ code: 0 });
    expect(readdirSync(run)).not.toContain('ids');
  });
});

describe('events on the live service', () => {
  const people = [1, 2].map(person);
  const byDistinctId = Object.fromEntries(people.map((one) => [one.distinct_ids[0], one]));
  const statuses = (rows: readonly (readonly [number, string])[]) => ({
    on: /deletion_status/,
    times: 9,
    json: { next: null, results: rows.map(([id, status]) => ({ person_uuid: uuid(id), status })) },
  });
  const live = { environment: { HOGCTL_DIALECT: 'live' } };
  const erase = 'persons bulk-delete --distinct-ids user_1,user_2 --delete-events --yes -o json';
  const service = (rows: readonly (readonly [number, string])[], { foundTimes = 9 } = {}) =>
    startWithPeople([
      { on: /by_distinct_ids/, times: foundTimes, json: { results: byDistinctId } },
      { on: /by_(?:distinct_ids|uuids)/, times: 9, json: { results: {} } },
      { on: /bulk_delete/, json: summary({ found: 2, deleted: 0, queued: 2, events: true }) },
      statuses(rows),
    ]);

  it('are confirmed where each person shows in the deletion status', async () => {
    const { hogctl } = await service([
      [1, 'pending'],
      [2, 'pending'],
    ]);
    const { code, stdout } = await hogctl(erase, live);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ queued: 2, events_unconfirmed: 0 });
  });

  it('are unconfirmed where one does not, which is no success', async () => {
    const { hogctl } = await service([[1, 'pending']]);
    const { code, stdout, stderr } = await hogctl(erase, live);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ queued: 2, events_unconfirmed: 1 });
    expect(stderr).toContain('the event deletion of 1 person is not confirmed');
  });

  it('of somebody with an older row are gone only when all rows say so', async () => {
    const { hogctl } = await service([
      [1, 'pending'],
      [1, 'completed'],
      [2, 'completed'],
      [2, 'completed'],
    ]);
    await hogctl(erase, live);
    const { code, stdout } = await hogctl('runs verify 2026 -o json', live);
    expect(code).toBe(9);
    expect(JSON.parse(stdout).events).toEqual({ completed: 1, pending: 1, unconfirmed: 0 });
  });
});

describe('a run whose ids were removed before it was carried out', () => {
  it('sends nothing any more', async () => {
    const { hogctl, log } = await startWithPeople([allDeleted]);
    await hogctl('persons bulk-delete --distinct-ids user_1,user_2,user_3 --plan-only --yes');
    expect(await hogctl('runs prune last --yes')).toMatchObject({ code: 0 });
    const { code, stderr } = await hogctl('runs resume 2026 --yes --project 1');
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('the record of this run has no ids any more'),
    ]);
    expect(log).toEqual([]);
  });
});

describe('who was created while the clocks differ', () => {
  const answered = { status: 202, json: summary({ found: 1, deleted: 1 }) };

  it.each([
    ['before the answer, by the clock of the service, is left', '2026-03-02T13:59:59Z', 9, 1],
    ['in the second of the answer is left', '2026-03-02T14:00:00.999Z', 9, 1],
    ['after it has come back', '2026-03-02T14:00:01Z', 0, 0],
  ])('%s', async (_, created, code, left) => {
    const headers = { date: 'Mon, 02 Mar 2026 14:00:00 GMT' };
    const one = { ...person(1), created_at: created };
    const { hogctl } = await startWithPeople([
      { on: /^POST/, headers, ...answered },
      ({ url }) => ({ json: url.includes('distinct_id=') ? { next: null, results: [one] } : one }),
    ]);
    await hogctl('persons bulk-delete --distinct-ids user_1 --yes', { now: () => minutes(0) });
    const verified = await hogctl('runs verify 2026 -o json', { now: () => minutes(5) });
    expect(JSON.parse(verified.stdout)).toMatchObject({ left, recreated: 1 - left, holds: left === 0 });
    expect(verified.code).toBe(code);
  });
});

describe('the deletion of one person', () => {
  const found = {
    on: /^GET/,
    times: 9,
    json: person(1),
    headers: { date: 'Mon, 02 Mar 2026 12:00:00 GMT' },
  };

  it('that a signal ends before it is sent leaves no run', async () => {
    const stop = new AbortController();
    stop.abort('SIGTERM');
    const service = await startWithoutSql([found]);
    const { code, stderr } = await service.hogctl('persons delete 1 --yes', { signal: stop.signal });
    expect([code, stderr]).toEqual([143, expect.stringContaining('interrupted: nothing was deleted')]);
    expect(runsOf(service)).toEqual([]);
  });

  it('that a signal ends while it is in flight is said as it is, and resumed', async () => {
    const [soon, now] = [new AbortController(), new AbortController()];
    const work = () => {
      soon.abort('SIGINT');
      setImmediate(() => now.abort('SIGINT'));
    };
    const service = await startWithoutSql([
      found,
      { on: /^DELETE/, never: true, work },
      ({ json }) => allDeleted({ json }),
    ]);
    const signals = { signal: soon.signal, forcedSignal: now.signal };
    const { code, stderr } = await service.hogctl('persons delete 1 --yes', signals);
    const [run = ''] = runsOf(service).map((path) => basename(path));
    expect([code, stderr]).toEqual([
      130,
      `error: interrupted, it is not known whether person 1 was deleted\nhint: hogctl runs resume ${run} sends it again\n`,
    ]);
    expect(await service.hogctl('runs resume 2026 --yes')).toMatchObject({ code: 0 });
  });

  it.each([
    ['--delete-events', 'request to delete the events'],
    ['--delete-recordings', 'request to delete the recordings'],
    ['--delete-events --delete-recordings', 'request to delete the events and recordings'],
  ])('who stays says what was asked for: %s', async (words, asked) => {
    const { hogctl } = await startWithoutSql([
      { on: /^DELETE/, status: 202, body: '' },
      { on: /batch_by_uuids/, json: { results: { [uuid(1)]: person(1) } } },
      { on: /^GET/, times: 9, json: { ...person(1), next: null, results: [] } },
    ]);
    const line = `persons delete ${uuid(1)} --keep-person ${words} --yes`;
    const { code, stderr } = await hogctl(line, { environment: { HOGCTL_DIALECT: 'live' } });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`The service accepted the ${asked} of person`),
    ]);
  });
});
