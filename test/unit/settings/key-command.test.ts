import { describe, expect, it } from 'vitest';
import { keyFromOutput, programOf, splitKeyCommand } from '../../../src/settings/key-command.ts';

describe('a key command', () => {
  it.each([
    ['pass show posthog', ['pass', 'show', 'posthog']],
    ['  op\tread  op://Private/PostHog/credential ', ['op', 'read', 'op://Private/PostHog/credential']],
    [`aws --query 'a b' "c d"e`, ['aws', '--query', 'a b', 'c de']],
    [`get '' ""`, ['get', '', '']],
    ['get a\\ b \\$HOME', ['get', 'a b', '$HOME']],
    [`get "a\\"b\\\\c\\d" 'e\\f'`, ['get', 'a"b\\c\\d', 'e\\f']],
    [`sh -c 'pass show "$NAME" | head -1'`, ['sh', '-c', 'pass show "$NAME" | head -1']],
    ['"/opt/my tools/get" key', ['/opt/my tools/get', 'key']],
    ['get a=~b c#d *', ['get', 'a=~b', 'c#d', '*']],
    ['get schlüssel', ['get', 'schlüssel']],
  ])('is split as a shell splits words: %s', (text, words) => {
    expect(splitKeyCommand(text, 'linux')).toEqual(words);
  });

  it.each([
    ['C:\\Tools\\op.exe read op://a/b', ['C:\\Tools\\op.exe', 'read', 'op://a/b']],
    ['"C:\\Program Files\\op.exe" read "a\\"', ['C:\\Program Files\\op.exe', 'read', 'a\\']],
  ])('keeps the backslashes of paths on Windows: %s', (text, words) => {
    expect(splitKeyCommand(text, 'win32')).toEqual(words);
  });

  it.each([
    ['', 'contains no program'],
    ["''", 'contains no program'],
    ["pass 'show", 'has a quote that is not closed'],
    ['pass show\\', 'ends in a backslash'],
    ['pass show | head -1', 'contains |'],
    ['pass show; true', 'contains ;'],
    ['pass show $NAME', 'contains $'],
    ['pass "show $NAME"', 'contains $'],
    ['pass `name`', 'contains `'],
    ['pass > file', 'contains >'],
    ['pass (a)', 'contains ('],
    ['~/bin/get', 'contains ~'],
    ['pass #a', 'contains #'],
    ['pass\nshow', 'contains a line break'],
    ['pass \u0000', 'contains a control character'],
    ['./get key', 'has a program with a relative path'],
    ['bin/get key', 'has a program with a relative path'],
  ])('is refused if only a shell could run it: %j', (text, what) => {
    expect(() => splitKeyCommand(text, 'linux')).toThrow(`the key command ${what}`);
  });

  it('may be a batch file', () => {
    expect(splitKeyCommand('C:\\op.CMD read', 'win32')).toEqual(['C:\\op.CMD', 'read']);
  });

  it('is told by its program only', () => {
    expect(programOf('"/opt/my tools/get" --token=secret', 'linux')).toBe('get');
    expect(programOf('C:\\Tools\\op.exe read', 'win32')).toBe('op.exe');
  });
});

describe('what a key command prints', () => {
  it.each(['phx_abc', 'phx_abc\n', '  "phx_abc" \r\nlogin: me\n', '\u201cphx_abc\u201d\nmore'])(
    'has the key in its first line: %j',
    (output) => {
      expect(keyFromOutput(output, 'the command')).toBe('phx_abc');
    },
  );

  it.each([
    ['', 'is empty'],
    ['\nphx_abc', 'is empty'],
    ['phx_a\rphx_b\n', 'contains a line break'],
    ['phx_ä', 'contains a character that is not ASCII'],
    ['phx_a phx_b', 'contains a space'],
    ['phc_abc', 'is a public project token'],
    ['p\u0000h\u0000x\u0000', 'contains a control character'],
  ])('is refused by the rules of every key, and not shown: %j', (output, what) => {
    expect(() => keyFromOutput(output, 'the command')).toThrow(`the key from the command ${what}`);
  });
});
