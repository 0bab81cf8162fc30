import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProgram as runFor } from '../../src/system/children.ts';
import type { System } from '../../src/system/system.ts';
import { runProgram, type Setting } from '../support/run-program.ts';
import { KEY, person, startService, temporaryDirectory } from '../support/service.ts';

const readProgram: System['readProgram'] = (words, how) => runFor(words, how, { platform: process.platform });

/** A service that takes the key, a program that prints something, and a place to store projects. */
async function startKeyed(script = `echo ${KEY}`, key = KEY) {
  const service = await startService([
    ({ headers, url }) => {
      if (url.includes('/nothing/')) return { status: 400, json: { detail: `${key} may not do that` } };
      if (headers.authorization !== `Bearer ${key}`)
        return { status: 401, json: { code: 'authentication_failed', detail: 'Invalid.' } };
      return url.includes('@current')
        ? { status: 404, json: { detail: 'Endpoint not found.' } }
        : { json: person(1) };
    },
  ]);
  const directory = temporaryDirectory();
  const program = join(directory, 'get-key');
  const print = (text: string) => {
    writeFileSync(program, `#!/bin/sh\necho run >> ${join(directory, 'count')}\n${text}\n`);
    chmodSync(program, 0o755);
  };
  print(script);
  const environment = {
    HOGCTL_CONFIG_DIR: join(directory, 'config'),
    HOGCTL_STATE_DIR: directory,
    PATH: process.env.PATH ?? '',
  };
  const hogctl = (words: readonly string[], setting: Setting = {}) =>
    runProgram(words, {
      readProgram,
      // Only the command's own time limit waits here, and nothing is that slow.
      wait: (_, signal) => new Promise((_done, reject) => signal?.addEventListener('abort', reject)),
      ...setting,
      environment: { ...environment, ...setting.environment },
    });
  const login = (command = program, ...more: string[]) =>
    hogctl([
      ...['auth', 'login', '--host', service.origin, '--project', '1', '--name', 'shop'],
      ...['--key-command', command, ...more],
    ]);
  const runs = () =>
    existsSync(join(directory, 'count'))
      ? readFileSync(join(directory, 'count'), 'utf8').split('\n').length - 1
      : 0;
  const stored = () => readFileSync(join(directory, 'config', 'config.json'), 'utf8');
  return { ...service, hogctl, login, print, program, runs, stored };
}

