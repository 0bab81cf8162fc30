import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summary } from '../support/bulk-deletions.ts';
import { person, startService } from '../support/service.ts';

const DAY = 24 * 3_600_000;
const START = Date.UTC(2026, 2, 2, 12);

/** A service that queues all deletions, and the program `days` after the 2nd of March. */
async function start() {
  const service = await startService([
    { on: /query/, times: 99, status: 403, json: { code: 'permission_denied', detail: 'no' } },
    { on: /^GET .*persons\/7\//, times: 9, json: { ...person(1), id: 7 } },
    { on: /^GET /, times: 99, json: { next: null, results: [{ ...person(1), id: 7 }] } },
    { on: /^DELETE /, times: 9, status: 202, json: {} },
    () => ({ status: 202, json: summary({ found: 1, deleted: 0, queued: 1 }) }),
  ]);
  let second = 0;
  const hogctl = (line: string, days = 0) => {
    second += 1;
    const now = START + days * DAY + second * 1000;
    return service.hogctl(line, { now: () => now });
  };
  const due = async (days: number) => {
    const { code, stdout, stderr } = await hogctl('runs list --due -o json', days);
    return { code, stderr, rows: JSON.parse(stdout) };
  };
  return { hogctl, due, log: service.log, state: service.environment.HOGCTL_STATE_DIR ?? '' };
}

const erase = 'persons bulk-delete --distinct-ids user_1 --yes --new-run';

describe('a deadline', () => {
  it('is 30 days after the request came in, or so long after as is said', async () => {
    const { hogctl, due } = await start();
    const told = await hogctl(`${erase} --received 2026-02-20 --deadline 6w`);
    expect(told.stderr).toContain('received on 2026-02-20, due by 2026-04-03\n');
    await hogctl(`${erase} --received 2026-02-20`);
    await hogctl(`${erase} --deadline 10d`);
    await hogctl(erase);
    const { code, rows } = await due(0);
    expect(code).toBe(0);
    expect(rows).toMatchObject([
      { received: '2026-03-02', deadline: '2026-03-12', days_left: 10, owed: 'persons' },
      { received: '2026-02-20', deadline: '2026-03-22', days_left: 20 },
      { received: '2026-03-02', deadline: '2026-04-01', days_left: 30 },
      { received: '2026-02-20', deadline: '2026-04-03', days_left: 32 },
    ]);
    const report = JSON.parse((await hogctl('runs report last -o json')).stdout);
    expect(report).toMatchObject({ received: null, deadline: null });
  });

  it('that has passed ends the list with 9, from the day after it on', async () => {
    const { hogctl, due } = await start();
    await hogctl(`${erase} --received 2026-02-20`);
    expect(await due(20)).toMatchObject({ code: 0, rows: [{ days_left: 0 }] });
    const { code, rows, stderr } = await due(21);
    expect([code, rows]).toMatchObject([9, [{ days_left: -1 }]]);
    expect(stderr).toContain('1 of 1 run is overdue, with 1 line');
    // All of it was sent.
    expect(stderr).toContain('"hint":"hogctl runs verify --due asks what has gone"');
    const report = await hogctl('runs report last');
    expect(report.stdout).toContain('| Received | 2026-02-20, due by 2026-03-22 |');
  });

  it('is not that of a run which owes nothing or was given up', async () => {
    const { hogctl, due } = await start();
    await hogctl(`${erase} --received 2026-01-01`);
    expect((await due(0)).code).toBe(9);
    expect((await hogctl('runs prune last --yes')).code).toBe(0);
    expect(await due(0)).toMatchObject({ code: 0, rows: [] });
  });

  it('holds for a plan that was not carried out, and for one person', async () => {
    const { hogctl, due } = await start();
    await hogctl(`${erase} --received 2026-01-01 --plan-only`);
    const owed = 'all, not confirmed';
    expect(await due(0)).toMatchObject({ code: 9, rows: [{ deadline: '2026-01-31', owed }] });
    await hogctl('persons delete 7 --received 2026-03-01 --deadline 1w --yes');
    expect((await due(0)).rows[1]).toMatchObject({ deadline: '2026-03-08', owed: 'persons' });
  });

  it.each([
    ['2026-02-30', 'takes a day, not "2026-02-30"'],
    ['yesterday', 'takes a day, not "yesterday"'],
    ['2026-03-05', 'is in the future'],
  ])('is refused with --received %s before anything is asked', async (day, text) => {
    const { hogctl, log } = await start();
    for (const line of [erase, 'persons delete 7 --yes']) {
      const { code, stderr } = await hogctl(`${line} --received ${day}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
    }
    expect(log).toEqual([]);
  });

  it('is not known of a record that cannot be read, which is told', async () => {
    const { hogctl, due, state } = await start();
    await hogctl(erase);
    const [run = ''] = readdirSync(join(state, 'runs'));
    writeFileSync(join(state, 'runs', run, 'journal.ndjson'), 'damaged\n');
    expect(await due(0)).toMatchObject({ code: 0, rows: [], stderr: expect.stringContaining(run) });
  });
});

describe('the age of a run', () => {
  it.each([
    ['9', 1],
    ['10d', 1],
    ['240h', 1],
    ['11d', 0],
    ['10.5d', 0],
  ])('is given in any unit, in days without one: --older-than %s', async (length, runs) => {
    const { hogctl } = await start();
    await hogctl(erase);
    const { stdout } = await hogctl(`runs prune --older-than ${length} --dry-run -o ndjson`, 10);
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(runs);
  });
});
