import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFiles } from '../../../../src/cli/outside/directories.ts';
import { openResumable } from '../../../../src/cli/outside/resumable-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hogctl-resumable-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

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

describe('a folder', () => {
  it('is told from one that is not there, and from a file', async () => {
    writeFileSync(join(folder, 'b'), '');
    writeFileSync(join(folder, 'a'), '');
    expect(await listFiles(folder)).toEqual(['a', 'b']);
    expect(await listFiles(join(folder, 'none'))).toBeUndefined();
    await expect(listFiles(join(folder, 'a'))).rejects.toMatchObject({ kind: 'usage' });
  });
});
