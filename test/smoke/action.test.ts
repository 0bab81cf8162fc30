import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { start, temporaryDirectory } from './built-program.ts';

const root = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(root, 'action.yml'), 'utf8');
const [install = '', runCommand = ''] = (
  parse(text) as { readonly runs: { readonly steps: readonly { readonly run: string }[] } }
).runs.steps.map(({ run }) => run);

/** Runs a step as a runner does, with programs that write down their words in place of hogctl and npm. */
async function step(script: string, environment: Readonly<Record<string, string>>) {
  const folder = temporaryDirectory();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['hogctl', 'npm']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '[%s]' "$@" > ${join(bin, `said-${name}`)}\nexit 9\n`);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(folder, 'script'), `cd "$RUNNER_TEMP"\n${script}`);
  const { ended } = start(['bash', '--noprofile', '--norc', '-eo', 'pipefail', join(folder, 'script')], {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    RUNNER_TEMP: folder,
    GITHUB_PATH: join(folder, 'path'),
    ...environment,
  });
  const { code, stdout } = await ended;
  const wordsOf = (name: string) =>
    existsSync(join(bin, `said-${name}`)) ? readFileSync(join(bin, `said-${name}`), 'utf8') : undefined;
  return { code, stdout: String(stdout), hogctl: wordsOf('hogctl'), npm: wordsOf('npm'), folder };
}

describe('the words of the action', { timeout: 60_000 }, () => {
  it.each([
    ['insights check --file checks.yaml', '[insights][check][--file][checks.yaml]'],
    [`insights check 9 --expect 'last >= 20' "a b"`, '[insights][check][9][--expect][last >= 20][a b]'],
    ['version; touch injected', '[version;][touch][injected]'],
    ['version $(touch injected)', '[version][$(touch][injected)]'],
    ['version `touch injected`', '[version][`touch][injected`]'],
    ['version\ntouch injected', '[version][touch][injected]'],
    ['version > injected', '[version][>][injected]'],
    ['version "$HOME" *', '[version][$HOME][*]'],
    [`persons list --properties '[{"key":"a"}]'`, '[persons][list][--properties][[{"key":"a"}]]'],
  ])('are split and never evaluated: %s', async (COMMAND, words) => {
    const { code, hogctl, folder } = await step(runCommand, { COMMAND });
    expect({ code, hogctl }).toEqual({ code: 9, hogctl: words });
    expect(existsSync(join(folder, 'injected'))).toBe(false);
  });

  it('are refused with a quote that is not closed', async () => {
    const { code, hogctl } = await step(runCommand, { COMMAND: "insights check 'a" });
    expect(code).not.toBe(0);
    expect(hogctl).toBeUndefined();
  });
});

describe('the package of the action', { timeout: 60_000 }, () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const beside = (...names: readonly string[]) => {
    const ACTION = temporaryDirectory();
    for (const name of names) copyFileSync(join(root, 'LICENSE'), join(ACTION, name));
    return { ACTION, SHA256: '' };
  };

  it('is the one of this version, whatever else lies there', async () => {
    const given = beside(`hogctl-${version}.tgz`, 'hogctl-9.0.0.tgz', 'hogctl-zz.tgz');
    const { npm } = await step(install, given);
    expect(npm).toContain(`[${join(given.ACTION, `hogctl-${version}.tgz`)}]`);
  });

  it('is packed from the repository if only others lie there', async () => {
    expect((await step(install, beside('hogctl-9.0.0.tgz'))).npm).toMatch(/^\[ci\]/);
  });

  it('is installed only with its sum, if one is given', async () => {
    const given = { ...beside(`hogctl-${version}.tgz`), SHA256: 'a'.repeat(64) };
    const { code, stdout, npm } = await step(install, given);
    expect(code).toBe(1);
    expect(stdout).toContain('has another SHA-256');
    expect(npm).toBeUndefined();
    const { createHash } = await import('node:crypto');
    const SHA256 = createHash('sha256')
      .update(readFileSync(join(root, 'LICENSE')))
      .digest('hex');
    expect((await step(install, { ...given, SHA256 })).npm).toMatch(/^\[install\]/);
  });
});
