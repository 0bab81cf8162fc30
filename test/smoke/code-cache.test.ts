import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasOtherUsers } from '../support/other-users.ts';
import {
  apart,
  BINARY,
  cleanEnvironment,
  hogctl,
  KEY,
  start,
  startService,
  temporaryDirectory,
} from './built-program.ts';

const person = {
  id: 42,
  uuid: '0190a5c6-0000-7000-8000-000000000042',
  name: 'Xaveria',
  distinct_ids: ['xaveria@example.org'],
};
const words = ['persons', 'get', '42', '-o', 'json'];
/** Before the code, which is there twice, stands what the file is and which commands used it. */
const HEAD = 4096;
const SOMEBODY = 1234;

async function openCache() {
  const service = await startService([() => ({ json: person })]);
  const directory = join(temporaryDirectory(), 'cache');
  const environment = { ...service.environment, HOGCTL_CACHE_DIR: directory };
  const call = async () => {
    const { code, stdout, stderr } = await hogctl(words, environment);
    expect({ code, stderr, ...JSON.parse(stdout.toString()) }).toEqual({ code: 0, stderr: '', ...person });
  };
  return { directory, environment, call, file: () => fileIn(directory) };
}

function fileIn(directory: string): string {
  const [name, ...more] = readdirSync(join(directory, 'code'));
  expect(more).toEqual([]);
  return join(directory, 'code', name ?? '');
}

describe('the code that is kept from run to run', () => {
  it('is written once, for its owner only, and holds nothing of what was asked', async () => {
    const { call, file, directory } = await openCache();
    await call();
    const { ino } = statSync(file());
    await call();
    expect(statSync(file()).ino).toBe(ino);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'code')).mode & 0o777).toBe(0o700);
    const text = readFileSync(file()).toString('latin1');
    for (const secret of [KEY, 'Xaveria', '0190a5c6', 'xaveria@']) expect(text).not.toContain(secret);
  });

  it('is one file, which grows by what another command or output uses', async () => {
    const { environment, call, file } = await openCache();
    const sizes: number[] = [];
    for (const line of [words, [...words.slice(0, 3), '-o', 'csv'], ['runs', 'list']]) {
      expect(await hogctl(line, environment)).toMatchObject({ code: 0 });
      sizes.push(statSync(file()).size);
    }
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b));
    const { ino } = statSync(file());
    await call();
    expect(statSync(file()).ino).toBe(ino);
  });

  it('can be switched off', async () => {
    const { directory, environment } = await openCache();
    expect(await hogctl(words, { ...environment, HOGCTL_NO_CACHE: '1' })).toMatchObject({ code: 0 });
    expect(() => statSync(directory)).toThrow('ENOENT');
  });

  it('is done without if there is no place for it', async () => {
    const { directory, call } = await openCache();
    writeFileSync(directory, 'a file where the directory would be');
    await call();
    expect(readFileSync(directory, 'utf8')).toBe('a file where the directory would be');
    const { HOME: _, ...homeless } = cleanEnvironment();
    expect(await hogctl(['runs', '--nonsense'], homeless)).toMatchObject({ code: 2 });
  });

  it('never lies in a relative directory', async () => {
    const { environment } = await openCache();
    const folder = temporaryDirectory();
    const line = ['sh', '-c', 'cd "$1" && hogctl version', 'sh', folder] as const;
    for (const name of ['HOGCTL_CACHE_DIR', 'XDG_CACHE_HOME']) {
      const { HOGCTL_CACHE_DIR: _, ...rest } = environment;
      expect(await start(line, { ...rest, [name]: 'cache' }).ended).toMatchObject({ code: 0 });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves files beside it alone', async () => {
    const { directory, call, environment } = await openCache();
    await call();
    const notes = Array.from({ length: 40 }, (_, index) => `code-notes-${index}.md`);
    for (const folder of [directory, join(directory, 'code')])
      for (const note of notes) writeFileSync(join(folder, note), '');
    expect(await hogctl(['runs', 'list'], environment)).toMatchObject({ code: 0 });
    for (const folder of [directory, join(directory, 'code')])
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(notes));
  });
});

