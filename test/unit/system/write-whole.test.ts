import {
  chmodSync,
  lstatSync,
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemCode } from '../../../src/errors.ts';
import { makeDirectory } from '../../../src/system/files.ts';
import { filePrinter, openWhole, writeWhole } from '../../../src/system/write-whole.ts';

let folder = '';
let path = '';
let umask = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hogctl-whole-'));
  path = join(folder, 'out');
  umask = process.umask(0o077);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

const modeOf = (file: string) => statSync(file).mode & 0o7777;
const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (cause) {
    return systemCode(cause);
  }
  return undefined;
};

describe('a file that is written whole', () => {
  it('is new, and its owner’s only', () => {
    process.umask(0);
    writeWhole(path, 'aß', { mark: 'm' });
    expect([readFileSync(path, 'utf8'), modeOf(path), readdirSync(folder)]).toEqual(['aß', 0o600, ['out']]);
  });

  it('is open to others only where it may be', () => {
    process.umask(0o022);
    writeWhole(path, '', { mark: 'm', mode: 0o666 });
    expect(modeOf(path)).toBe(0o644);
  });

  it.each([0o600, 0o640, 0o664, 0o666, 0o2664, 0o400])(
    'keeps the exact mode %i it had, whatever the umask',
    (mode) => {
      writeFileSync(path, 'older');
      chmodSync(path, mode);
      writeWhole(path, 'new', { mark: 'm' });
      expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', mode]);
    },
  );

  it('is under its name only when it is complete', () => {
    writeFileSync(path, 'older');
    const file = openWhole(path, { mark: 'm' });
    file.write('new');
    file.write(Buffer.from(' and more'));
    expect(readFileSync(path, 'utf8')).toBe('older');
    file.finish();
    file.abandon();
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['new and more', ['out']]);
  });

  it('leaves nothing when it is abandoned', () => {
    const file = openWhole(path, { mark: 'm' });
    file.write('new');
    file.abandon();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps the link that was named, and writes its target, also one that is not there yet', () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join('elsewhere', 'second'), path);
    symlinkSync('third', join(folder, 'elsewhere', 'second'));
    for (const text of ['first', 'again']) {
      writeWhole(path, text, { mark: 'm' });
      expect(lstatSync(path).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(folder, 'elsewhere', 'third'), 'utf8')).toBe(text);
    }
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['second', 'third']);
  });

  it('is refused where links form a loop', () => {
    symlinkSync('out', path);
    expect(codeOf(() => writeWhole(path, '', { mark: 'm' }))).toBe('ELOOP');
  });

  it('is not written through a link of its working name', () => {
    writeFileSync(join(folder, 'precious'), 'precious');
    symlinkSync(join(folder, 'precious'), join(folder, '.out.m.part'));
    expect(codeOf(() => writeWhole(path, 'new', { mark: 'm' }))).toBe('EEXIST');
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
  });

  it('may have the longest name there is', () => {
    const long = join(folder, 'x'.repeat(255));
    writeWhole(long, 'new', { mark: '12345-abcdefgh' });
    expect(readFileSync(long, 'utf8')).toBe('new');
  });
});

describe('a printer into a file', () => {
  it('says in words why there can be none', async () => {
    await expect(filePrinter(folder, { mark: 'm' })).rejects.toThrow(
      `cannot write ${folder}: it is a directory`,
    );
    await expect(filePrinter(join(folder, 'no', 'out'), { mark: 'm' })).rejects.toMatchObject({
      kind: 'usage',
      message: `cannot write ${join(folder, 'no', 'out')}: no such file or directory`,
    });
  });

  it('writes into a device as it comes', async () => {
    const printer = await filePrinter('/dev/null', { mark: 'm' });
    await printer.write('text');
    await printer.finish();
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('says that a full disk is full', async () => {
    const printer = await filePrinter('/dev/full', { mark: 'm' });
    await expect(printer.write('text')).rejects.toThrow('cannot write /dev/full: the disk is full');
    await printer.abandon();
  });
});

describe('a directory', () => {
  it('is made for its owner only, with all above it', () => {
    process.umask(0);
    expect(makeDirectory(join(folder, 'a', 'b', 'c'))).toBe(join(folder, 'a'));
    expect(['a', 'a/b', 'a/b/c'].map((name) => modeOf(join(folder, name)))).toEqual([0o700, 0o700, 0o700]);
    expect(makeDirectory(join(folder, 'a', 'b'))).toBeUndefined();
  });

  it('is not made where a file stands', () => {
    writeFileSync(path, '');
    expect(codeOf(() => makeDirectory(path))).toBe('ENOTDIR');
    expect(codeOf(() => makeDirectory(join(path, 'a')))).toBe('ENOTDIR');
  });

  it.skipIf(process.platform !== 'linux')(
    'is refused by a file system that has no place for it, and soon',
    () => {
      expect(codeOf(() => makeDirectory('/proc/none/below/that'))).toBe('ENOENT');
    },
  );
});
