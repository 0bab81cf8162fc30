import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { counted } from '../../errors.ts';

export const clearCompletion = defineCommand({
  name: 'clear',
  summary: 'Remove the names kept for completion',
  description: helpText('commands/completion/clear'),
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
