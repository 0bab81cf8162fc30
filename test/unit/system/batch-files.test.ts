import { describe, expect, it } from 'vitest';
import { commandOf } from '../../../src/system/batch-files.ts';

const place = { platform: 'win32', environment: {} };
const lineOf = (...command: [string, ...string[]]) => commandOf(command, place).words.at(-1);

describe('a command', () => {
  it.each([
    ['linux', 'key.bat'],
    ['win32', 'node'],
    ['win32', 'C:\\Windows\\System32\\where.exe'],
  ])('of %s is started as it is: %s', (platform, program) => {
    const command = commandOf([program, 'a b', '%x%'], { ...place, platform });
    expect(command).toEqual({ program, words: ['a b', '%x%'], verbatim: false });
  });

  it('that is a batch file is started by cmd, without its own start files', () => {
    expect(commandOf(['C:\\my keys\\key.CMD', 'read', 'a b'], place)).toEqual({
      program: 'cmd.exe',
      words: ['/e:ON', '/v:OFF', '/d', '/c', '""C:\\my keys\\key.CMD" read "a b""'],
      verbatim: true,
    });
  });

  it.each([
    ['a&b', '"a&b"'],
    ['', '""'],
    ['say "hi"', '"say ""hi"""'],
    ['"&calc.exe', '"""&calc.exe"'],
    ['C:\\a b\\', '"C:\\a b\\\\"'],
    ['back\\"slash', '"back\\\\""slash"'],
    ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
    ['C:\\plain\\path.txt', 'C:\\plain\\path.txt'],
    ['ends\\', '"ends\\\\"'],
    ['^|<>!(),;=', '"^|<>!(),;="'],
  ])('hands a batch file the word %j', (word, written) => {
    expect(lineOf('key.bat', word)).toBe(`""key.bat" ${written}"`);
  });

  it.each(['a\nb', 'a\rb', 'a\0b'])('hands a batch file no %j', (word) => {
    expect(() => lineOf('key.bat', word)).toThrow('takes no line breaks');
  });
});
