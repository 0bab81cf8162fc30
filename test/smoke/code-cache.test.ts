import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment, hogctl, isBuilt, KEY, startService, temporaryDirectory } from './built-program.ts';

const person = { id: 42, uuid: '0190a5c6-0000-7000-8000-000000000042', name: 'Ana', distinct_ids: ['ana'] };
const words = ['persons', 'get', '42', '-o', 'json'];

async function start() {
  const service = await startService([() => ({ json: person })]);
  const directory = join(temporaryDirectory(), 'cache');
  const environment = { ...service.environment, HOGCTL_CACHE_DIR: directory };
  const call = async () => {
    const { code, stdout, stderr } = await hogctl(words, environment);
    expect({ code, stderr, ...JSON.parse(stdout.toString()) }).toEqual({ code: 0, stderr: '', ...person });
  };
  const file = () => {
    const [name, ...more] = codeIn(directory);
    expect(more).toEqual([]);
    return join(directory, name ?? '');
  };
  return { directory, environment, call, file };
}

describe.skipIf(!isBuilt)('the code that is kept from run to run', () => {
  it('is written once, for its owner alone, and holds nothing of what was asked', async () => {
    const { call, file } = await start();
    await call();
    const { ino } = statSync(file());
    await call();
    expect(statSync(file()).ino).toBe(ino);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const text = readFileSync(file()).toString('latin1');
    for (const secret of [KEY, 'Ana', '0190a5c6']) expect(text).not.toContain(secret);
  });

  it('grows by what another output uses', async () => {
    const { environment, call, file } = await start();
    await call();
    const { size } = statSync(file());
    expect(await hogctl([...words.slice(0, 3), '-o', 'csv'], environment)).toMatchObject({ code: 0 });
    expect(statSync(file()).size).toBeGreaterThan(size);
    await call();
  });

  it('is kept for each command by itself, wherever its options stand', async () => {
    const { directory, environment, call, file } = await start();
    await call();
    expect(await hogctl(['-q', ...words], environment)).toMatchObject({ code: 0 });
    const bytes = readFileSync(file());
    expect(await hogctl(['runs', 'list'], environment)).toMatchObject({ code: 0 });
    expect(codeIn(directory)).toHaveLength(2);
    expect(codeIn(directory).map((name) => readFileSync(join(directory, name)).equals(bytes))).toContain(
      true,
    );
  });

  it('has room for the command that loads all others', async () => {
    const { environment, file } = await start();
    expect(await hogctl(['endpoints'], environment)).toMatchObject({ code: 0 });
    expect(statSync(file()).size).toBeGreaterThan(1_000_000);
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['of zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['with a lost block in each chunk', (bytes: Buffer) => withLostBlocks(bytes)],
    ['without its last block', (bytes: Buffer) => withoutLastBlock(bytes)],
    [
      'with a damaged index',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 8), Buffer.from('{'), bytes]),
    ],
    ['of something else', () => Buffer.from('This is no code at all.')],
  ])('is made anew where the file is %s', async (_, damage) => {
    const { call, file } = await start();
    await call();
    const { size } = statSync(file());
    writeFileSync(file(), damage(readFileSync(file())));
    await call();
    expect(statSync(file()).size).toBeGreaterThan(size / 2);
    const { ino } = statSync(file());
    await call();
    expect(statSync(file()).ino).toBe(ino);
  });

  it('is not read where others may write it', async () => {
    const { call, file } = await start();
    await call();
    const { ino } = statSync(file());
    chmodSync(file(), 0o666);
    await call();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(file()).ino).not.toBe(ino);
  });

  it('of older builds goes when there are 32 newer files', async () => {
    const { directory, call } = await start();
    mkdirSync(directory);
    const days = Array.from({ length: 33 }, (_, index) => index + 1);
    for (const day of days) {
      const old = join(directory, `code-${day}.bin`);
      writeFileSync(old, '');
      utimesSync(old, day * 86_400, day * 86_400);
    }
    await call();
    expect(codeIn(directory)).toHaveLength(32);
    expect(codeIn(directory)).toEqual(expect.arrayContaining(days.slice(2).map((day) => `code-${day}.bin`)));
  });

  it('can be switched off', async () => {
    const { directory, environment } = await start();
    mkdirSync(directory);
    expect(await hogctl(words, { ...environment, HOGCTL_NO_CACHE: '1' })).toMatchObject({ code: 0 });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is done without where there is no place for it', async () => {
    const { directory, call } = await start();
    writeFileSync(directory, 'a file where the directory would be');
    await call();
    expect(readFileSync(directory, 'utf8')).toBe('a file where the directory would be');
    const { HOME: _, ...homeless } = cleanEnvironment();
    expect(await hogctl(['persons', '--help'], homeless)).toMatchObject({ code: 0, stderr: '' });
  });
});

function codeIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith('code-'));
}

function withoutLastBlock(bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes);
  return damaged.fill(0, (damaged.length - 1) & ~4095);
}

function withLostBlocks(bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes);
  for (let at = 65_536; at < damaged.length; at += 8192)
    damaged.fill(0, at, Math.min(at + 4096, damaged.length));
  return damaged;
}
