import { join } from 'node:path';
import type { Arguments, Options } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import type { Environment } from '../system/system.ts';
import { quoteForShell } from '../system/text.ts';
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts';

export const shellArgument = {
  shell: {
    type: 'text',
    optional: true,
    placeholder: 'shell',
    choices: SHELLS,
    description: `One of ${SHELLS.join(', ')}`,
  },
} as const satisfies Arguments;

export const startFileOption = {
  startFile: {
    type: 'file',
    placeholder: 'file',
    description: 'Start-up file of the shell, if it is not the usual one',
  },
} as const satisfies Options;

type Asked = { readonly shell?: Shell | undefined; readonly startFile?: string | undefined };
type Done = { readonly shell: Shell; readonly isChanged: boolean };

/** Puts the script and the lines that load it in their places. A dry run only shows them. */
export async function install(asked: Asked, context: Context): Promise<Done> {
  const { shell, places } = await placesFor(asked, context);
  const text = SCRIPTS[shell];
  const before = await readOwn(places.script, context);
  const own: FileChange = { file: places.script, change: before === text ? 'none' : 'write', text };
  if (places.start === undefined) return changeFiles(shell, [own], context);
  const { file, lines } = places.start;
  const old = (await context.files.readIfThere(file)) ?? '';
  const after = withLines(old, lines, file);
  const kind = withoutLines(old, file) === old ? 'add lines' : 'change lines';
  const start: FileChange = { file, change: after === old ? 'none' : kind, text: after, lines };
  return changeFiles(shell, [own, start], context);
}

/** Removes both, and nothing else. */
export async function uninstall(asked: Asked, context: Context): Promise<Done> {
  const { shell, places } = await placesFor(asked, context);
  const before = await readOwn(places.script, context);
  const change = before === undefined ? 'none' : 'remove';
  const own: FileChange = { file: places.script, change, text: undefined };
  const old = places.start && (await context.files.readIfThere(places.start.file));
  if (places.start === undefined || old === undefined) return changeFiles(shell, [own], context);
  const { file, lines } = places.start;
  const after = withoutLines(old, file);
  const start: FileChange = { file, change: after === old ? 'none' : 'remove lines', text: after, lines };
  return changeFiles(shell, [own, start], context);
}

/** The shell that is meant, and where its files are. */
async function placesFor({ shell: named, startFile }: Asked, context: Context) {
  const shell = await chooseShell(named, context);
  const file = startFile === undefined ? undefined : context.files.absolutePath(startFile);
  const { environment, platform } = context.system;
  const places = shellPlaces(shell, { environment, platform, startFile: file });
  for (const path of [places.script, ...(places.start ? [places.start.file] : [])])
    context.files.refuseForeignHome(path);
  return { shell, places };
}

/** The shell that was named, else that of the environment, else the one that is typed at the terminal. */
async function chooseShell(named: Shell | undefined, context: Context): Promise<Shell> {
  if (named !== undefined) return named;
  const { environment, platform } = context.system;
  const own = nameOf(environment.SHELL ?? (platform === 'win32' ? 'powershell' : ''));
  if (own !== undefined) return own;
  if (context.terminal.interactive) {
    const answer = nameOf(await context.terminal.ask({ text: `Which shell (${SHELLS.join(', ')}): ` }));
    if (answer !== undefined) return answer;
  }
  throw usageError('cannot tell which shell to set up', `give one of ${SHELLS.join(', ')}`);
}

function nameOf(text: string): Shell | undefined {
  const word = (text.trim().split(/[\\/]/).at(-1) ?? '').replace(/\.exe$/i, '').toLowerCase();
  return word === 'pwsh' ? 'powershell' : SHELLS.find((shell) => shell === word);
}

/** What happens to one file. */
type FileChange = {
  readonly file: string;
  readonly change: 'write' | 'add lines' | 'change lines' | 'remove lines' | 'remove' | 'none';
  /** What it will hold; undefined if it is removed. */
  readonly text: string | undefined;
  /** Our lines, if the rest of the file is somebody else's. */
  readonly lines?: readonly string[];
};

/** Every script says so in its first lines. */
const OURS = '# Completion of hogctl for ';

async function readOwn(file: string, context: Context): Promise<string | undefined> {
  const text = await context.files.readIfThere(file);
  if (text === undefined || text.slice(0, 200).includes(OURS)) return text;
  throw usageError(`${file} was not written by hogctl`, 'move it away first');
}

