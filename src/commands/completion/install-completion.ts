import { defineCommand } from '../../cli/command/define-command.ts';
import { changeFiles } from './change-files.ts';
import { shellArgument, startFileOption } from './choose-shell.ts';
import { placesFor, planInstall } from './plan-changes.ts';
import { writeCompletion } from './write-completion.ts';

export const installCompletion = defineCommand({
  name: 'install',
  endpoints: [],
  summary: 'Set up completion in a shell, by default the one in $SHELL',
  description:
    'Writes a file of its own, and for bash, zsh and PowerShell a few marked lines into the start-up file. --dry-run shows\nboth and writes nothing. Once more changes nothing, or brings both up to date.',
  examples: [
    'completion install',
    'completion install zsh --dry-run',
    'completion install powershell --start-file profile.ps1',
  ],
  arguments: shellArgument,
  options: startFileOption,
  async run(input, context) {
    const { shell, places } = await placesFor(input, context);
    const script = await writeCompletion(shell, context.groups);
    const changes = await planInstall(places, script, context);
    await changeFiles(changes, context);
    if (changes.every(({ change }) => change === 'none'))
      context.note(`Completion for ${shell} is up to date.`);
    else context.report(`Open a new ${shell} to use it; hogctl completion uninstall ${shell} undoes it.`);
  },
});
