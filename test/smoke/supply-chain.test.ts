import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, temporaryDirectory } from './built-program.ts';

const root = join(import.meta.dirname, '..', '..');
const script = join(root, 'scripts', 'sbom.mjs');
const {
  bundledSbom,
  makesSbom,
}: {
  bundledSbom(folder: string, packages: readonly { readonly title: string }[]): string;
  makesSbom(): boolean;
} = await import(script);
const builtIn = [
  ...readFileSync(join(root, 'docs', 'licences.md'), 'utf8').matchAll(/^- (\S+ \d\S*): /gm),
].map(([, title = '']) => title);

describe.skipIf(!makesSbom())('the list of what the package is made of', { timeout: 60_000 }, () => {
  it('names each package that is built in, and nothing else, and where it was made', () => {
    const text = bundledSbom(
      root,
      builtIn.map((title) => ({ title })),
    );
    const sbom = JSON.parse(text);
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'hogctl' } } });
    const found = sbom.components.map(({ name, version }: Record<string, string>) => `${name} ${version}`);
    expect(found.toSorted()).toEqual(builtIn.toSorted());
    expect(sbom.components.every(({ hashes }: { hashes: unknown[] }) => hashes.length > 0)).toBe(true);
    expect(text).not.toMatch(/\.tgz|development/);
  });

  it('is not made if a package is not known to npm', () => {
    expect(() => bundledSbom(root, [{ title: 'chalk 0.0.1' }])).toThrow(
      'npm does not list what is built in: chalk 0.0.1',
    );
  });
});

const silent = { message: '405 Method Not Allowed' };
const fault = (name: string, severity: string) => ({
  auditReportVersion: 2,
  vulnerabilities: { [name]: { name, severity, range: '<9', via: [{ title: 'It breaks' }] } },
});
const signed = { invalid: [], missing: [] };
const faultless = { auditReportVersion: 2, vulnerabilities: {} };

describe.skipIf(process.platform === 'win32')('the audit', () => {
  /** Runs it with an npm that answers so. */
  async function audit(signatures: unknown, faults: unknown, ...words: readonly string[]) {
    const directory = temporaryDirectory();
    const answers = { signatures: join(directory, 'signatures'), faults: join(directory, 'faults') };
    writeFileSync(answers.signatures, JSON.stringify(signatures));
    writeFileSync(answers.faults, JSON.stringify(faults));
    mkdirSync(join(directory, 'bin'));
    const npm = join(directory, 'bin', 'npm');
    writeFileSync(
      npm,
      `#!/bin/sh\n[ "$2" = signatures ] && exec cat ${answers.signatures}\ncat ${answers.faults}\nexit 1\n`,
    );
    chmodSync(npm, 0o755);
    const environment = { PATH: `${join(directory, 'bin')}${delimiter}${process.env.PATH}` };
    const { ended } = start([process.execPath, join(root, 'scripts', 'audit.mjs'), ...words], environment);
    const { code, stdout } = await ended;
    return { code, stdout: String(stdout) };
  }

  it.each([
    ['nothing is known', signed, faultless, 0, ['Signatures: 0 found', 'Known faults: 0 found']],
    [
      'nobody answers',
      silent,
      silent,
      0,
      ['Signatures: could not be asked: 405', 'faults: could not be asked: 405'],
    ],
    ['a fault is built in', signed, fault('undici', 'high'), 1, ['undici <9: high, built in: It breaks']],
    [
      'a fault is in a tool',
      signed,
      fault('vitest', 'critical'),
      0,
      ['vitest <9: critical, a tool, not built in'],
    ],
    ['a fault is small', signed, fault('undici', 'moderate'), 0, ['Known faults: 0 found']],
    [
      'a signature is wrong',
      { ...signed, invalid: [{ name: 'chalk', version: '5.6.2' }] },
      silent,
      1,
      ['chalk 5.6.2: invalid signature'],
    ],
    [
      'a signature lacks',
      { ...signed, missing: [{ name: 'chalk', version: '5.6.2' }] },
      faultless,
      1,
      ['chalk 5.6.2: missing signature'],
    ],
  ])('fails only on findings about what is built in: %s', async (_, signatures, faults, code, lines) => {
    const ended = await audit(signatures, faults);
    expect(ended.code).toBe(code);
    for (const line of lines) expect(ended.stdout).toContain(line);
  });

  it.each([
    ['signatures', silent, faultless, 1],
    ['faults', signed, silent, 1],
    ['nothing', signed, faultless, 0],
  ])('stops a release if nobody answers about %s', async (_, signatures, faults, code) => {
    expect((await audit(signatures, faults, '--release')).code).toBe(code);
  });
});

it('nothing is published without the audit of a release', () => {
  const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;
  expect(scripts.prepublishOnly).toBe('node scripts/release.mjs && node scripts/audit.mjs --release');
});

it('npm hands the provenance on', () => {
  const shown = execFileSync('npm', ['pkg', 'get', 'publishConfig'], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(shown)).toEqual({ provenance: true });
});
