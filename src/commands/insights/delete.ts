import { defineCommand } from '../../cli/command/define-command.ts';
import { findInsightId, hardDelete } from '../../insights/insight.ts';
import { insights } from '../../service/insights.ts';

export const deleteInsight = defineCommand({
  name: 'delete',
  endpoints: [insights.delete, insights.update],
  summary: 'Delete an insight softly; it can be restored',
  description:
    'The service keeps the insight as deleted: insights restore brings it back.\nWith --yes the project must be named by --project or HOGCTL_PROJECT.',
  examples: ['insights delete 9', 'insights delete zeNY2NOU --project shop --yes'],
  arguments: { insight: { type: 'insight' } },
  options: {
    hard: { type: 'flag', description: 'Ask for a hard deletion, which the service always refuses' },
  },
  async run({ insight, hard }, context) {
    const client = await context.client();
    const id = await findInsightId(insight, context);
    await context.confirm({ action: hard ? `delete insight ${id} for good` : `delete insight ${id} softly` });
    if (hard) return hardDelete(id, context);
    await client.call(insights.update, { id, deleted: true });
    context.report(`Soft-deleted insight ${id}; hogctl insights restore ${id} brings it back.`);
  },
});
