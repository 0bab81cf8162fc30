import { defineCommand } from '../../cli/command/define-command.ts';
import { changeFiles } from './change-files.ts';
import { shellArgument, startFileOption } from './choose-shell.ts';
import { placesFor, planUninstall } from './plan-changes.ts';

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
    const { shell, places } = await placesFor(input, context);
    const changes = await planUninstall(places, context);
    await changeFiles(changes, context);
    if (changes.every(({ change }) => change === 'none'))
      context.note(`There was nothing of it for ${shell}.`);
  },
});
