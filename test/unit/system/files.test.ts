import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readFileChunks, readIfThere, readWholeFile } from '../../../src/system/files.ts';

const directory = () => {
  const made = mkdtempSync(join(tmpdir(), 'hogctl-files-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

describe('a file that is read whole', () => {
  it.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
  ])('is no %s, which is refused at once', async (_, make) => {
    const path = join(directory(), 'file');
    make(path);
    const refused = { kind: 'usage', message: `cannot read ${path}: it is a pipe or a device` };
    expect(() => readWholeFile(path)).toThrow(expect.objectContaining(refused));
    await expect(readIfThere(path)).rejects.toMatchObject(refused);
  });

  it('may be behind a link, be a directory or not be there', async () => {
    const path = join(directory(), 'file');
    writeFileSync(path, 'text');
    symlinkSync(path, `${path}.link`);
    expect(readWholeFile(`${path}.link`)).toBe('text');
    expect(await readIfThere(`${path}.link`)).toBe('text');
    expect(await readIfThere(`${path}.none`)).toBeUndefined();
    expect(() => readWholeFile(join(path, '..'))).toThrow('it is a directory');
  });
});

describe('a file that is read in pieces', () => {
  const readAll = async (change: (path: string) => void) => {
    const path = join(directory(), 'people.csv');
    writeFileSync(path, 'user_1\nuser_12');
    const pieces: Uint8Array[] = [];
    for await (const piece of readFileChunks(path, new AbortController().signal)) {
      if (pieces.length === 0) change(path);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString();
  };

  it('ends if it stays as it is', async () => {
    expect(await readAll(() => undefined)).toBe('user_1\nuser_12');
  });

  it.each([
    ['grows', (path: string) => appendFileSync(path, '3\n'.repeat(100_000))],
    ['is emptied', (path: string) => writeFileSync(path, '')],
    ['is removed', unlinkSync],
  ])('is refused if it %s meanwhile, since it may end within an id', async (_, change) => {
    const message = expect.stringMatching(/people\.csv changed while it was read$/);
    await expect(readAll(change)).rejects.toMatchObject({ kind: 'usage', message });
  });
});
