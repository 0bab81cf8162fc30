import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFiles } from '../../../src/system/directories.ts';
import { openResumable as open } from '../../../src/system/resumable-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hogctl-resumable-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Process 4711 lives, and nobody else. */
const isAlive = (pid: number) => pid === 4711;
const openResumable = (path: string, bytes: number, pid = 42) =>
  open(path, { bytes, holder: { pid, isAlive } });

describe('a file that grows over several runs', () => {
  it('takes its name when it is complete, and is its owner’s only', async () => {
    const path = join(folder, 'out');
    const file = await openResumable(path, 0);
    await file.append('aß');
    expect(await file.settle()).toBe(3);
    await file.append(Buffer.from('b'));
    expect(await file.settle()).toBe(4);
    expect(existsSync(path)).toBe(false);
    await file.complete();
    expect(readFileSync(path, 'utf8')).toBe('aßb');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('cuts off what came after the place it goes on from', async () => {
    const path = join(folder, 'out');
    writeFileSync(`${path}.part`, 'kept and torn');
    const file = await openResumable(path, 5);
    await file.append('whole');
    await file.complete();
    expect(readFileSync(path, 'utf8')).toBe('kept whole');
  });

  it('leaves an older file alone until then', async () => {
    const path = join(folder, 'out');
    writeFileSync(path, 'older');
    const file = await openResumable(path, 0);
    await file.append('new');
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('older');
  });

  it('is refused where its beginning is gone', async () => {
    const path = join(folder, 'out');
    await expect(openResumable(path, 5)).rejects.toMatchObject({ kind: 'usage' });
    writeFileSync(`${path}.part`, 'abc');
    await expect(openResumable(path, 5)).rejects.toThrow('is shorter than it was');
  });
});

describe('a file that is being written', () => {
  it('is refused to another process, and free when it is closed', async () => {
    const path = join(folder, 'out');
    const file = await openResumable(path, 0, 4711);
    await file.append('abc');
    await expect(openResumable(path, 0)).rejects.toMatchObject({
      kind: 'usage',
      message: `${path}.part is being written by process 4711`,
    });
    await file.close();
    expect(listOf(folder)).toEqual(['out.part']);
    const next = await openResumable(path, 3);
    await next.complete();
    expect([listOf(folder), readFileSync(path, 'utf8')]).toEqual([['out'], 'abc']);
  });

  it.each([
    ['has gone', `43 ${hostname()}\n`],
    ['had the same number', `42 ${hostname()}\n`],
    ['was on another machine', '4711 elsewhere\n'],
    ['could not say who it is', ''],
  ])('is taken over from one that %s', async (_, text) => {
    const path = join(folder, 'out');
    writeFileSync(`${path}.part.lock`, text);
    const file = await openResumable(path, 0);
    expect(readFileSync(`${path}.part.lock`, 'utf8')).toBe(`42 ${hostname()}\n`);
    await file.complete();
    expect(listOf(folder)).toEqual(['out']);
  });

  it('is free again where it could not be opened', async () => {
    await expect(openResumable(join(folder, 'out'), 5)).rejects.toMatchObject({ kind: 'usage' });
    expect(listOf(folder)).toEqual([]);
  });
});

const listOf = (path: string) => readdirSync(path).sort();

describe('a folder', () => {
  it('is told from one that is not there, and from a file', async () => {
    writeFileSync(join(folder, 'b'), '');
    writeFileSync(join(folder, 'a'), '');
    expect(await listFiles(folder)).toEqual(['a', 'b']);
    expect(await listFiles(join(folder, 'none'))).toBeUndefined();
    await expect(listFiles(join(folder, 'a'))).rejects.toMatchObject({ kind: 'usage' });
  });
});
