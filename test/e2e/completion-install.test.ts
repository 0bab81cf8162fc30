import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasOtherUsers } from '../support/other-users.ts';
import { runProgram, type Setting } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';

const SCRIPTS = {
  bash: '.local/share/bash-completion/completions/hogctl',
  zsh: '.local/share/hogctl/zsh/_hogctl',
  fish: '.config/fish/completions/hogctl.fish',
  powershell: '.local/share/hogctl/hogctl.ps1',
};
const STARTS = {
  bash: '.bashrc',
  zsh: '.zshrc',
  powershell: '.config/powershell/Microsoft.PowerShell_profile.ps1',
};
const shells = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
const withStart = Object.keys(STARTS) as (keyof typeof STARTS)[];

function makeHome() {
  const home = temporaryDirectory();
  const environment = { HOME: home, HOGCTL_CACHE_DIR: temporaryDirectory() };
  return {
    home,
    read: (file: string) => readFileSync(join(home, file), 'utf8'),
    write: (file: string, text: string) => {
      mkdirSync(dirname(join(home, file)), { recursive: true });
      writeFileSync(join(home, file), text);
    },
    hogctl: (line: string, setting: Setting = {}) =>
      runProgram(splitWords(line), {
        ...setting,
        environment: { ...environment, ...setting.environment },
      }),
  };
}

describe.each(shells)('completion install %s', (shell) => {
  it('puts the script that completion prints in its place, once', async () => {
    const { read, hogctl } = makeHome();
    const { code, stdout, stderr } = await hogctl(`completion install ${shell} -o json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)[0]).toMatchObject({ change: 'write' });
    expect(stderr).toBe(`Open a new ${shell} to use it; hogctl completion uninstall ${shell} undoes it.\n`);
    expect(read(SCRIPTS[shell])).toBe((await hogctl(`completion ${shell}`)).stdout);
    const again = await hogctl(`completion install ${shell} -o json`);
    expect(JSON.parse(again.stdout).map((row: { change: string }) => row.change)).toEqual(
      shell === 'fish' ? ['none'] : ['none', 'none'],
    );
    expect(again.stderr).toBe(`Completion for ${shell} is up to date.\n`);
  });

  it('writes nothing with --dry-run', async () => {
    const { home, hogctl } = makeHome();
    const { code, stdout } = await hogctl(`completion install ${shell} --dry-run`);
    expect([code, readdirSync(home)]).toEqual([0, []]);
    expect(stdout).toContain(join(home, SCRIPTS[shell]));
  });

  it('leaves a file that somebody else wrote', async () => {
    const { read, write, hogctl } = makeHome();
    write(SCRIPTS[shell], '# mine\n');
    for (const verb of ['install', 'uninstall']) {
      const { code, stderr } = await hogctl(`completion ${verb} ${shell}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('was not written by hogctl')]);
    }
    expect(read(SCRIPTS[shell])).toBe('# mine\n');
  });

  it('is undone by completion uninstall, once', async () => {
    const { home, hogctl } = makeHome();
    await hogctl(`completion install ${shell}`);
    const dry = await hogctl(`completion uninstall ${shell} --dry-run`);
    expect([dry.code, existsSync(join(home, SCRIPTS[shell]))]).toEqual([0, true]);
    expect((await hogctl(`completion uninstall ${shell}`)).code).toBe(0);
    expect(existsSync(join(home, SCRIPTS[shell]))).toBe(false);
    const { code, stderr } = await hogctl(`completion uninstall ${shell}`);
    expect([code, stderr]).toEqual([0, `Completion for ${shell} was not set up.\n`]);
  });
});

describe.each(withStart)('the start-up file of %s', (shell) => {
  it('gets marked lines at its end, and is afterwards what it was', async () => {
    const { read, write, hogctl } = makeHome();
    const before = '\ufeff# größe\nalias a=b\n';
    write(STARTS[shell], before);
    await hogctl(`completion install ${shell}`);
    expect(read(STARTS[shell]).startsWith(`${before}# >>> hogctl completion >>>\n`)).toBe(true);
    await hogctl(`completion install ${shell}`);
    expect(read(STARTS[shell]).split('>>> hogctl completion >>>').length).toBe(2);
    await hogctl(`completion uninstall ${shell}`);
    expect(read(STARTS[shell])).toBe(before);
  });

  it('stays the link that it is, and may be another one', async () => {
    const { home, read, write, hogctl } = makeHome();
    write('dotfiles/start', 'a\n');
    mkdirSync(dirname(join(home, STARTS[shell])), { recursive: true });
    symlinkSync(join(home, 'dotfiles/start'), join(home, STARTS[shell]));
    await hogctl(`completion install ${shell}`);
    expect(lstatSync(join(home, STARTS[shell])).isSymbolicLink()).toBe(true);
    expect(read('dotfiles/start')).toContain('>>> hogctl completion >>>');
    await hogctl(`completion install ${shell} --start-file ${join(home, 'other')}`);
    expect(read('other')).toContain('>>> hogctl completion >>>');
  });

  it('is left alone where the marks are damaged, and so is the script', async () => {
    const { home, read, write, hogctl } = makeHome();
    write(STARTS[shell], '# >>> hogctl completion >>>\na\n');
    const { code, stderr } = await hogctl(`completion install ${shell}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('are damaged')]);
    expect([read(STARTS[shell]), existsSync(join(home, SCRIPTS[shell]))]).toEqual([
      '# >>> hogctl completion >>>\na\n',
      false,
    ]);
  });
});

describe('the shell that is meant', () => {
  it.each([
    ['/usr/bin/zsh', 'zsh'],
    ['/opt/homebrew/bin/fish', 'fish'],
    ['C:\\Program Files\\PowerShell\\7\\pwsh.exe', 'powershell'],
  ] as const)('is the one of SHELL=%s', async (SHELL, shell) => {
    const { home, hogctl } = makeHome();
    await hogctl('completion install', { environment: { SHELL } });
    expect(existsSync(join(home, SCRIPTS[shell]))).toBe(true);
  });

  it('is asked for at a terminal, and else has to be named', async () => {
    const { home, hogctl } = makeHome();
    const unknown = { environment: { SHELL: '/bin/tcsh' } };
    const { code, stderr } = await hogctl('completion install', unknown);
    expect([code, stderr]).toEqual([2, expect.stringContaining('give one of bash, zsh, fish, powershell')]);
    await hogctl('completion install', { ...unknown, answers: ['fish'] });
    expect(existsSync(join(home, SCRIPTS.fish))).toBe(true);
  });

  it('needs a home', async () => {
    const { code, stderr } = await runProgram(['completion', 'install', 'zsh'], {});
    expect([code, stderr]).toEqual([2, expect.stringContaining('no home directory')]);
  });
});

describe('root with the HOME of another user', () => {
  it.skipIf(!hasOtherUsers).each(['install', 'uninstall'])('changes nothing there by %s', async (verb) => {
    const { home, hogctl, read, write } = makeHome();
    const before = '# mine\n';
    write('.bashrc', before);
    chownSync(home, 1234, 1234);
    for (const line of [`completion ${verb} bash`, `completion ${verb} bash --start-file ${home}/other`]) {
      const { code, stderr } = await hogctl(line);
      expect(code).toBe(2);
      expect(stderr).toContain('is in the home directory of another user, and root writes nothing there');
    }
    expect(readdirSync(home)).toEqual(['.bashrc']);
    expect(read('.bashrc')).toBe(before);
  });
});