describe('kept code that is damaged', { timeout: 120_000 }, () => {
  it.each([
    ['empty', () => Buffer.alloc(0)],
    ['of zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['of something else', () => Buffer.from('This is no code at all.')],
    ['cut in its head', (bytes: Buffer) => bytes.subarray(0, HEAD - 1)],
    ['cut behind its head', (bytes: Buffer) => bytes.subarray(0, HEAD)],
    ['cut in half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['without its last byte', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['without its last block', (bytes: Buffer) => bytes.fill(0, (bytes.length - 1) & ~4095)],
  ])('is made anew: %s', async (_, damage) => {
    const { call, file } = await openCache();
    await call();
    const { size, ino } = statSync(file());
    // In place, as a disk would: it is the same file with other bytes.
    writeFileSync(file(), damage(readFileSync(file())));
    await call();
    expect(statSync(file()).size).toBeGreaterThan(0.9 * size);
    expect(statSync(file()).ino).not.toBe(ino);
  });

  it('is made anew if one bit is another', async () => {
    const { call, file } = await openCache();
    await call();
    const inCode = (share: number) => (length: number) => HEAD + Math.floor(share * (length - HEAD));
    const places = [() => 3, () => 70, ...[0, 0.001, 0.1, 0.3, 0.5, 0.7, 0.999].map(inCode)];
    for (const placeIn of places) {
      const bytes = readFileSync(file());
      const { ino } = statSync(file());
      const place = placeIn(bytes.length);
      bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << (place % 8)), place);
      writeFileSync(file(), bytes);
      await call();
      expect(statSync(file()).ino, `byte ${place}`).not.toBe(ino);
    }
  });
});

/** The code of another program, which V8 takes for that of ours: it looks at no more of a text than its length. */
const otherCode = makeOtherCode();

function makeOtherCode(): Buffer {
  const script = `
    const { readFileSync } = require('node:fs');
    const { Script } = require('node:vm');
    if (process.version.startsWith('v20.')) require('node:v8').setFlagsFromString('--liftoff-only');
    const filename = process.argv[1];
    const text = "(function () { process.stderr.write('INTRUDER'); process.exit(0); })";
    const script = new Script(text.padEnd(readFileSync(filename).length), { filename });
    process.stderr.write = process.exit = () => {};
    script.runInThisContext()();
    require('node:fs').writeSync(1, script.createCachedData());`;
  const program = join(dirname(BINARY), '..', 'dist', 'program.cjs');
  // Without options of Node, which would make it code of another kind.
  return execFileSync(process.execPath, ['-e', script, program], { env: {} });
}

/** A directory that hogctl itself made, and bytes with the head of its file and the code of the other program. */
async function lure() {
  const directory = join(temporaryDirectory(), 'cache');
  expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('hogctl');
  const file = fileIn(directory);
  const bytes = Buffer.concat([readFileSync(file).subarray(0, HEAD), otherCode, otherCode]);
  return { directory, file, bytes };
}

/** Who answers: hogctl, or the other program. */
async function ask(variables: Readonly<Record<string, string>>): Promise<'hogctl' | 'the other'> {
  const { code, stdout, stderr } = await hogctl(['version', '-o', 'json'], {
    ...cleanEnvironment(),
    ...variables,
  });
  if (stderr === 'INTRUDER') return 'the other';
  expect({ code, stderr, stdout: String(stdout) }).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('"node"'),
  });
  return 'hogctl';
}

/** A cache directory with the bytes under the right name, with the modes that git or an archive gives. */
function plant(
  { file, bytes }: Awaited<ReturnType<typeof lure>>,
  modes: { directory: number; file: number },
) {
  const directory = join(temporaryDirectory(), 'hogctl');
  const planted = join(directory, 'code', file.split('/').at(-1) ?? '');
  mkdirSync(dirname(planted), { recursive: true });
  chmodSync(dirname(planted), modes.directory);
  writeFileSync(planted, bytes);
  chmodSync(planted, modes.file);
  return { directory, planted };
}