/** Makes and shows the changes, the script before the lines that name it. A dry run shows the lines as well. */
async function changeFiles(shell: Shell, changes: readonly FileChange[], context: Context): Promise<Done> {
  const isChanged = changes.some(({ change }) => change !== 'none');
  for (const { file, change, text } of context.dryRun ? [] : changes) {
    if (change === 'none') continue;
    if (text === undefined) await context.files.remove(file);
    else await context.files.writeText(file, text);
  }
  const rows = changes.map(({ file, change, lines }) => ({ change, file, lines: lines ?? null }));
  await context.print(rows, [{ key: 'change' }, { key: 'file', kind: 'id' }]);
  if (!context.dryRun) return { shell, isChanged };
  for (const { file, change, lines = [] } of changes) {
    if (change === 'none' || lines.length === 0) continue;
    context.note(`The lines of ${file}, between two marks:`);
    for (const line of lines) context.note(`  ${line}`);
  }
  return { shell, isChanged };
}

const FIRST = '# >>> hogctl completion >>>';
const LAST = '# <<< hogctl completion <<<';

/** A text with these lines between marks: in the place of those that are there, else at the end. */
export function withLines(text: string, lines: readonly string[], file: string): string {
  const mark = text.includes('\r\n') ? '\r\n' : '\n';
  const block = [FIRST, ...lines, LAST, ''].join(mark);
  const { before, after, found } = split(text, file);
  if (found) return before + block + after;
  return before + (before === '' || before.endsWith('\n') ? '' : mark) + block;
}

/** The text without the marks and what stands between them. */
export function withoutLines(text: string, file: string): string {
  const { before, after } = split(text, file);
  return before + after;
}

/** Throws a usage error if a mark is missing, since then it is unknown which lines are ours. */
function split(text: string, file: string) {
  const lines = text.split(/(?<=\n)/);
  const at = (mark: string) => lines.flatMap((line, index) => (line.trimEnd() === mark ? [index] : []));
  const [firsts, lasts] = [at(FIRST), at(LAST)];
  const [first, last] = [firsts[0], lasts[0]];
  if (first === undefined && last === undefined) return { before: text, after: '', found: false };
  if (
    firsts.length !== 1 ||
    lasts.length !== 1 ||
    first === undefined ||
    last === undefined ||
    first > last
  ) {
    throw usageError(
      `the marked lines in ${file} are damaged`,
      `remove them by hand, from "${FIRST}" to "${LAST}"`,
    );
  }
  return { before: lines.slice(0, first).join(''), after: lines.slice(last + 1).join(''), found: true };
}

/** Where the script of a shell goes, and what makes the shell find it. */
type Places = {
  readonly script: string;
  readonly start?: { readonly file: string; readonly lines: readonly string[] };
};

type Surroundings = {
  readonly environment: Environment;
  readonly platform: string;
  readonly startFile?: string | undefined;
};

/** The places of one shell for this user. Throws a usage error if the environment names no home. */
export function shellPlaces(shell: Shell, { environment, platform, startFile }: Surroundings): Places {
  const isWindows = platform === 'win32';
  const home = environment.HOME || (isWindows ? environment.USERPROFILE : undefined);
  if (!home) throw usageError('no home directory was found for the completion files', 'set HOME');
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
      if (startFile !== undefined)
        throw usageError('--start-file cannot be used for fish, which needs no lines there', 'leave it out');
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

/** bash-completion finds the file by itself, at the first Tab. */
function bashLines(script: string): readonly string[] {
  const file = quoteForShell(script);
  return [
    'if ! declare -F _comp_load >/dev/null && ! declare -F _completion_loader >/dev/null; then',
    `  [ -r ${file} ] && . ${file}`,
    'fi',
  ];
}

/** They stand behind whatever starts zsh's completion, and start it if nothing has. */
function zshLines(folder: string): readonly string[] {
  return [
    `fpath=(${quoteForShell(folder)} $fpath)`,
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }',
    'autoload -Uz _hogctl && compdef _hogctl hogctl',
  ];
}

function powershellLines(script: string): readonly string[] {
  const file = `'${script.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
  return [`if (Test-Path -LiteralPath ${file}) { . ${file} }`];
}
