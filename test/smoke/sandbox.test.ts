import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY, cleanEnvironment, hogctl, shell, start, temporaryDirectory } from './built-program.ts';

const patience = { timeout: 60_000 };

describe('sandbox exec', patience, () => {
  it.each([
    ['a success', ['hogctl', 'persons', 'get', '1'], 0],
    ['the exit code of the program itself', ['hogctl', 'persons', 'get', '999999'], 3],
    ['the exit code of a shell', ['sh', '-c', 'exit 42'], 42],
    ['a child that a signal ended', ['sh', '-c', 'kill -TERM $$'], 143],
  ])('passes on %s', async (_, words, code) => {
    expect((await hogctl(['sandbox', 'exec', '--', ...words], cleanEnvironment())).code).toBe(code);
  });

  it('passes on options that are its own as well', async () => {
    const words = [
      'sandbox',
      'exec',
      '--empty',
      '--',
      'hogctl',
      'persons',
      'list',
      '-o',
      'json',
      '--limit',
      '2',
      '-q',
    ];
    const { code, stdout } = await hogctl(words, cleanEnvironment());
    expect({ code, stdout: String(stdout) }).toEqual({ code: 0, stdout: '[]\n' });
  });

  it('passes words on as they are', async () => {
    const words = ['--', '-p', 'x y', '', '--yes', '*', '$HOME'];
    const { stdout } = await hogctl(
      ['sandbox', 'exec', '--', 'printf', '<%s>', ...words],
      cleanEnvironment(),
    );
    expect(String(stdout)).toBe('<--><-p><x y><><--yes><*><$HOME>');
  });

  it('says so when the command is missing or not there', async () => {
    const missing = await hogctl(['sandbox', 'exec'], cleanEnvironment());
    const unknown = await hogctl(['sandbox', 'exec', '--', 'no-such-command-here'], cleanEnvironment());
    const long = await hogctl(['sandbox', 'exec', '--', 'a'.repeat(100_000)], cleanEnvironment());
    expect([long.code, long.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: a+…a.*its name is too long\n$/),
    ]);
    expect([missing.code, unknown.code]).toEqual([2, 2]);
    expect(unknown.stderr).toContain('no-such-command-here');
  });

  it('runs several commands of this program against the same people, installed or not', async () => {
    const TMPDIR = temporaryDirectory();
    const script = 'hogctl persons delete 1 --yes -q && command -v hogctl && hogctl persons get 1';
    const environment = { ...cleanEnvironment(), TMPDIR, PATH: '/usr/bin:/bin' };
    const { code, stdout } = await hogctl(['sandbox', 'exec', '--', 'sh', '-c', script], environment);
    expect([code, String(stdout)]).toEqual([3, expect.stringMatching(/\/hogctl-program-\w+\/hogctl\n$/)]);
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith('hogctl-program-'))).toEqual([]);
  });
});

/** A sandbox that runs, with what it has printed: its one text, which may be read after its message on stderr. */
async function startSandbox(line: readonly [string, ...string[]], environment: Record<string, string>) {
  const running = start(line, environment);
  const text = new Promise<string>((resolve) => {
    running.child.stdout?.once('data', (chunk) => resolve(String(chunk)));
  });
  await running.says('Ctrl-C stops it');
  return { ...running, printed: await text };
}

describe('sandbox start', patience, () => {
  it('makes files that only their owner reads, while exec leaves the umask to its command', async () => {
    const environment = cleanEnvironment();
    const folder = temporaryDirectory();
    const command = `umask 022; exec "$0" "$@"`;
    const words = ['sandbox', 'start', '-o', 'json', '--file', join(folder, 'shop.duckdb')];
    const { child, ended, printed } = await startSandbox(
      ['sh', '-c', command, process.execPath, BINARY, ...words],
      environment,
    );
    const variables = { ...environment, ...JSON.parse(printed) };
    expect((await hogctl(['persons', 'delete', '1', '--yes'], variables)).code).toBe(0);
    const files = readdirSync(folder);
    expect(files.some((name) => name.endsWith('.wal'))).toBe(true);
    const modes = files.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    expect(modes).toEqual(files.map((name) => [name, '600']));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    const exec = await shell(`umask 022; hogctl sandbox exec --empty -- sh -c umask`, environment);
    expect(String(exec.stdout).trim()).toBe('0022');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'serves other processes until %s, which is a clean end',
    async (signal) => {
      const environment = cleanEnvironment();
      const { child, ended, printed } = await startSandbox(
        [process.execPath, BINARY, 'sandbox', 'start', '-o', 'json'],
        environment,
      );
      const variables = { ...environment, ...JSON.parse(printed) };
      const get = await hogctl(['persons', 'get', '1', '-o', 'json'], variables);
      expect(get.code).toBe(0);
      const advanced = await hogctl(['sandbox', 'advance', '--to', '2030-01-06T06:00:00Z'], variables);
      expect(advanced.code).toBe(0);
      child.kill(signal);
      expect(await ended).toMatchObject({ code: 0, signal: null });
      expect((await hogctl(['persons', 'get', '1', '--retries', '0'], variables)).code).toBe(6);
    },
  );

  it('ends with one Ctrl-C while a statement runs', async () => {
    const environment = cleanEnvironment();
    const words = [process.execPath, BINARY, 'sandbox', 'start', '-o', 'json'] as const;
    const { child, ended, printed } = await startSandbox(words, environment);
    const { HOGCTL_HOST, HOGCTL_API_KEY } = JSON.parse(printed);
    const headers = { authorization: `Bearer ${HOGCTL_API_KEY}`, 'content-type': 'application/json' };
    const pairs = 'from events a, events b';
    const query = `select a.event ${pairs} order by md5(concat(a.uuid, b.uuid)) limit 1`;
    const body = JSON.stringify({ query: { kind: 'HogQLQuery', query }, refresh: 'force_async' });
    const address = `${HOGCTL_HOST}/api/projects/1/query/`;
    expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(202);
    // Answered beside the statement.
    expect((await fetch(`${HOGCTL_HOST}/api/projects/1/persons/`, { headers })).status).toBe(200);
    const asked = performance.now();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, signal: null });
    // The statement alone would take its ten seconds.
    expect(performance.now() - asked).toBeLessThan(7000);
  });

  it('prints lines that a shell can take over', async () => {
    const environment = cleanEnvironment();
    const { child, ended, printed } = await startSandbox(
      [process.execPath, BINARY, 'sandbox', 'start'],
      environment,
    );
    const { code, stdout } = await shell(
      `${printed}hogctl persons list --limit 3 -o ndjson -q | wc -l`,
      environment,
    );
    expect({ code, stdout: String(stdout).trim() }).toEqual({ code: 0, stdout: '3' });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});
