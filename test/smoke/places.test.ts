import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { person } from '../support/service.ts';
import {
  BINARY,
  hogctl,
  KEY,
  start,
  startService,
  startServiceWithPeople,
  temporaryDirectory,
} from './built-program.ts';

const patience = { timeout: 60_000 };
const noOwnKeyRoute = {
  on: 'GET /api/personal_api_keys/@current/',
  times: 99,
  status: 404,
  json: { code: 'not_found', detail: 'Endpoint not found.' },
} as const;

/** A disk in memory, or nothing where this user may not mount one. */
function mountDisk(): string | undefined {
  const path = join(temporaryDirectory(), 'disk');
  mkdirSync(path);
  if (run(`mount -t tmpfs -o size=65536,mode=700 tmpfs '${path}'`) !== 0) return undefined;
  onTestFinished(() => {
    run(`umount -l '${path}'`);
  });
  return path;
}

function run(line: string): number | null {
  return spawnSync('/bin/sh', ['-c', line]).status;
}

function fill(path: string): void {
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(join(path, 'filling'), Buffer.alloc(bavail * bsize));
}

/** A service of one person, and an environment that knows it by what is stored alone. */
async function storing(directory: string) {
  const service = await startService([noOwnKeyRoute, () => ({ json: person(1) })]);
  const { PATH, HOME, LANG } = service.environment;
  const bare = { PATH, HOME, LANG, HOGCTL_CONFIG_DIR: directory };
  const login = (name: string) =>
    hogctl(
      ['auth', 'login', '--host', service.origin, '--project', '1', '--name', name, '--key-stdin'],
      bare,
      KEY,
    );
  return { ...service, bare, login };
}

describe('stored projects', patience, () => {
  it('on a read-only disk are read, and a change of them says why it cannot be', async (test) => {
    const disk = mountDisk();
    if (disk === undefined) return test.skip('no disk can be mounted here');
    const { bare, login } = await storing(disk);
    expect((await login('shop')).code).toBe(0);
    expect(run(`mount -o remount,ro '${disk}'`)).toBe(0);
    const refused = await login('blog');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`cannot write ${join(disk, 'config.json')}: the disk is read-only`);
    expect(refused.stderr).not.toContain(KEY);
    expect((await hogctl(['persons', 'get', '1', '-p', 'shop'], bare)).code).toBe(0);
    expect(readdirSync(disk)).toEqual(['config.json']);
  });

  it('on a full disk stay as they are', async (test) => {
    const disk = mountDisk();
    if (disk === undefined) return test.skip('no disk can be mounted here');
    const { bare, login } = await storing(disk);
    expect((await login('shop')).code).toBe(0);
    const before = readFileSync(join(disk, 'config.json'), 'utf8');
    fill(disk);
    const refused = await login('blog');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('the disk is full');
    expect(readFileSync(join(disk, 'config.json'), 'utf8')).toBe(before);
    expect((await hogctl(['persons', 'get', '1', '-p', 'shop'], bare)).code).toBe(0);
    expect(readdirSync(disk).sort()).toEqual(['config.json', 'filling']);
  });
});

describe('without a HOME', patience, () => {
  const deletion = ['persons', 'bulk-delete', '--distinct-ids', 'a,b', '--yes'];

  it('a key from the environment is enough to read', async () => {
    const { environment } = await startService([() => ({ json: person(1) })]);
    expect((await hogctl(['persons', 'get', '1'], { ...environment, HOME: undefined })).code).toBe(0);
  });

  it('nothing can be stored, which is said', async () => {
    const { environment, origin } = await startService([noOwnKeyRoute]);
    const words = ['auth', 'login', '--host', origin, '--project', '1', '--name', 'shop', '--key-stdin'];
    const { code, stderr } = await hogctl(words, { PATH: environment.PATH }, KEY);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no home directory was found to store projects in\nhint: .*HOGCTL_CONFIG_DIR/);
  });

  it('nothing is deleted that cannot be written down, unless a place is named', async () => {
    const { environment, log } = await startServiceWithPeople([allDeleted]);
    const homeless = { ...environment, HOME: undefined };
    const refused = await hogctl(deletion, homeless);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /no directory was found for the record of the run\nhint: .*HOGCTL_STATE_DIR/,
    );
    expect(log).toEqual([]);
    const place = { ...homeless, HOGCTL_STATE_DIR: temporaryDirectory() };
    expect((await hogctl(deletion, place)).code).toBe(0);
    expect(log).toHaveLength(1);
  });
});

describe('two runs at once', patience, () => {
  it('of one record: the second is refused and sends nothing, and goes on when the first has died', async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const given = await startServiceWithPeople([{ never: true, work: () => arrive() }, allDeleted]);
    const service = {
      ...given,
      environment: { ...given.environment, HOGCTL_STATE_DIR: temporaryDirectory() },
    };
    const words = ['persons', 'bulk-delete', '--distinct-ids', 'a,b', '--yes'];
    const first = start([process.execPath, BINARY, ...words], service.environment);
    await arrived;
    const [run = ''] = runsOf(service);
    const resume = ['runs', 'resume', run, '--yes'];
    for (const second of [resume, words]) {
      const { code, stderr } = await hogctl(second, service.environment);
      expect([code, stderr]).toEqual([5, expect.stringContaining(`works on this run: ${first.child.pid}`)]);
    }
    expect(service.log).toHaveLength(1);
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await hogctl(resume, service.environment)).code).toBe(0);
    expect(service.log).toHaveLength(2);
  });

  it('of different ids keep a record each', async () => {
    const service = await startServiceWithPeople([allDeleted]);
    const environment = { ...service.environment, HOGCTL_STATE_DIR: temporaryDirectory() };
    const ends = await Promise.all(
      ['1', '2', '3', '4'].map((id) => hogctl(['persons', 'bulk-delete', '--ids', id, '--yes'], environment)),
    );
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(readdirSync(join(environment.HOGCTL_STATE_DIR, 'runs'))).toHaveLength(4);
    expect(service.log.map(({ body }) => body).sort()).toEqual(
      ['1', '2', '3', '4'].map((id) => JSON.stringify({ ids: [id] })),
    );
  });
});
