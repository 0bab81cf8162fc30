import { defineCommand } from '../../cli/command/define-command.ts';
import { shellArgument, startFileOption, uninstall } from '../../completion/install.ts';

export const uninstallCompletion = defineCommand({
  name: 'uninstall',
  endpoints: [],
  summary: 'Undo completion install',
  description:
    'Removes its file and its marked lines, and nothing else. The names that are kept for completion go with completion\nclear.',
  examples: ['completion uninstall', 'completion uninstall fish --dry-run'],
  arguments: shellArgument,
  options: startFileOption,
  async run(input, context) {
    const { shell, isChanged } = await uninstall(input, context);
    if (!isChanged) context.note(`There was nothing of it for ${shell}.`);
  },
});
