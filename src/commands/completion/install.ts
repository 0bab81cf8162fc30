import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { install, shellArgument, startFileOption } from '../../completion/install.ts';

export const installCompletion = defineCommand({
  name: 'install',
  summary: 'Set up completion in a shell, by default the one in $SHELL',
  description: helpText('commands/completion/install'),
  examples: [
    'completion install',
    'completion install zsh --dry-run',
    'completion install powershell --start-file profile.ps1',
  ],
  arguments: shellArgument,
  options: startFileOption,
  async run(input, context) {
    const { shell, isChanged } = await install(input, context);
    if (!isChanged) context.note(`Completion for ${shell} is up to date.`);
    else context.report(`Open a new ${shell} to use it; hogctl completion uninstall ${shell} undoes it.`);
  },
});
