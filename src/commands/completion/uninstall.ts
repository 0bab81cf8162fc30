import { defineCommand } from '../../cli/command/define-command.ts';
import { shellArgument, startFileOption, uninstall } from '../../completion/install.ts';

export const uninstallCompletion = defineCommand({
  name: 'uninstall',
  summary: 'Undo completion install',
  description:
    'Removes only its file and its marked lines. To remove the names kept for completion, use completion clear.',
  examples: ['completion uninstall', 'completion uninstall fish --dry-run'],
  arguments: shellArgument,
  options: startFileOption,
  async run(input, context) {
    const { shell, isChanged } = await uninstall(input, context);
    if (!isChanged) context.note(`Completion for ${shell} was not set up.`);
  },
});
