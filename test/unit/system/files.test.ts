import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readIfThere, readWholeFile } from '../../../src/system/files.ts';

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
