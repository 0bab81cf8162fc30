import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/run-program.ts';
import { KEY, startService, temporaryDirectory } from '../support/service.ts';
import { loginWords, noOwnKeyRoute, wantingTheKey, withoutKey } from '../support/stored-key.ts';

describe('permissions of the stored key', () => {
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('are 600 and 700, also after every rewrite', async () => {
    const service = await wantingTheKey();
    const directory = join(temporaryDirectory(), 'fresh', 'hogctl');
    const environment = { HOGCTL_CONFIG_DIR: directory };
    for (const words of [loginWords(service), loginWords(service, '--protected'), ['auth', 'use', 'shop']]) {
      const { code } = await service.hogctl(words, { stdin: KEY, environment });
      expect([code, mode(join(directory, 'config.json')), mode(directory)]).toEqual([0, '600', '700']);
    }
  });

  it('are named where they are looser, and tightened by the next rewrite', async () => {
    const service = await wantingTheKey();
    const environment = withoutKey(service.environment);
    const file = join(environment.HOGCTL_CONFIG_DIR, 'config.json');
    await service.hogctl(loginWords(service), { stdin: KEY, environment });
    chmodSync(file, 0o644);
    const list = await service.hogctl('auth list', { environment });
    expect(list.code).toBe(0);
    expect(list.stderr).toContain(file);
    await service.hogctl('auth use shop', { environment });
    expect(mode(file)).toBe('600');
  });
});

describe('a damaged configuration file', () => {
  it.each([
    ['cut in half', (text: string) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['two documents', (text: string) => text + text],
    ['not JSON at all', () => `key ${KEY}`],
    ['a list', () => '[]'],
  ])('is named, left as it is and not shown: %s', async (_, damage) => {
    const service = await wantingTheKey();
    const environment = withoutKey(service.environment);
    const file = join(environment.HOGCTL_CONFIG_DIR, 'config.json');
    await service.hogctl(loginWords(service), { stdin: KEY, environment });
    const before = damage(readFileSync(file, 'utf8'));
    writeFileSync(file, before);
    for (const words of [
      ['auth', 'list'],
      loginWords(service, '-p', '2'),
      ['auth', 'use', 'shop'],
      ['auth', 'logout', 'shop', '-y'],
    ]) {
      const { code, stdout, stderr } = await service.hogctl(words, { stdin: KEY, environment });
      expect(code).toBe(2);
      expect(stderr).toContain(`the configuration file ${file} is damaged`);
      expect(stdout + stderr).not.toContain(KEY.slice(4, 12));
      expect(readFileSync(file, 'utf8')).toBe(before);
    }
  });

  it('stops a key from the environment as well, since the file may protect the project', async () => {
    const service = await wantingTheKey();
    mkdirSync(service.environment.HOGCTL_CONFIG_DIR ?? '', { recursive: true });
    writeFileSync(join(service.environment.HOGCTL_CONFIG_DIR ?? '', 'config.json'), '{"half');
    const { code, stderr } = await service.hogctl('persons get 1');
    expect(stderr).toContain('damaged');
    expect(code).toBe(2);
  });
});

describe('a key that looks like no key of the service', () => {
  const key = 'house-key+of/our=own-0815';
  const forms = [key, encodeURIComponent(key), Buffer.from(`x:${key}`).toString('base64')];
  /** Quotes the key in every way; knows no route that tells what a key may do until it is stored. */
  const quoting = (status: number) => ({
    on: /persons/,
    times: 9,
    status,
    json: { code: 'not_authenticated', detail: forms.join(' '), attr: forms.join(' ') },
  });

  function expectHidden({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) {
    for (const form of forms) expect(stdout + stderr).not.toContain(form);
    expect(stderr).toContain('***');
  }

  it('is hidden in what the service says to a stored key', async () => {
    const service = await startService([noOwnKeyRoute, quoting(401)]);
    const environment = withoutKey(service.environment);
    expect((await runProgram(loginWords(service), { stdin: key, environment })).code).toBe(0);
    const refused = await runProgram(['persons', 'get', '1'], { environment });
    expect(refused.code).toBe(4);
    expectHidden(refused);
  });

  it('is hidden in what the service says to a key that is about to be stored', async () => {
    const service = await startService([{ ...quoting(401), on: () => true }]);
    const environment = withoutKey(service.environment);
    const refused = await runProgram(loginWords(service), { stdin: key, environment });
    expect(refused.code).toBe(4);
    expectHidden(refused);
  });
});