describe.skipIf(process.platform === 'win32')('a project with a key command', () => {
  it('stores the command and not the key, after the service took the key', async () => {
    const { login, program, stored, runs, log } = await startKeyed();
    expect(await login()).toMatchObject({ code: 0, stderr: expect.stringContaining('Stored shop (1)') });
    expect(JSON.parse(stored()).projects).toMatchObject([{ name: 'shop', keyCommand: program }]);
    expect(stored()).not.toContain(KEY);
    expect([runs(), log.length]).toEqual([1, 1]);
  });

  it('runs it at the first request, once', async () => {
    const { hogctl, login, runs, log } = await startKeyed();
    await login();
    const shown = await hogctl(['persons', 'get', '1', '-o', 'json']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    const written = await hogctl(['persons', 'update', '1', '--set', 'plan=pro']);
    expect(written.code).toBe(0);
    expect(runs()).toBe(3);
    expect(log.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
  });

  it.each([
    ['auth', 'list'],
    ['persons', 'get', '..'],
    ['persons', 'get', '--help'],
    ['persons', 'update', '1', '--set', 'plan=pro', '--dry-run'],
    ['runs', 'list'],
    ['auth', 'use', 'shop'],
  ])('does not run it for %s %s %s', async (...words) => {
    const { hogctl, login, runs, log } = await startKeyed();
    await login();
    const before = log.length;
    await hogctl(words);
    expect([runs(), log.length]).toEqual([1, before]);
  });

  it('says where the key comes from', async () => {
    const { hogctl, login } = await startKeyed();
    await login();
    const list = await hogctl(['auth', 'list', '-o', 'json']);
    expect(JSON.parse(list.stdout)).toMatchObject([{ name: 'shop', key_from: 'from a command (get-key)' }]);
    const status = await hogctl(['auth', 'status', '-o', 'json']);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({
      key: null,
      key_from: 'stored project shop, from a command (get-key)',
    });
  });

  it('hands it no key and no input', async () => {
    const { hogctl, login, print } = await startKeyed();
    await login();
    print(`[ -z "$HOGCTL_API_KEY$POSTHOG_CLI_API_KEY$POSTHOG_KEY" ] && [ -z "$(cat)" ] && echo ${KEY}`);
    const environment = { POSTHOG_CLI_API_KEY: 'phx_other_key', POSTHOG_KEY: 'phx_third_key' };
    const { code } = await hogctl(['persons', 'get', '1'], { environment, stdin: 'typed' });
    expect(code).toBe(0);
  });

  it('replaces a stored key, and a stored key replaces it', async () => {
    const { hogctl, login, origin, stored } = await startKeyed();
    const plain = [...['auth', 'login', '--host', origin, '--project', '1', '--name', 'shop', '--key-stdin']];
    await hogctl(plain, { stdin: KEY });
    await login();
    expect(Object.keys(JSON.parse(stored()).projects[0])).not.toContain('key');
    await hogctl(plain, { stdin: KEY });
    expect(Object.keys(JSON.parse(stored()).projects[0])).not.toContain('keyCommand');
  });

  it('hides the key wherever the service repeats it', async () => {
    const { hogctl, login, origin } = await startKeyed();
    await login();
    const { stderr } = await hogctl(['api', 'GET', '/api/nothing/', '--debug', '-q']);
    expect(stderr).not.toContain(KEY);
    expect(origin).toContain('127.0.0.1');
  });

  it('hides a key that looks like no key of the service', async () => {
    const key = 'of-a-gateway-0123456789';
    const { hogctl, login } = await startKeyed(`echo ${key}`, key);
    await login();
    const { code, stderr } = await hogctl(['api', 'GET', '/api/nothing/', '--debug']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('*** may not do that')]);
    expect(stderr).not.toContain(key);
  });
});

describe.skipIf(process.platform === 'win32')('a key command that fails', () => {
  it.each([
    ['exit 3', 4, 'the key command (get-key) ended with exit code 3'],
    ['kill -9 $$', 4, 'the key command (get-key) ended with exit code 137'],
    ['true', 2, 'the key from the key command (get-key) is empty'],
    ['echo phc_SECRETSECRET', 2, 'the key from the key command (get-key) is a public project token'],
    ['printf "SECRET\\303\\244"', 2, 'is not ASCII'],
    ['yes SECRET', 4, 'printed more than a key'],
    ['echo phx_SECRET_of_another', 4, '401'],
  ])('stores nothing and shows nothing that it wrote: %s', async (script, code, message) => {
    const { login, stored, print } = await startKeyed();
    print(`echo SECRET >&2\n${script}`);
    const ended = await login();
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
    expect(ended.stdout + ended.stderr).not.toContain('SECRET');
    expect(stored).toThrow('ENOENT');
  });

  it('is told by its code after it was stored, and nothing is sent', async () => {
    const { hogctl, login, print, log } = await startKeyed();
    await login();
    print('echo SECRET; echo SECRET >&2; exit 7');
    const { code, stderr } = await hogctl(['persons', 'delete', '1', '--yes', '-p', 'shop', '--debug']);
    expect(code).toBe(4);
    expect(stderr).toContain('error: the key command (get-key) ended with exit code 7\n');
    expect(stderr).not.toContain('SECRET');
    expect(log).toHaveLength(1);
  });

  it.each([
    ['/nonexistent/get', 4, 'the key command (get) cannot be run'],
    ['pass | head', 2, 'the key command contains |'],
    ['./get-key', 2, 'a relative path'],
  ])('because it cannot be run: %s', async (command, code, message) => {
    const { login } = await startKeyed();
    const ended = await login(command);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });

  it('excludes another source of the key', async () => {
    const { login, program } = await startKeyed();
    const { code, stderr } = await login(program, '--key-stdin');
    expect(code).toBe(2);
    expect(stderr).toContain('--key-stdin and --key-command cannot be used together');
  });

  it('ends after its time, even if it ignores the first signal', async () => {
    const { hogctl, login, print } = await startKeyed();
    await login();
    print(`trap '' TERM\nwhile :; do :; done`);
    const { code, stderr } = await hogctl(['persons', 'get', '1'], { wait: async () => {} });
    expect(code).toBe(4);
    expect(stderr).toContain('did not end within 30 s');
  });

  it('ends with Ctrl-C', async () => {
    const { hogctl, login, print, log } = await startKeyed();
    await login();
    print('exec sleep 60');
    const stop = new AbortController();
    const slow: System['readProgram'] = (words, how) => {
      setImmediate(() => stop.abort('SIGINT'));
      return readProgram(words, how);
    };
    const ended = await hogctl(['persons', 'get', '1'], { signal: stop.signal, readProgram: slow });
    expect(ended.code).toBe(130);
    expect(log).toHaveLength(1);
  });

  it('does not wait for what it left in the background', async () => {
    const { hogctl, login, print } = await startKeyed();
    await login();
    const late = join(temporaryDirectory(), 'late');
    print(`echo ${KEY}\n(sleep 4; touch ${late}) &\n`);
    expect(await hogctl(['persons', 'get', '1'])).toMatchObject({ code: 0 });
    expect(existsSync(late)).toBe(false);
  });
});

describe('a configuration file with a key command', () => {
  it.each([
    { keyCommand: 'pass show | head', key: undefined },
    { keyCommand: 'pass show', key: KEY },
    { keyCommand: 7, key: undefined },
  ])('is damaged if it has no usable one, or a key too: %j', async (source) => {
    const directory = temporaryDirectory();
    const project = { name: 'shop', host: 'https://eu.posthog.com', id: '1', protected: false, ...source };
    writeFileSync(join(directory, 'config.json'), JSON.stringify({ projects: [project] }), { mode: 0o600 });
    const { code, stderr } = await runProgram(['auth', 'list'], {
      environment: { HOGCTL_CONFIG_DIR: directory },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('has no valid "keyCommand"');
  });
});
