import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { person } from '../support/service.ts';
import { BINARY, hogctl, KEY, shell, start, startService, temporaryDirectory } from './built-program.ts';

const patience = { timeout: 120_000 };
const noOwnKeyRoute = {
  on: 'GET /api/personal_api_keys/@current/',
  times: 999,
  status: 404,
  json: { code: 'not_found', detail: 'Endpoint not found.' },
} as const;

/** A service of persons, and an environment that names nothing but a home. */
async function bareService() {
  const service = await startService([noOwnKeyRoute, () => ({ json: person(1) })]);
  const { PATH, HOME, LANG } = service.environment;
  return { ...service, bare: { PATH, HOME, LANG } };
}

const login = (origin: string, id: number) =>
  `hogctl auth login --host ${origin} --project ${id} --name shop-${id} --key-stdin`;

describe('a key in typographic quotes', patience, () => {
  it.each([`\u201c${KEY}\u201d`, `\u2018${KEY}\u2019\n`])('is sent without them: %j', async (key) => {
    const { environment, log } = await startService([{ json: person(1) }]);
    const ended = await hogctl(['persons', 'get', '1', '-q'], { ...environment, HOGCTL_API_KEY: key });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(log[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });
});

describe('the key must not be visible', patience, () => {
  it('stands in no command line', async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const { environment } = await startService([{ never: true, work: () => arrive() }]);
    const { child, ended } = start([process.execPath, BINARY, 'persons', 'get', '1'], environment);
    await arrived;
    const words =
      process.platform === 'linux'
        ? `cat /proc/${child.pid}/cmdline | tr '\\0' ' '`
        : `ps -o args= -p ${child.pid}`;
    const { stdout } = await shell(words, environment);
    child.kill();
    await ended;
    expect(String(stdout)).toContain('persons get 1');
    expect(String(stdout)).not.toContain(KEY);
  });
});

describe('permissions of the stored key', patience, () => {
  it.each(['022', '002', '000'])(
    'are 600 and 700 in a fresh home with umask %s, and stay so',
    async (umask) => {
      const { bare, origin } = await bareService();
      const directory = join(String(bare.HOME), '.config', 'hogctl');
      const modes = () =>
        [directory, join(directory, 'config.json')].map((path) => (statSync(path).mode & 0o777).toString(8));
      for (const line of [
        `echo ${KEY} | ${login(origin, 1)}`,
        'hogctl auth use shop-1',
        `echo ${KEY} | ${login(origin, 2)}`,
      ]) {
        const { code, stderr } = await shell(`umask ${umask}; ${line}`, bare);
        expect([code, stderr, modes()]).toEqual([0, expect.any(String), ['700', '600']]);
      }
    },
  );

  it('are tightened by a rewrite where somebody has loosened them', async () => {
    const { bare, origin } = await bareService();
    const file = join(String(bare.HOME), '.config', 'hogctl', 'config.json');
    await shell(`echo ${KEY} | ${login(origin, 1)}`, bare);
    chmodSync(file, 0o644);
    const { stderr } = await hogctl(['auth', 'list'], bare);
    expect(stderr).toContain(`warning: `);
    expect(stderr).toContain(file);
    await hogctl(['auth', 'use', 'shop-1'], bare);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  });
});

describe('parallel jobs', patience, () => {
  it('keeps all projects of 8 logins at once, and fails none of 8 readers', async () => {
    const { bare, origin } = await bareService();
    const environment = { ...bare, HOGCTL_CONFIG_DIR: temporaryDirectory() };
    await shell(`echo ${KEY} | ${login(origin, 1)}`, environment);
    const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
    const writers = numbers.map((id) => `(echo ${KEY}${id} | ${login(origin, id)} || echo failed) &`);
    const readers = numbers.map(() => '(hogctl persons get 1 -p shop-1 -q || echo failed) &');
    const { stdout } = await shell(`${[...writers, ...readers].join('\n')}\nwait`, environment);
    expect(String(stdout)).not.toContain('failed');
    const stored = JSON.parse(readFileSync(join(environment.HOGCTL_CONFIG_DIR, 'config.json'), 'utf8'));
    const text = JSON.stringify(stored);
    for (const id of numbers) expect(text).toContain(`${KEY}${id}"`);
  });
});
