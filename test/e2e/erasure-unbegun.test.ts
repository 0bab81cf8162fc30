import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { startWithPeople, temporaryDirectory } from '../support/service.ts';

describe('what a crash left of a run before its first step', () => {
  it('goes whole with the next run; a run that only lost its journal stays', async () => {
    const service = await startWithPeople([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    await service.hogctl('persons bulk-delete 18 --plan-only --yes');
    const [left = '', lost = ''] = runsOf(service);
    for (const run of [left, lost]) rmSync(join(run, 'journal.ndjson'));
    writeFileSync(join(left, 'unfinished'), '');
    const { code, stderr } = await service.hogctl('persons bulk-delete 19 --yes');
    expect([code, stderr]).toEqual([0, expect.stringContaining('which crashed before it began')]);
    expect(runsOf(service)).toEqual([lost, expect.any(String)]);
  });

  it('goes before a deletion of one person', async () => {
    const service = await startWithPeople([{ on: /^DELETE/, times: 9, status: 204 }, allDeleted]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [left = ''] = runsOf(service);
    rmSync(join(left, 'journal.ndjson'));
    writeFileSync(join(left, 'unfinished'), '');
    const one = await service.hogctl('persons delete 42 --yes');
    expect([one.code, one.stderr]).toEqual([0, expect.stringContaining('which crashed before it began')]);
    expect(runsOf(service)).not.toContain(left);
  });

  it('goes whole with runs prune', async () => {
    const service = await startWithPeople([]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    rmSync(join(run, 'journal.ndjson'));
    writeFileSync(join(run, 'unfinished'), '');
    const check = await service.hogctl(`runs check ${basename(run)}`);
    expect(check).toMatchObject({ code: 9, stdout: expect.stringContaining('journal.ndjson is missing') });
    expect(check.stderr).toContain('hint: the run never began, and nothing was sent');
    const { code, stderr } = await service.hogctl('runs prune --yes');
    expect(code).toBe(0);
    expect(stderr).toContain('which never began');
    expect(runsOf(service)).toEqual([]);
  });

  it('goes also if the crash cut off the first line of its journal, but not with a whole one', async () => {
    const service = await startWithPeople([allDeleted, allDeleted]);
    for (const id of [17, 18]) await service.hogctl(`persons bulk-delete ${id} --plan-only --yes`);
    const [cut = '', whole = ''] = runsOf(service);
    truncateSync(join(cut, 'journal.ndjson'), 100);
    for (const run of [cut, whole]) writeFileSync(join(run, 'unfinished'), '');
    expect(await service.hogctl(['runs', 'resume', whole, '--yes'])).toMatchObject({ code: 0 });
    expect(readdirSync(whole)).not.toContain('unfinished');
    expect((await service.hogctl('persons bulk-delete 19 --yes')).stderr).toContain(basename(cut));
    expect(runsOf(service)).toEqual([whole, expect.any(String)]);
  });

  const gone = {
    pid: 999_999_999,
    began: 1,
    host: hostname(),
    boot: 'an earlier one',
    at: '2020-01-01T00:00:00Z',
  };

  /** A run, and beside it an empty directory, one with the lock of a process that is gone, and one with a mark. */
  async function besideRun() {
    const service = await startWithPeople([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    const names = ['a', 'b', 'c'].map((letter) => join(dirname(run), `20200101T000000Z-${letter}`));
    const [empty = '', locked = '', marked = ''] = names;
    for (const name of names) mkdirSync(name);
    writeFileSync(join(locked, 'lock-1'), JSON.stringify(gone));
    writeFileSync(join(marked, 'unfinished'), '');
    return { service, run, names, empty };
  }

  it('goes with the next run, but for an empty directory, in which another process may begin one', async () => {
    const { service, run, empty } = await besideRun();
    expect(await service.hogctl('persons bulk-delete 18 --yes')).toMatchObject({ code: 0 });
    expect(runsOf(service)).toEqual([empty, run, expect.any(String)]);
  });

  it('goes with runs prune if it is no more than a directory, a lock or a mark', async () => {
    const { service, run, names } = await besideRun();
    const list = JSON.parse((await service.hogctl('runs list -o json')).stdout);
    expect(list.slice(0, 3)).toEqual(
      names.map(() => expect.objectContaining({ state: expect.stringContaining('never began') })),
    );
    const empty = await service.hogctl('runs check 20200101T000000Z-a');
    expect([empty.code, empty.stderr]).toEqual([9, expect.stringContaining('hint: no file of a run is in')]);
    expect(empty.stderr).not.toContain('nothing was sent');
    expect(await service.hogctl('runs prune --yes')).toMatchObject({ code: 0 });
    expect(runsOf(service)).toEqual([run]);
  });

  it('stays if another process begins the run after prune has looked at it', async () => {
    const service = await startWithPeople([]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    const begun = join(temporaryDirectory(), 'begun');
    cpSync(run, begun, { recursive: true });
    rmSync(run, { recursive: true });
    mkdirSync(run);
    let asked = 0;
    // Asked first for what is old, then when the lock is taken.
    const now = () => {
      asked += 1;
      if (asked === 2) cpSync(begun, run, { recursive: true });
      return Date.UTC(2026, 2, 2, 13);
    };
    const { code, stderr } = await service.hogctl('runs prune --yes', { now });
    expect([code, stderr]).toEqual([0, expect.stringContaining('has begun meanwhile, so it was kept')]);
    expect(await service.hogctl(`runs check ${basename(run)}`)).toMatchObject({ code: 0 });
    expect(readdirSync(run).filter((name) => name.startsWith('lock-'))).toEqual([]);
  });

  it('goes without files that others put beside it', async () => {
    const service = await startWithPeople([]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const [run = ''] = runsOf(service);
    rmSync(join(run, 'journal.ndjson'));
    writeFileSync(join(run, 'unfinished'), '');
    writeFileSync(join(run, 'notes.txt'), 'mine');
    expect(await service.hogctl('runs prune --yes')).toMatchObject({ code: 0 });
    expect(readdirSync(run)).toEqual(['notes.txt']);
  });

  it('is no run that was planned and not carried out, whose ids stay', async () => {
    const service = await startWithPeople([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --plan-only --yes');
    const dry = await service.hogctl('runs prune --older-than 0 --dry-run -o json');
    expect(JSON.parse(dry.stdout)).toMatchObject([{ action: 'keep', reason: 'it can be resumed' }]);
    expect(await service.hogctl('runs prune --older-than 0 --yes')).toMatchObject({ code: 0 });
    expect(await service.hogctl('runs resume 2026 --yes')).toMatchObject({ code: 0 });
    expect(service.log.map(idsOf)).toEqual([['17']]);
  });

  it('is no run at work, whose ids stay, and none before the question is answered', async () => {
    const service = await startWithPeople([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --yes');
    await service.hogctl('persons bulk-delete 18 --yes');
    const [done = '', atWork = ''] = runsOf(service);
    writeFileSync(join(atWork, 'lock-1'), JSON.stringify({ ...gone, pid: 1, boot: null }));
    const line = 'runs prune --older-than 0';
    const has = (run: string) => readdirSync(run).includes('ids');
    expect(await service.hogctl(line, { answers: ['n'] })).toMatchObject({ code: 7 });
    expect(await service.hogctl(line)).toMatchObject({ code: 2 });
    expect([done, atWork].map(has)).toEqual([true, true]);
    const { code, stderr } = await service.hogctl(line, { answers: ['y'] });
    expect(code, stderr).toBe(0);
    expect([done, atWork].map(has)).toEqual([false, true]);
  });

  it('is no run that lost its journal: check says so with 9, and prune leaves its record', async () => {
    const service = await startWithPeople([allDeleted]);
    await service.hogctl('persons bulk-delete 17 --yes');
    const [run = ''] = runsOf(service);
    rmSync(join(run, 'journal.ndjson'));
    const list = await service.hogctl('runs list -o json');
    expect(JSON.parse(list.stdout)).toMatchObject([
      { state: expect.stringContaining('runs check says more') },
    ]);
    const { code, stderr } = await service.hogctl(`runs check ${basename(run)}`);
    expect([code, stderr]).toEqual([9, expect.stringContaining('journal.ndjson is missing')]);
    expect(stderr).toContain('bring back its files');
    for (const command of ['show', 'report', 'verify'])
      expect(await service.hogctl(`runs ${command} ${basename(run)}`)).toMatchObject({ code: 9, stderr });
    const pruned = await service.hogctl('runs prune --older-than 0 --yes');
    expect([pruned.code, pruned.stderr]).toEqual([
      8,
      expect.stringContaining(`warning: run ${basename(run)} is`),
    ]);
    expect(runsOf(service)).toEqual([run]);
  });
});
