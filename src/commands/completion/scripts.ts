import type { Command } from '../../cli/command/command.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { SCRIPTS, type Shell } from '../../completion/scripts.ts';

/** The command that prints the script of one shell. */
function printScript(shell: Shell): Command {
  return defineCommand({
    name: shell,
    summary: `Print the completion script for ${shell}`,
    description: helpText('commands/completion/scripts'),
    examples: [`completion ${shell}`, `completion ${shell} --save completion.${shell}`],
    async run(_input, context) {
      await context.output.raw(SCRIPTS[shell]);
    },
  });
}

import { helpText } from '../../cli/command/help-text.ts';

export const printBashScript = printScript('bash');
export const printZshScript = printScript('zsh');
export const printFishScript = printScript('fish');
export const printPowershellScript = printScript('powershell');
