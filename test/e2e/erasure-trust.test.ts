import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { type Service, startWithPeople, temporaryDirectory } from '../support/service.ts';

/** A service with a plan for d1 and d2 that nobody carried out yet. */
async function startPlanned() {
  const service = await startWithPeople([allDeleted]);
  await service.hogctl('persons bulk-delete --distinct-ids d1,d2 --yes --plan-only');
  const [run = ''] = runsOf(service);
  return { service, run, runs: join(run, '..') };
}

const sent = ({ log }: Service) => log.flatMap(idsOf);

describe('a record that another user could have written', () => {
  it.each([
    [
      'a run directory that all may change',
      (run: string) => chmodSync(run, 0o777),
      2,
      /mode 777.*not trusted/,
    ],
    [
      'the directory of the runs that all may change',
      (run: string) => chmodSync(join(run, '..'), 0o777),
      2,
      /runs can be changed.*not trusted/,
    ],
    [
      'a plan that a group may change',
      (run: string) => chmodSync(join(run, 'plan.json'), 0o660),
      9,
      /plan.json of this run can be changed/,
    ],
    [
      'ids that all may change',
      (run: string) => chmodSync(join(run, 'ids'), 0o666),
      9,
      /ids of this run can be changed/,
    ],
    [
      'a key that all may change',
      (run: string) => chmodSync(join(run, 'check-key'), 0o666),
      9,
      /check-key of this run can be changed/,
    ],
  ])('%s is not carried out', async (_, change, code, says) => {
    const { service, run } = await startPlanned();
    change(run);
    for (const line of ['runs resume last', 'runs verify last', 'runs report last']) {
      const ended = await service.hogctl(line, { answers: ['2'] });
      expect([line, ended.code, ended.stderr]).toEqual([line, code, expect.stringMatching(says)]);
    }
    expect(sent(service)).toEqual([]);
  });

  it.each([
    ['a run by its path', (run: string) => [run, run]],
    ['the directory of the runs', (run: string) => [join(run, '..'), '2026']],
  ])('of another uid is not carried out, and the hint says how it becomes yours: %s', async (_, namesOf) => {
    const { service, run } = await startPlanned();
    const uid = process.geteuid?.();
    // Root trusts itself and gives the run away; another user looks at it as a third one would, to whom not even the
    // state directory belongs.
    const [directory = '', name = ''] = namesOf(run);
    if (uid === 0) chownSync(directory, 65_534, 65_534);
    const ended = await service.hogctl(`runs resume ${name} --yes`, { uid: uid === 0 ? 0 : (uid ?? 0) + 1 });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another user') });
    const isOfRuns = uid === 0 || name === run;
    expect(ended.stderr).toContain(isOfRuns ? 'run chown -R "$(id -u)"' : 'a directory of your own');
    expect(sent(service)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('is neither waited for nor read without end', async () => {
    const names = ['plan.json', 'journal.ndjson', 'ids', 'members.ndjson', 'check-key', 'mac'];
    for (const [what, make] of [
      ['a pipe', (path: string) => spawnSync('mkfifo', [path])],
      ['a link', (path: string) => symlinkSync('/dev/zero', path)],
    ] as const)
      for (const name of names) {
        const { service, run } = await startPlanned();
        rmSync(join(run, name));
        make(join(run, name));
        const ended = await service.hogctl('runs resume last', { answers: ['2'] });
        expect([what, name, ended.code, ended.stderr]).toEqual([
          what,
          name,
          9,
          expect.stringMatching(/is a link|is not a regular file/),
        ]);
        expect((await service.hogctl('runs list -o json')).code).toBe(0);
        expect(sent(service)).toEqual([]);
      }
  });
});

it('a run that was moved, with a link in its place, is one as before', async () => {
  const { service, run } = await startPlanned();
  const elsewhere = join(temporaryDirectory(), 'run');
  renameSync(run, elsewhere);
  symlinkSync(elsewhere, run);
  const [row] = JSON.parse((await service.hogctl('runs list -o json')).stdout);
  expect([row.run, row.state, row.owed]).toEqual([basename(run), 'not begun', 'all, not confirmed']);
  expect(await service.hogctl('runs resume last', { answers: ['2'] })).toMatchObject({ code: 0 });
  expect(sent(service)).toEqual(['1', '2']);
});

describe('a record that was made elsewhere', () => {
  const elsewhere = () => ({ environment: { HOGCTL_CONFIG_DIR: temporaryDirectory() } });
  const told = /was not made by this user on this computer/;

  it('is told by each command that reads it, and proved all the same', async () => {
    const { service } = await startPlanned();
    const there = elsewhere();
    for (const line of ['runs show last', 'runs report last', 'runs check last', 'runs verify last']) {
      expect((await service.hogctl(line)).stderr).not.toMatch(told);
      expect((await service.hogctl(line, there)).stderr).toMatch(told);
    }
    const list = JSON.parse((await service.hogctl('runs list -o json', there)).stdout);
    expect(list).toMatchObject([{ made_here: false }]);
    expect(JSON.parse((await service.hogctl('runs report last -o json', there)).stdout)).toMatchObject({
      made_here: false,
    });
    expect((await service.hogctl('runs report last', there)).stdout).toContain('not made by this user');
  });

  it('is carried out only once its people were shown, or with --trust-record', async () => {
    const { service, run } = await startPlanned();
    const there = elsewhere();
    const refused = await service.hogctl(`runs resume ${run} --yes`, there);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--trust-record') });
    const asked = await service.hogctl('runs resume last', { ...there, answers: ['no'] });
    expect(asked.stderr).toMatch(/2 persons of this run:\n {2}person 1, .*created 2026-01-02, 1 distinct id/);
    expect([asked.code, sent(service)]).toEqual([7, []]);
    expect((await service.hogctl(`runs resume ${run} --yes --trust-record`, there)).code).toBe(0);
    expect(sent(service)).toEqual(['1', '2']);
  });

  it('is one whose plan was changed with all its hashes, too', async () => {
    const { service, run } = await startPlanned();
    const other = await startWithPeople([allDeleted]);
    await other.hogctl('persons bulk-delete --distinct-ids d7 --yes --plan-only');
    const [foreign = ''] = runsOf(other);
    const mac = join(run, 'mac');
    cpSync(mac, join(foreign, 'mac'));
    rmSync(run, { recursive: true });
    cpSync(foreign, run, { recursive: true });
    expect((await service.hogctl('runs show last')).stderr).toMatch(told);
    writeFileSync(mac, 'broken');
    expect((await service.hogctl('runs show last')).stderr).toMatch(told);
  });
});
