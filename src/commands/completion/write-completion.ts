import type { Group } from '../../cli/command/groups.ts';
import { bashScript } from './bash-script.ts';
import { type CompletionTree, completionTree } from './completion-tree.ts';
import { fishScript } from './fish-script.ts';
import { powershellScript } from './powershell-script.ts';
import { zshScript } from './zsh-script.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

const WRITERS: Readonly<Record<Shell, (tree: CompletionTree) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** The completion script of a shell for these commands. It needs neither the program nor the network when it runs. */
export async function writeCompletion(shell: Shell, groups: readonly Group[]): Promise<string> {
  return WRITERS[shell](await completionTree(groups));
}
