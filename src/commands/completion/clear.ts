import { defineCommand } from '../../cli/command/define-command.ts';
import { counted } from '../../errors.ts';

export const clearCompletion = defineCommand({
  name: 'clear',
  summary: 'Remove the names kept for completion',
  description:
    'Commands keep the insight names, property keys and columns that they show, so that Tab can offer them. They keep no\nvalues and no ids of people. Set HOGCTL_NO_NAMES=1 to keep no names at all.',
  examples: ['completion clear'],
  async run(_input, context) {
    if (context.dryRun) {
      context.note('The names kept for completion would be removed.');
      return;
    }
    const count = context.projects.clearCompletionCache();
    context.report(
      count === 0 ? 'Nothing to remove.' : `Removed what was kept for ${counted(count, 'project')}.`,
    );
  },
});
