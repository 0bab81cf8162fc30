import { defineCommand } from '../../cli/command/define-command.ts';

export const clearCompletion = defineCommand({
  name: 'clear',
  endpoints: [],
  summary: 'Remove the names that are kept for completion',
  description:
    'Commands keep names of insights, keys of properties and columns that they show, so that Tab can offer them: no values,\nno ids of people. HOGCTL_NO_NAMES=1 keeps none from the start.',
  examples: ['completion clear'],
  async run(_input, context) {
    if (context.dryRun) {
      context.note('The names that are kept for completion would be removed.');
      return;
    }
    const count = context.clearCompletionCache();
    context.report(
      count === 0
        ? 'There was nothing to remove.'
        : `Removed what was kept for ${count} ${count === 1 ? 'project' : 'projects'}.`,
    );
  },
});
