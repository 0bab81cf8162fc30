import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFiles } from '../../../src/system/files.ts';
import { openResumable as open } from '../../../src/system/write-whole.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hogctl-resumable-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Process 4711 lives, and nobody else. */
const isAlive = (pid: number) => pid === 4711;
const openResumable = (path: string, bytes: number, pid = 42) =>
  open(path, { bytes, owner: { pid, isAlive } });

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
    await expect(openResumable(path, 5)).rejects.toThrow('has become shorter');
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

  it('is not opened through a link of its working name', async () => {
    const path = join(folder, 'out');
    writeFileSync(join(folder, 'precious'), 'precious');
    symlinkSync(join(folder, 'precious'), `${path}.part`);
    await expect(openResumable(path, 0)).rejects.toThrow('its links form a loop');
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
    expect(listOf(folder)).toEqual(['out.part', 'precious']);
  });

  it('is written through a link that somebody named, to a file that is not there yet', async () => {
    const path = join(folder, 'out');
    symlinkSync('target', path);
    const file = await openResumable(path, 0);
    await file.append('new');
    await file.complete();
    expect([lstatSync(path).isSymbolicLink(), readFileSync(join(folder, 'target'), 'utf8')]).toEqual([
      true,
      'new',
    ]);
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
