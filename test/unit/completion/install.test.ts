import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellPlaces, withLines, withoutLines } from '../../../src/completion/install.ts';

const BLOCK = '# >>> hogctl completion >>>\none\ntwo\n# <<< hogctl completion <<<\n';

describe('marked lines', () => {
  it.each([
    ['an empty file', '', BLOCK],
    ['a file', 'alias a=b\n', `alias a=b\n${BLOCK}`],
    ['a last line without an end', 'alias a=b', `alias a=b\n${BLOCK}`],
    ['older lines between others', `a\n${BLOCK.replace('two', 'old')}b\n`, `a\n${BLOCK}b\n`],
    ['the same lines', `a\n${BLOCK}b\n`, `a\n${BLOCK}b\n`],
    ['line ends of Windows', 'a\r\n', `a\r\n${BLOCK.replaceAll('\n', '\r\n')}`],
  ])('are put into %s', (_, before, after) => {
    expect(withLines(before, ['one', 'two'], 'f')).toBe(after);
    expect(withLines(after, ['one', 'two'], 'f')).toBe(after);
  });

  it('are taken out, and nothing else is', () => {
    expect(withoutLines(`a\n\n${BLOCK}b`, 'f')).toBe('a\n\nb');
    expect(withoutLines('a\n', 'f')).toBe('a\n');
  });

  it.each([
    ['no end', '# >>> hogctl completion >>>\na\n'],
    ['no start', 'a\n# <<< hogctl completion <<<\n'],
    ['the end first', '# <<< hogctl completion <<<\n# >>> hogctl completion >>>\n'],
    ['two of them', BLOCK + BLOCK],
  ])('are left to people where there is %s', (_, text) => {
    expect(() => withLines(text, [], '.zshrc')).toThrow('the marked lines in .zshrc are damaged');
    expect(() => withoutLines(text, '.zshrc')).toThrow('damaged');
  });
});

describe('the places of a shell', () => {
  const home = { HOME: '/home/ana' };
  const place = (shell: 'bash' | 'zsh' | 'fish' | 'powershell', environment: object, platform = 'linux') => {
    const { script, start } = shellPlaces(shell, { environment: { ...home, ...environment }, platform });
    return [script, start?.file];
  };

  it.each([
    ['bash', {}, '.local/share/bash-completion/completions/hogctl', '.bashrc'],
    ['zsh', {}, '.local/share/hogctl/zsh/_hogctl', '.zshrc'],
    ['zsh', { ZDOTDIR: '/home/ana/z' }, '.local/share/hogctl/zsh/_hogctl', 'z/.zshrc'],
    [
      'powershell',
      {},
      '.local/share/hogctl/hogctl.ps1',
      '.config/powershell/Microsoft.PowerShell_profile.ps1',
    ],
    ['bash', { XDG_DATA_HOME: '/home/ana/d' }, 'd/bash-completion/completions/hogctl', '.bashrc'],
    ['bash', { BASH_COMPLETION_USER_DIR: '/home/ana/b' }, 'b/completions/hogctl', '.bashrc'],
  ] as const)('%s with %j', (shell, environment, script, start) => {
    expect(place(shell, environment)).toEqual([join('/home/ana', script), join('/home/ana', start)]);
  });

  it('are one file alone for fish', () => {
    expect(place('fish', {})).toEqual(['/home/ana/.config/fish/completions/hogctl.fish', undefined]);
    expect(() => shellPlaces('fish', { environment: home, platform: 'linux', startFile: 'a' })).toThrow(
      'fish',
    );
  });

  it('are those of the user on Windows', () => {
    const [script, start] = place(
      'powershell',
      { HOME: '', USERPROFILE: '/u', LOCALAPPDATA: '/local' },
      'win32',
    );
    expect(script).toBe(join('/local', 'hogctl', 'hogctl.ps1'));
    expect(start).toBe(join('/u', 'Documents', 'PowerShell', 'Microsoft.PowerShell_profile.ps1'));
  });

  it('are quoted for each shell', () => {
    const environment = { HOME: "/home/it's $(x)" };
    const { start } = shellPlaces('bash', { environment, platform: 'linux' });
    expect(start?.lines.join('\n')).toContain("'/home/it'\\''s $(x)/.local/share");
    const other = shellPlaces('powershell', { environment, platform: 'linux' });
    expect(other.start?.lines.join('\n')).toContain("'/home/it''s $(x)/.local/share");
  });

  it('need a home', () => {
    expect(() => shellPlaces('bash', { environment: {}, platform: 'linux' })).toThrow('no home directory');
  });
});