describe("code that is not hogctl's own", { timeout: 120_000 }, () => {
  it('would run if its owner wrote it into the very file, so the attacks below are real', async () => {
    const { directory, file, bytes } = await lure();
    writeFileSync(file, bytes);
    expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('the other');
  });

  it.each([
    ['a clone', { directory: 0o755, file: 0o644 }],
    ['an archive that keeps modes', { directory: 0o700, file: 0o600 }],
  ])('does not run out of %s', async (_, modes) => {
    const { directory, planted } = plant(await lure(), modes);
    const { ino } = statSync(planted);
    expect(await ask({ XDG_CACHE_HOME: dirname(directory) })).toBe('hogctl');
    expect(statSync(planted).ino === ino).toBe(modes.directory === 0o755);
  });

  it('does not run out of a copy of a good directory, and a good copy is made anew', async () => {
    const { directory, file, bytes } = await lure();
    const copy = join(temporaryDirectory(), 'copy');
    cpSync(directory, copy, { recursive: true, preserveTimestamps: true });
    for (const folder of [copy, join(copy, 'code')]) chmodSync(folder, 0o700);
    const copied = fileIn(copy);
    const { ino } = statSync(copied);
    expect(await ask({ HOGCTL_CACHE_DIR: copy })).toBe('hogctl');
    expect(statSync(copied).ino).not.toBe(ino);
    writeFileSync(`${file}.new`, bytes, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('hogctl');
  });

  it('does not run through a link, which is replaced and whose target stays', async () => {
    const { file, bytes } = await lure();
    writeFileSync(file, bytes);
    const directory = join(temporaryDirectory(), 'cache');
    mkdirSync(join(directory, 'code'), { recursive: true, mode: 0o700 });
    const link = join(directory, 'code', file.split('/').at(-1) ?? '');
    symlinkSync(file, link);
    expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('hogctl');
    expect(lstatSync(link).isFile()).toBe(true);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('does not run out of a directory that is a link', async () => {
    const { file, bytes } = await lure();
    writeFileSync(file, bytes);
    const directory = join(temporaryDirectory(), 'cache');
    mkdirSync(directory);
    symlinkSync(dirname(file), join(directory, 'code'));
    expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('hogctl');
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it.each([
    ['a directory open to others', (file: string) => chmodSync(dirname(file), 0o777)],
    ['a directory that others may read', (file: string) => chmodSync(dirname(file), 0o750)],
    ['a file that others may write', (file: string) => chmodSync(file, 0o602)],
    ['a file that others may read', (file: string) => chmodSync(file, 0o644)],
  ])('does not run out of %s', async (_, open) => {
    const { directory, file, bytes } = await lure();
    writeFileSync(file, bytes);
    open(file);
    expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('hogctl');
  });

  it.skipIf(!hasOtherUsers).each([
    ['a file', (file: string) => chownSync(file, SOMEBODY, SOMEBODY)],
    ['a directory', (file: string) => chownSync(dirname(file), SOMEBODY, SOMEBODY)],
  ])('does not run out of %s of somebody else', async (_, give) => {
    const { directory, file, bytes } = await lure();
    writeFileSync(file, bytes);
    give(file);
    expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('hogctl');
  });

  it.each([
    ['a FIFO', (path: string) => execFileSync('mkfifo', ['-m', '600', path])],
    ['a directory', (path: string) => mkdirSync(path, { mode: 0o700 })],
  ])('holds nothing up as %s of its name', async (_, make) => {
    const { directory, file } = await lure();
    rmSync(file);
    make(file);
    expect(await ask({ HOGCTL_CACHE_DIR: directory })).toBe('hogctl');
  });

  it('is not read into memory at any size', async () => {
    const { directory, file } = await lure();
    truncateSync(file, 1024 ** 3);
    const tell = join(temporaryDirectory(), 'tell-memory.cjs');
    writeFileSync(
      tell,
      "process.on('exit', () => console.error(process.resourceUsage().maxRSS < 300 * 1024 ? 'little' : 'much'));",
    );
    const line = apart([process.execPath, '--require', tell, BINARY, 'version']);
    const { stderr } = await start(line, { ...cleanEnvironment(), HOGCTL_CACHE_DIR: directory }).ended;
    expect(stderr).toBe('little\n');
    expect(statSync(file).size).toBeLessThan(32 * 1024 ** 2);
  });
});

describe.skipIf(!hasOtherUsers)("root with somebody else's HOME", () => {
  it('makes nothing below it', async () => {
    const home = temporaryDirectory();
    chownSync(home, SOMEBODY, SOMEBODY);
    expect(await ask({ HOME: home })).toBe('hogctl');
    expect(await ask({ XDG_CACHE_HOME: join(home, 'cache') })).toBe('hogctl');
    expect(readdirSync(home)).toEqual([]);
  });

  it("writes neither through somebody's link nor below a directory of root's own", async () => {
    const home = temporaryDirectory();
    const cache = join(home, '.cache');
    const target = temporaryDirectory();
    mkdirSync(join(target, 'code'), { mode: 0o700 });
    mkdirSync(cache);
    symlinkSync(target, join(cache, 'hogctl'));
    lchownSync(join(cache, 'hogctl'), SOMEBODY, SOMEBODY);
    for (const path of [cache, home]) chownSync(path, SOMEBODY, SOMEBODY);
    expect(await ask({ HOME: home })).toBe('hogctl');
    expect(readdirSync(join(target, 'code'))).toEqual([]);
    rmSync(join(cache, 'hogctl'));
    mkdirSync(join(cache, 'hogctl'));
    expect(await ask({ HOME: home })).toBe('hogctl');
    expect(readdirSync(join(cache, 'hogctl'))).toEqual([]);
  });
});
