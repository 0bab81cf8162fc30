import type { Command } from '../../cli/command/command.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { SCRIPTS, type Shell } from '../../completion/scripts.ts';

/** The command that prints the script of one shell. */
function printScript(shell: Shell): Command {
  return defineCommand({
    name: shell,
    summary: `Print the completion script for ${shell}`,
    description:
      'At each Tab, the script asks hogctl for commands, options, their choices, and names of stored projects, runs,\ncolumns, insights and properties. hogctl answers from local files and never asks the service.',
    examples: [`completion ${shell}`, `completion ${shell} --save completion.${shell}`],
    async run(_input, context) {
      await context.output.raw(SCRIPTS[shell]);
    },
  });
}

export const printBashScript = printScript('bash');
export const printZshScript = printScript('zsh');
export const printFishScript = printScript('fish');
export const printPowershellScript = printScript('powershell');
