import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startStub } from '../support/stub-server.ts';
import { cleanEnvironment, KEY, start, temporaryDirectory, hogctl as unreleased } from './built-program.ts';

const root = join(import.meta.dirname, '../..');

const published = (version: string) => ({
  name: 'hogctl',
  'dist-tags': { latest: version },
  versions: { [version]: { name: 'hogctl', version, dist: { tarball: 'http://127.0.0.1/none.tgz' } } },
});

async function registry(answer: object) {
  const stub = await startStub([() => answer]);
  onTestFinished(() => stub.close());
  const environment = {
    ...cleanEnvironment(),
    HOGCTL_API_KEY: KEY,
    HOGCTL_PROJECT: '1',
    HOGCTL_HOST: 'http://127.0.0.1:9',
    npm_config_registry: stub.origin,
  };
  return { environment, log: stub.log };
}

/** The program as it is once its package names a repository. */
function released(): string {
  const folder = temporaryDirectory();
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  const program = join(folder, 'dist/program.cjs');
  const text = readFileSync(program, 'utf8');
  const about = /\{version:("[^"]+")\}/;
  if (!about.test(text)) throw new Error('the built program has no version to add a repository to');
  writeFileSync(program, text.replace(about, '{version:$1,repository:"test"}'));
  return join(folder, 'bin/hogctl.js');
}

const hogctl = (words: readonly string[], environment: Readonly<Record<string, string>>) =>
  start([process.execPath, released(), ...words], { ...environment, HOGCTL_NO_CACHE: '1' }).ended;

const check = ['version', '--check', '-o', 'json'];

describe('version --check through the real npm', { timeout: 60_000 }, () => {
  it('finds a newer one in the registry that npm is set to, and takes no key there', async () => {
    const { environment, log } = await registry({ json: published('99.0.0') });
    const { code, stdout, stderr } = await hogctl(check, environment);
    expect(code, stderr).toBe(9);
    expect(JSON.parse(String(stdout))).toMatchObject({ newest: '99.0.0' });
    expect(log.map(({ method, url, body }) => [method, url, body])).toEqual([['GET', '/hogctl', '']]);
    expect(JSON.stringify(log)).not.toContain(KEY);
    expect(log[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is done where there is none', async () => {
    const { environment } = await registry({ json: published('0.0.1') });
    expect(await hogctl(check, environment)).toMatchObject({ code: 0 });
  });

  it('ends with 3 where the registry has no such package', async () => {
    const { environment } = await registry({ status: 404, json: { error: 'not found' } });
    expect(await hogctl(check, environment)).toMatchObject({ code: 3 });
  });

  it('ends with 6 where the registry does not answer', async () => {
    // Nobody listens there, and no port is given away that low.
    const registry = 'http://127.0.0.1:1';
    const { code, stderr } = await hogctl(check, { ...cleanEnvironment(), npm_config_registry: registry });
    expect(JSON.parse(stderr).error).toMatchObject({ kind: 'unavailable', code: 'ECONNREFUSED' });
    expect(code).toBe(6);
  });
});

describe('before the first release', () => {
  it('version --check asks nobody about the name', async () => {
    const { environment, log } = await registry({ json: published('99.0.0') });
    const { code, stderr } = await unreleased(['version', '--check'], environment);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'hogctl has not been released yet, so there is no newer version.\n',
    });
    expect(log).toEqual([]);
  });

  it('nothing can be published', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/release.mjs'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'package.json has no repository and no homepage: add them before a release, as RELEASING.md says\n',
    });
  });
});

describe('version with another npm on the path', () => {
  function fakeNpm(): { readonly environment: Record<string, string>; readonly trace: string } {
    const folder = temporaryDirectory();
    const trace = join(folder, 'trace');
    const script = `#!/bin/sh\nenv > '${trace}'\necho '"0.0.1"'\n`;
    writeFileSync(join(folder, 'npm'), script, { mode: 0o755 });
    const environment = { ...cleanEnvironment(), HOGCTL_API_KEY: KEY, POSTHOG_CLI_API_KEY: KEY };
    return { environment: { ...environment, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` }, trace };
  }

  it('asks it only with --check, and hands it no key', async () => {
    const { environment, trace } = fakeNpm();
    expect(await hogctl(['version'], environment)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(trace)).toBe(false);
    expect(await hogctl(['version', '--check', '-q'], environment)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(trace, 'utf8')).not.toContain(KEY);
  });

  it('ends with 6 where there is none', async () => {
    const environment = { ...cleanEnvironment(), PATH: temporaryDirectory() };
    const { code, stdout, stderr } = await hogctl(['version', '--check'], environment);
    expect({ code, stdout: String(stdout) }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain('error: cannot run npm, so the newest version is not known\n');
  });
});
