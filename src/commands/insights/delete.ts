import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { findInsightId, hardDelete, softDelete } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

export const deleteInsight = defineCommand({
  name: 'delete',
  endpoints: [insights.delete, insights.update, insights.get],
  summary: 'Soft-delete an insight, which can be restored',
  description: helpText('commands/insights/delete'),
  examples: ['insights delete 9', 'insights delete zeNY2NOU --project shop --yes'],
  arguments: { insight: { type: 'insight' } },
  options: {
    hard: { type: 'flag', description: 'Ask for a hard deletion, which the service always refuses' },
  },
  async run({ insight, hard }, context) {
    context.terminal.requireConsent({ action: 'delete an insight' });
    const id = await findInsightId(insight, context);
    if (!hard) return softDelete(id, context);
    await context.confirm({ action: `hard-delete insight ${id}` });
    await hardDelete(id, context);
  },
});
