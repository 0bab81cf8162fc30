import { defineCommand } from '../../cli/command/define-command.ts';
import type { Command } from '../../cli/command/groups.ts';
import { type Shell, writeCompletion } from './write-completion.ts';

/** The command that prints the script of one shell. */
function printScript(shell: Shell): Command {
  return defineCommand({
    name: shell,
    endpoints: [],
    summary: `Print the completion script for ${shell}`,
    description:
      'Commands, options and their choices stand in the script. For names of stored projects, columns, insights and\nproperties it asks this program, which answers from files and never asks the service.',
    examples: [`completion ${shell}`, `completion ${shell} --save completion.${shell}`],
    async run(_input, context) {
      await context.printRaw(await writeCompletion(shell, context.groups));
    },
  });
}

export const printBashScript = printScript('bash');
export const printZshScript = printScript('zsh');
export const printFishScript = printScript('fish');
export const printPowershellScript = printScript('powershell');
