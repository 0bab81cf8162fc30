import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitWords } from '../support/split-words.ts';
import { cleanEnvironment, start, startService } from './built-program.ts';

const root = join(import.meta.dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
/** Bytes of the package once it is unpacked. */
const MOST = 3_200_000;

type Packed = {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
};

/** npm as a stranger has it: no network, no settings or cache of anybody. */
function npm(folder: string, words: readonly string[], directory: string): string | undefined {
  const environment = { PATH: process.env.PATH, HOME: folder, npm_config_cache: join(folder, 'cache') };
  // Before the words, since those behind -- are another program's.
  const options = ['--offline', '--no-update-notifier', '--no-audit', '--no-fund'];
  const { status, stdout } = spawnSync('npm', [...options, ...words], {
    cwd: directory,
    env: environment,
    encoding: 'utf8',
  });
  return status === 0 ? stdout : undefined;
}

let folder: string;
let prefix: string;
let program: string;
let packed: Packed | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hogctl-package-'));
  prefix = join(folder, 'prefix');
  program = join(prefix, 'bin', 'hogctl');
  // Without its scripts: the build is there, and other tests are using it.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  // Cast: what npm prints with --json.
  [packed] = JSON.parse(npm(folder, pack, root) ?? '[]') as readonly Packed[];
  if (packed === undefined) throw new Error('npm packs nothing');
  const tarball = join(folder, packed.filename);
  const installed = npm(folder, ['install', '--global', '--prefix', prefix, tarball], folder);
  if (installed === undefined) throw new Error('npm does not install what it packed');
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', { timeout: 60_000 }, () => {
  const run = (words: readonly string[], environment: Readonly<Record<string, string>>) =>
    start([program, ...words], environment).ended;

  it('is small, and holds nothing but what is used or read', () => {
    const kinds =
      /^(?:LICENSE|README\.md|CHANGELOG\.md|package\.json|bin\/(?:hogctl\.js|package\.json)|completions\/[\w.]+|man\/hogctl[\w-]*\.1|docs\/[\w/-]+\.(?:md|svg)|docs\/checks\.schema\.json|dist\/(?:[\w-]+\.cjs|package\.json|sbom\.cdx\.json|(?:completion|help|licences)\.txt))$/;
    const paths = (packed?.files ?? []).map(({ path }) => path);
    expect(paths.filter((path) => !kinds.test(path))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining(['LICENSE', 'dist/licences.txt', 'completions/hogctl.bash']),
    );
    expect(packed?.unpackedSize).toBeLessThan(MOST);
  });

  it('brings all it needs: nothing is installed beside it', () => {
    expect(readdirSync(join(prefix, 'lib', 'node_modules'))).toEqual(['hogctl']);
    expect(existsSync(join(prefix, 'lib', 'node_modules', 'hogctl', 'node_modules'))).toBe(false);
    expect(statSync(program).mode & 0o111).toBe(0o111);
  });

  it('has nothing that publint finds wrong', async () => {
    const lint = async (pkgDir: string) =>
      (await publint({ pkgDir, pack: false, level: 'suggestion' })).messages.map(({ code }) => code);
    expect(await lint(join(prefix, 'lib', 'node_modules', 'hogctl'))).toEqual([]);
    const wrong = join(folder, 'wrong');
    mkdirSync(wrong);
    writeFileSync(join(wrong, 'package.json'), '{"name":"wrong","version":"1.0.0","bin":"main.js"}');
    writeFileSync(join(wrong, 'main.js'), 'no line that names node');
    expect(await lint(wrong)).toContain('BIN_FILE_NOT_EXECUTABLE');
  });

  it('has a file behind every link of its pages, but for the one to the sources', () => {
    const installed = join(prefix, 'lib', 'node_modules', 'hogctl');
    const pages = (packed?.files ?? []).map(({ path }) => path).filter((path) => path.endsWith('.md'));
    const missing = pages.flatMap((page) => {
      const links = [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\(([^)#:]+)[)#]/g)];
      return links
        .map(([, link = '']) => join(dirname(page), link))
        .filter((path) => !existsSync(join(installed, path)));
    });
    expect(missing).toEqual(['CONTRIBUTING.md']);
  });

  it('runs from where it was installed', async () => {
    const environment = cleanEnvironment();
    expect(String((await run(['--version'], environment)).stdout)).toBe(`${version}\n`);
    const help = await run(['--help'], environment);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(String(help.stdout)).toContain('hogctl <command> --help');
  });

  it('runs through npx, straight from the file', () => {
    const tarball = join(folder, packed?.filename ?? '');
    const help = npm(folder, ['exec', '--yes', '--package', tarball, '--', 'hogctl', '--help'], folder);
    expect(help).toContain('hogctl <command> --help');
  });

  it('calls a service', async () => {
    const person = {
      id: 7,
      uuid: '0190a5b8-0000-7000-8000-000000000007',
      distinct_ids: ['a'],
      properties: {},
    };
    const { environment, log } = await startService([
      { on: 'GET /api/projects/1/persons/', json: { results: [person], next: null } },
    ]);
    const { code, stdout, stderr } = await run(['persons', 'list', '-o', 'json'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(String(stdout))).toEqual([person]);
    expect(log).toHaveLength(1);
  });
});

describe('a package that is patched to text of the same length', { timeout: 60_000 }, () => {
  it('runs the new text at once, not code that was kept of the old one', async () => {
    const environment = cleanEnvironment();
    const list = async () => (await start([program, 'runs', 'list'], environment).ended).stderr;
    expect(await list()).toContain('no rows');
    const path = join(prefix, 'lib', 'node_modules', 'hogctl', 'dist', 'program.cjs');
    const text = readFileSync(path, 'latin1');
    writeFileSync(path, text.replaceAll('no rows', 'my rows'), 'latin1');
    expect(await list()).toContain('my rows');
    writeFileSync(path, text, 'latin1');
    expect(await list()).toContain('no rows');
  });
});

describe('a package that is looked for', { timeout: 60_000 }, () => {
  /** A command that needs each package which hogctl does not bring. */
  const needing: Readonly<Record<string, string>> = {
    '@duckdb/node-api': 'sandbox exec -- hogctl persons list -o ndjson -q --limit 1',
    '@posthog/hogql-parser': "sandbox exec -- hogctl query 'select 1 as one' -o ndjson -q",
  };
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const peers: readonly string[] = Object.keys(about.peerDependencies);
  const installed = join(root, 'node_modules');

  it('has a command here that needs it', () => expect(Object.keys(needing)).toEqual(peers));

  const link = (name: string, modules: string) => {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(installed, name), join(modules, name));
  };

  /** Runs the command of a package in a folder, with hogctl installed in another one beside which it can be put. */
  const inFolder = (name: string, node = process.execPath, words = needing[name] ?? '') => {
    const environment = cleanEnvironment();
    const home = environment.HOME ?? '';
    cpSync(join(prefix, 'lib'), join(home, 'installed'), { recursive: true });
    const modules = join(home, 'installed', 'node_modules');
    for (const other of peers.filter((peer) => peer !== name)) link(other, modules);
    const work = join(home, 'work');
    mkdirSync(work);
    const hogctl = [node, join(modules, 'hogctl', 'bin', 'hogctl.js'), ...splitWords(words)];
    const line = ['sh', '-c', 'cd "$0" && exec "$@"', work, ...hogctl] as const;
    return { home, modules, work, run: () => start(line, environment).ended };
  };

  /** A copy of a package that tells when it is loaded. */
  const plant = (name: string, modules: string, mark: string, version?: string) => {
    const folder = join(modules, name);
    mkdirSync(dirname(folder), { recursive: true });
    const [scope] = name.split('/');
    // What it needs itself lies beside it.
    for (const other of name.startsWith('@') ? readdirSync(join(installed, scope ?? '')) : [])
      if (`${scope}/${other}` !== name)
        symlinkSync(join(installed, scope ?? '', other), join(modules, scope ?? '', other));
    cpSync(join(installed, name), folder, { recursive: true, dereference: true });
    const file = join(folder, 'package.json');
    const held = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...held, version: version ?? held.version }));
    appendFileSync(
      join(folder, held.main),
      `\nrequire('node:fs').writeFileSync(${JSON.stringify(mark)}, '');`,
    );
  };

  // Where somebody has it among the global packages, it is found, as it should be.
  const missing = peers.filter(
    (name) => !existsSync(join(dirname(dirname(process.execPath)), 'lib', 'node_modules', name)),
  );

  it.each(missing)('is not taken from the working directory: %s', async (name) => {
    for (const version of [undefined, '0.0.1']) {
      const { home, work, run } = inFolder(name);
      plant(name, join(work, 'node_modules'), join(home, 'loaded'), version);
      const { code, stdout, stderr } = await run();
      expect({ code, stdout: String(stdout) }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`needs the package ${name}, which is not installed`);
      expect(stderr).toContain('npm install --global @duckdb/node-api @posthog/hogql-parser@1.3.87\n');
      expect(existsSync(join(home, 'loaded'))).toBe(false);
    }
  });

  it.skipIf(missing.length < peers.length)('is told by one command for all', async () => {
    const { modules, run } = inFolder('@posthog/hogql-parser', process.execPath, "query 'select 1' --check");
    for (const name of peers) rmSync(join(modules, name), { recursive: true, force: true });
    const { code, stderr } = await run();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: --check needs the package @posthog/hogql-parser, which is not installed
hint: install what the sandbox needs beside hogctl: npm install --global @duckdb/node-api @posthog/hogql-parser@1.3.87
`,
    });
  });

  it.each(peers)('is found beside hogctl, whatever lies in the working directory: %s', async (name) => {
    const { home, modules, work, run } = inFolder(name);
    link(name, modules);
    plant(name, join(work, 'node_modules'), join(home, 'loaded'), '0.0.1');
    const { code, stdout } = await run();
    expect({ code, text: String(stdout) }).toEqual({ code: 0, text: expect.stringMatching(/^\{/) });
    expect(existsSync(join(home, 'loaded'))).toBe(false);
  });

  it.each(peers)('is found among the global packages of the Node that runs: %s', async (name) => {
    const elsewhere = mkdtempSync(join(folder, 'node-'));
    const node = join(elsewhere, 'bin', 'node');
    cpSync(process.execPath, node);
    plant(name, join(elsewhere, 'lib', 'node_modules'), join(elsewhere, 'loaded'), '0.0.1');
    expect(await inFolder(name, node).run()).toMatchObject({ code: 0 });
    expect(existsSync(join(elsewhere, 'loaded'))).toBe(true);
    rmSync(elsewhere, { recursive: true });
  });

  it.each([
    ['not loaded, since it is built in, if its version is the built one', undefined, false],
    ['loaded if it has another version', '1.5.0', true],
  ])('has its JavaScript %s', async (_, version, isLoaded) => {
    const { home, modules, run } = inFolder('@duckdb/node-api');
    plant('@duckdb/node-api', modules, join(home, 'loaded'), version);
    expect(await run()).toMatchObject({ code: 0 });
    expect(existsSync(join(home, 'loaded'))).toBe(isLoaded);
  });
});
