import { join } from 'node:path';
import { usageError } from '../../errors.ts';
import type { Shell } from './write-completion.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Where the script of a shell goes, and what makes the shell find it. */
export type Places = {
  readonly script: string;
  readonly start?: { readonly file: string; readonly lines: readonly string[] };
};

type Wish = {
  readonly environment: Variables;
  readonly platform: string;
  readonly startFile?: string | undefined;
};

/** The places of one shell for this user. Throws a usage error where the environment names no home. */
export function shellPlaces(shell: Shell, { environment, platform, startFile }: Wish): Places {
  const isWindows = platform === 'win32';
  const home = environment.HOME || (isWindows ? environment.USERPROFILE : undefined);
  if (!home) throw usageError('there is no home directory to set completion up in', 'set HOME');
  const data = environment.XDG_DATA_HOME || join(home, '.local', 'share');
  const config = environment.XDG_CONFIG_HOME || join(home, '.config');
  const start = (usual: string, lines: readonly string[]) => ({ file: startFile ?? usual, lines });
  switch (shell) {
    case 'bash': {
      const folder = environment.BASH_COMPLETION_USER_DIR || join(data, 'bash-completion');
      const script = join(folder, 'completions', 'hogctl');
      return { script, start: start(join(home, '.bashrc'), bashLines(script)) };
    }
    case 'zsh': {
      const folder = join(data, 'hogctl', 'zsh');
      const lines = zshLines(folder);
      return {
        script: join(folder, '_hogctl'),
        start: start(join(environment.ZDOTDIR || home, '.zshrc'), lines),
      };
    }
    case 'fish':
      if (startFile !== undefined) throw usageError('fish finds its file without lines in a start-up file');
      return { script: join(config, 'fish', 'completions', 'hogctl.fish') };
    case 'powershell': {
      const folder = isWindows ? environment.LOCALAPPDATA || join(home, 'AppData', 'Local') : data;
      const profiles = isWindows ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell');
      const script = join(folder, 'hogctl', 'hogctl.ps1');
      const usual = join(profiles, 'Microsoft.PowerShell_profile.ps1');
      return { script, start: start(usual, powershellLines(script)) };
    }
  }
}

/** Where bash-completion is at work it finds the file by itself, at the first Tab. */
function bashLines(script: string): readonly string[] {
  const file = quote(script);
  return [
    'if ! declare -F _comp_load >/dev/null && ! declare -F _completion_loader >/dev/null; then',
    `  [ -r ${file} ] && . ${file}`,
    'fi',
  ];
}

/** Behind everything that starts zsh's completion, and starting it where nothing does. */
function zshLines(folder: string): readonly string[] {
  return [
    `fpath=(${quote(folder)} $fpath)`,
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }',
    'autoload -Uz _hogctl && compdef _hogctl hogctl',
  ];
}

function powershellLines(script: string): readonly string[] {
  const file = `'${script.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
  return [`if (Test-Path -LiteralPath ${file}) { . ${file} }`];
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
