import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allDeleted, idsOf, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { type Service, startService, startWithPeople, temporaryDirectory } from '../support/service.ts';
import { twoRegions } from '../support/two-regions.ts';

const before = process.cwd();
let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
  process.chdir(folder);
});
afterEach(() => process.chdir(before));

/** A service with a run over d1 and d2, and another one over d7 and d8 in the working directory under some name. */
async function startWithTwo(named: (run: string) => string) {
  const service = await startWithPeople([allDeleted]);
  const plan = (ids: string) =>
    service.hogctl(`persons bulk-delete --distinct-ids ${ids} --yes --plan-only`, { random: Math.random });
  await plan('d7,d8');
  const [other = ''] = runsOf(service);
  await plan('d1,d2');
  const run = runsOf(service).find((path) => path !== other) ?? '';
  const name = named(basename(run));
  cpSync(other, join(folder, name), { recursive: true });
  rmSync(other, { recursive: true });
  return { service, run, name };
}

const sent = ({ log }: Service) => log.flatMap(idsOf);

describe('a bare name', () => {
  it.each([
    ['of the run', (run: string) => run],
    ['that begins the run', (run: string) => run.slice(0, 16)],
    ['of a year', () => '2026'],
    ['last', () => 'last'],
  ])('%s is a run of the state directory, whatever lies in the working directory', async (_, named) => {
    const { service, run, name } = await startWithTwo(named);
    const warning = `warning: ${name} is run ${basename(run)}; the run in the folder ${name} is ./${name}`;
    for (const line of ['show', 'report', 'check', 'verify'])
      expect((await service.hogctl(`runs ${line} ${name} -q -o json`)).stderr).toContain(warning);
    const resumed = await service.hogctl(`runs resume ${name} -q`, { answers: ['2'] });
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    expect(sent(service)).toEqual(['1', '2']);
    expect((await service.hogctl(`runs prune ${name} --yes`)).stderr).toContain(
      `the ids of run ${basename(run)}`,
    );
  });

  it('is never a folder, and the error names the path that is', async () => {
    const { service, run } = await startWithTwo(() => '2026');
    rmSync(run, { recursive: true });
    for (const line of [
      'show 2026',
      'report 2026',
      'check 2026',
      'verify 2026',
      'resume 2026 --yes',
      'prune 2026 --yes',
    ]) {
      const { code, stderr } = await service.hogctl(`runs ${line}`);
      expect({ line, code }).toEqual({ line, code: 3 });
      expect(stderr).toContain('error: no run begins with "2026"');
      expect(stderr).toContain('hint: write ./2026 for the run in that folder');
    }
    expect(service.log).toEqual([]);
  });

  it('of a request is no folder either', async () => {
    const { service, name } = await startWithTwo(() => 'request-20260302');
    const { code, stderr } = await service.hogctl(`runs show ${name}`);
    expect(code).toBe(3);
    expect(stderr).toContain('error: no request begins with "request-20260302"');
  });
});

describe('last', () => {
  it('is never resumed with --yes, since it may be another run than is meant', async () => {
    const { service, run } = await startWithTwo((name) => `${name}-other`);
    const { code, stderr } = await service.hogctl('runs resume last --yes');
    expect(code).toBe(2);
    expect(stderr).toContain('error: --yes needs the name of a run, not last');
    expect(stderr).toContain(`hint: the newest is ${basename(run)}; name it if that is the one`);
    expect(await service.hogctl('runs resume last --yes --dry-run')).toMatchObject({ code: 0 });
    expect(sent(service)).toEqual([]);
  });

  it('is told at a question, with its time and size', async () => {
    const { service, run } = await startWithTwo((name) => `${name}-other`);
    const resumed = await service.hogctl('runs resume last -q', { answers: ['2'] });
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stderr).toContain(
      `delete the people behind 2 of the 2 ids of run ${basename(run)} of 2026-03-02 12:02 UTC (their events and recordings stay)`,
    );
    expect(sent(service)).toEqual(['1', '2']);
  });

  it('is told at the question of a request', async () => {
    const { hogctl, requests } = await twoRegions();
    const addresses = 'user_1@example.org,user_2@example.org';
    await hogctl(`persons bulk-delete --emails ${addresses} --projects eu,us --plan-only`);
    const { stderr } = await hogctl('runs resume last -q', { answers: ['no'] });
    expect(stderr).toMatch(
      new RegExp(`delete the people who are left of ${requests()[0]} of 2026-.* UTC \\(`),
    );
  });
});

describe('an interruption before a run is recorded', () => {
  const [bulk, one] = ['persons bulk-delete --distinct-ids d1,d2', 'persons delete --distinct-id d1'];

  it.each([
    [bulk, 'SIGINT', 130],
    [`${bulk} --plan-only`, 'SIGINT', 130],
    [one, 'SIGINT', 130],
    [bulk, 'SIGTERM', 143],
    [one, 'SIGTERM', 143],
  ])('says that there is nothing to resume: %s, %s', async (line, reason, code) => {
    const stop = new AbortController();
    const found = {
      results: [
        { id: 1, uuid: uuid(1), created_at: '2026-01-02T03:04:05Z', distinct_ids: ['d1'], properties: {} },
      ],
      next: null,
    };
    const service = await startService([
      () => {
        stop.abort(reason);
        return { json: found };
      },
    ]);
    const signals = { signal: stop.signal, forcedSignal: stop.signal };
    const end = await service.hogctl(`${line} --yes`, signals);
    expect(end.stderr).toContain('error: interrupted: nothing was deleted, and no run was recorded');
    expect(end.stderr).toContain('hint: there is nothing to resume; type the same command again');
    expect(end.code).toBe(code);
    expect(runsOf(service)).toEqual([]);
  });

  it.each(['--emails user_1@example.org', '--distinct-ids user_1'])(
    'says so in several projects: %s',
    async (whom) => {
      const { hogctl, runs, eu } = await twoRegions();
      const stop = new AbortController();
      stop.abort('SIGINT');
      const signals = { signal: stop.signal, forcedSignal: stop.signal };
      const end = await hogctl(`persons bulk-delete ${whom} --projects eu,us --yes`, signals);
      expect(end.stderr).toContain('nothing was deleted, and no run was recorded');
      expect([end.code, runs(), eu.deletions()]).toEqual([130, [], []]);
    },
  );
});

describe('a path', () => {
  it.each(['./2026', '2026/', '.'])('%s is the run in that folder', async (path) => {
    const { service } = await startWithTwo(() => '2026');
    if (path === '.') process.chdir(join(folder, '2026'));
    const { code, stderr } = await service.hogctl(`runs resume ${path} --yes -q`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(sent(service)).toEqual(['7', '8']);
  });

  it('is told where no run is', async () => {
    const service = await startWithPeople([]);
    const { code, stderr } = await service.hogctl('runs resume ./2026 --yes');
    expect(code).toBe(3);
    expect(stderr).toContain('error: there is no run in ./2026');
  });
});

it('a state directory that is the working directory needs no warning', async () => {
  const { service, run } = await startWithTwo((name) => `${name}-other`);
  process.chdir(join(run, '..'));
  const { code, stderr } = await service.hogctl(`runs check ${basename(run)} -q`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
