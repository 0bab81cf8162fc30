import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Lock, tryLock } from '../../../src/system/lock.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hogctl-lock-'));
  path = join(folder, 'out');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Process 4711 lives, and nobody else. */
const isAlive = (pid: number) => pid === 4711;
const take = (pid = 42) => of(tryLock(`${path}.lock`, { pid, isAlive }, { isBrief: true }));
const of = (taken: ReturnType<typeof tryLock>) =>
  'heldBy' in taken ? { heldBy: taken.heldBy.holder?.pid } : taken;
/** What a lock says of a process of this machine, or of another one. */
const textOf = (pid: number, more: object = {}) => {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : null);
  const boot = read('/proc/sys/kernel/random/boot_id');
  return JSON.stringify({ pid, began: 1, host: hostname(), boot, uptime: uptime(), at: null, ...more });
};

function held(lock: ReturnType<typeof take>): Lock {
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy}`);
  return lock;
}

/** A lock as another process left it so many seconds ago. */
function leave(text: string, seconds: number, number = 1): void {
  writeFileSync(`${path}.lock-${number}`, text);
  age(seconds, number);
}

function age(seconds: number, number = 1): void {
  const { mtimeMs } = lstatSync(`${path}.lock-${number}`);
  utimesSync(`${path}.lock-${number}`, mtimeMs / 1000 - seconds, mtimeMs / 1000 - seconds);
}

describe('a lock', () => {
  it('is one process’s only, and leaves nothing behind', () => {
    const lock = held(take(4711));
    expect(take(43)).toEqual({ heldBy: 4711 });
    expect([lock.isHeld(), readdirSync(folder)]).toEqual([true, ['out.lock-1']]);
    expect(lstatSync(`${path}.lock-1`).mode & 0o777).toBe(0o600);
    lock.release();
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not taken beside one that came while it was looked for', () => {
    leave(textOf(43), 0);
    const lock = tryLock(`${path}.lock`, {
      pid: 42,
      isAlive: (pid) => {
        leave(textOf(4711), 0, 7);
        return isAlive(pid);
      },
    });
    expect(of(lock)).toEqual({ heldBy: 4711 });
    expect(readdirSync(folder).sort()).toEqual(['out.lock-1', 'out.lock-7']);
  });

  it.each([
    ['of this machine that has gone, at once', () => textOf(43), 0],
    ['that has this one’s number', () => textOf(42), 6],
    ['with the number of another one', () => textOf(4711), 6],
    ['of another machine', () => textOf(4711, { host: 'elsewhere' }), 6],
    ['of another container, whatever its pid says here', () => textOf(43, { namespace: 'pid:[1]' }), 6],
  ])('is taken over from a process %s', (_, text, seconds) => {
    leave(text(), seconds);
    const lock = held(take());
    expect(readdirSync(folder)).toEqual(['out.lock-2']);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['of another machine', textOf(43, { host: 'elsewhere' }), 43],
    ['of another container', textOf(43, { namespace: 'pid:[1]' }), 43],
    ['that has not said who it is', '', undefined],
  ])('holds while it is refreshed by a process %s', (_, text, heldBy) => {
    leave(text, 1);
    expect(take()).toEqual({ heldBy });
    expect(readdirSync(folder)).toEqual(['out.lock-1']);
  });

  it('is lost by a process that stood still, which is told so and removes nothing', () => {
    const slow = held(take(4711));
    age(6);
    const next = held(take(43));
    expect([slow.isHeld(), next.isHeld()]).toEqual([false, true]);
    slow.release();
    expect([next.isHeld(), readdirSync(folder)]).toEqual([true, ['out.lock-2']]);
    next.release();
  });

  it('is never written through a link, nor over what somebody else put there', () => {
    writeFileSync(join(folder, 'precious'), 'precious');
    symlinkSync(join(folder, 'precious'), `${path}.lock-1`);
    symlinkSync(join(folder, 'nowhere'), `${path}.lock-3`);
    writeFileSync(`${path}.lock-2`, 'my own notes');
    mkdirSync(`${path}.lock-4`);
    for (const number of [2, 4]) age(6, number);
    // A link has its own time, which only an old one shows: until then it counts as being in use.
    expect(take()).toEqual({ heldBy: undefined });
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
    expect(readFileSync(`${path}.lock-2`, 'utf8')).toBe('my own notes');
  });

  it('leaves a file of somebody else where it is', () => {
    leave('my own notes', 6);
    held(take()).release();
    expect(readdirSync(folder)).toEqual(['out.lock-1']);
    expect(readFileSync(`${path}.lock-1`, 'utf8')).toBe('my own notes');
  });

  it.each(['01', '0', '-1', '9007199254740993', '99999999999999999999999', '1.part'])(
    'does not care about a file that ends in %s',
    (end) => {
      writeFileSync(`${path}.lock-${end}`, '');
      held(take()).release();
      expect(readdirSync(folder)).toEqual([`out.lock-${end}`]);
    },
  );

  it('is given back where a path and an open file have different devices, as on Windows', async () => {
    const windows = join(folder, 'windows.cjs');
    writeFileSync(
      windows,
      `const files = require('node:fs');
      const { fstatSync } = files;
      files.fstatSync = (...words) => Object.assign(fstatSync(...words), { dev: -1 });`,
    );
    expect(await run(await buildLocker(folder), [path, '2'], windows)).toEqual({ code: 0, errors: '' });
    expect(readFileSync(path, 'utf8')).toBe('2');
    expect(readdirSync(folder).sort()).toEqual(['locker.cjs', 'out', 'windows.cjs']);
  });

  it('is held by one of many that find the same one left', { timeout: 60_000 }, async () => {
    const program = await buildLocker(folder);
    for (let round = 0; round < 3; round += 1) {
      leave(textOf(43, { host: 'elsewhere' }), 6);
      const results = await Promise.all(Array.from({ length: 8 }, () => run(program, [path, '5'])));
      expect(results).toEqual(Array.from({ length: 8 }, () => ({ code: 0, errors: '' })));
      // Each has added one five times, to what it read under the lock.
      expect(readFileSync(path, 'utf8')).toBe(String(40 * (round + 1)));
      expect(readdirSync(folder).sort()).toEqual(['locker.cjs', 'out']);
    }
  });
});

async function buildLocker(folder: string): Promise<string> {
  const outfile = join(folder, 'locker.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'locker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  return outfile;
}

function run(
  program: string,
  words: readonly string[],
  before?: string,
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const first = before === undefined ? [] : ['--require', before];
  const child = spawn(process.execPath, [...first, program, ...words]);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, errors }));
  });
}
