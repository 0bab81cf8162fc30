import type { Arguments } from '../../cli/command/arguments.ts';
import type { Options } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { SHELLS, type Shell } from './write-completion.ts';

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
    description: 'The start-up file of the shell, where it is not the usual one',
  },
} as const satisfies Options;

/** The shell that was named, else that of the environment, else the one that somebody names at the terminal. */
export async function chooseShell(named: Shell | undefined, context: Context): Promise<Shell> {
  if (named !== undefined) return named;
  const { environment, platform } = context;
  const own = nameOf(environment.SHELL ?? (platform === 'win32' ? 'powershell' : ''));
  if (own !== undefined) return own;
  if (context.interactive) {
    const answer = nameOf(await context.ask({ text: `Which shell (${SHELLS.join(', ')}): ` }));
    if (answer !== undefined) return answer;
  }
  throw usageError('the shell is not known', `name it: ${SHELLS.join(', ')}`);
}

function nameOf(text: string): Shell | undefined {
  const word = (text.trim().split(/[\\/]/).at(-1) ?? '').replace(/\.exe$/i, '').toLowerCase();
  return word === 'pwsh' ? 'powershell' : SHELLS.find((shell) => shell === word);
}
