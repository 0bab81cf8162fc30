import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, uuid } from '../support/bulk-deletions.ts';
import { startOf } from '../support/moving-people.ts';
import { runsOf } from '../support/runs-of.ts';
import { nobodyThere, person, startWithoutSql, startWithPeople } from '../support/service.ts';

const line = 'persons bulk-delete --distinct-ids user_1,user_2,user_3 --yes --retries 0 -o json';

describe('a lost answer', () => {
  it('leaves it open who is there, so that people are looked for, and sent once more only', async () => {
    const { hogctl, log } = await startWithPeople([{ on: /^POST/, status: 502, times: 9 }]);
    const { code, stdout, stderr } = await hogctl(line);
    expect([code, JSON.parse(stdout)]).toEqual([8, expect.objectContaining({ unknown: 3, gone: 0 })]);
    expect(log.map(idsOf)).toEqual([
      ['1', '2', '3'],
      ['1', '2', '3'],
    ]);
    expect(stderr).toContain('the outcome of 3 ids is unknown');
    expect(stderr).toMatch(/hogctl runs resume \S+ sends what is left/);
  });

  it.each([
    ['right', 0],
    ['an hour ahead', 60],
    ['an hour behind', -60],
  ])('spares who signed up since, and only them, with a clock here that is %s', async (_, ahead) => {
    const created = '2026-01-02T03:04:05Z';
    const of = (id: number, user: number) => ({ uuid: uuid(id), created, ids: [`user_${user}`] });
    const old = of(1, 1);
    const service = await startOf([old, of(9, 2), of(3, 3)]);
    service.clock.failures = 2;
    expect(await service.hogctl(line, ahead)).toMatchObject({ code: 8 });
    const since = { created: '2026-03-02T12:10:00Z' };
    service.change([old, { ...of(2, 2), ...since }, { ...of(3, 3), ...since }], '2026-03-02T12:20:00Z');
    const before = service.sent().length;
    const { code, stdout, stderr } = await service.hogctl('runs resume 2026 --yes -o json', 20 + ahead);
    expect(service.sent().slice(before)).toEqual([uuid(1)]);
    expect(service.people().map((one) => one.uuid)).toEqual([uuid(2), uuid(3)]);
    expect(JSON.parse(stdout)).toMatchObject({ unknown: 2, deleted: 1 });
    expect([code, stderr]).toEqual([8, expect.stringContaining('2 persons were spared')]);
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
  const people = [1, 2].map((id) => ({
    uuid: uuid(id),
    created: '2026-01-02T03:04:05Z',
    ids: [`user_${id}`],
  }));
  const erase = 'persons bulk-delete --distinct-ids user_1,user_2 --delete-events --yes -o json';
  const since = '2026-03-02T12:00:01Z';
  const row = (id: number, status: 'pending' | 'completed', created = since) => ({
    uuid: uuid(id),
    created,
    status,
  });
  const before = '2026-02-01T00:00:00Z';

  it.each([
    ['that nobody asked for before', [], 2],
    ['that are queued', [row(1, 'pending'), row(2, 'pending')], 2],
    ['of which one is missing', [row(2, 'completed')], 1],
    [
      'of somebody with rows of which one is pending',
      [row(1, 'pending'), row(1, 'completed'), row(2, 'completed')],
      1,
    ],
    [
      'of somebody with only a row of an earlier deletion',
      [row(1, 'completed', before), row(2, 'completed')],
      1,
    ],
    [
      'of somebody with a row that is to come',
      [row(1, 'completed', '2026-03-09T00:00:00Z'), row(2, 'completed')],
      1,
    ],
  ])('are owed as long as the deletion status has not all rows completed: rows %s', async (_, rows, open) => {
    const { hogctl, showStatus, change } = await startOf(people);
    expect(await hogctl(erase, 0)).toMatchObject({ code: 0 });
    showStatus(...rows);
    change([], '2026-03-02T12:10:00Z');
    const { code, stdout } = await hogctl('runs verify 2026 -o json', 10);
    expect([code, JSON.parse(stdout)]).toEqual([
      9,
      expect.objectContaining({ holds: false, left: 0, events: { gone: 2 - open, open } }),
    ]);
  });

  it('are gone once each person has a row since then, all of them completed', async () => {
    const { hogctl, showStatus, change } = await startOf(people);
    await hogctl(erase, 0);
    showStatus(row(1, 'pending', before), row(1, 'completed'), row(2, 'completed'), row(2, 'completed'));
    change([], '2026-03-02T12:10:00Z');
    const { code, stdout } = await hogctl('runs verify 2026 -o json', 10);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ holds: true, events: { gone: 2, open: 0 } }),
    ]);
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

describe('who has an id once it was seen free', () => {
  const old = { uuid: uuid(1), created: '2026-01-02T03:04:05Z', ids: ['user_1'] };

  it.each([
    ['the person as planned is left', old, 9, 1],
    ['the same UUID, a second later, has come back', { ...old, created: '2026-01-02T03:04:06Z' }, 0, 0],
    [
      'somebody else who came later has come back',
      { ...old, uuid: uuid(7), created: '2026-03-02T12:01:00Z' },
      0,
      0,
    ],
    [
      'somebody else who came before has come back',
      { ...old, uuid: uuid(7), created: '2025-01-01T00:00:00Z' },
      0,
      0,
    ],
  ])('%s', async (_, one, code, left) => {
    const { hogctl, change } = await startOf([old]);
    expect(await hogctl('persons bulk-delete --distinct-ids user_1 --yes', 0)).toMatchObject({ code: 0 });
    change([one], '2026-03-02T14:00:00Z');
    const verified = await hogctl('runs verify 2026 -o json', 5);
    expect(JSON.parse(verified.stdout)).toMatchObject({ left, came_back: 1 - left, holds: left === 0 });
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
