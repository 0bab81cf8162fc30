import { defineCommand } from '../../cli/command/define-command.ts';
import { findInsightId, hardDelete, softDelete } from '../../insights/insight.ts';
import { insights } from '../../service/insights.ts';

export const deleteInsight = defineCommand({
  name: 'delete',
  endpoints: [insights.delete, insights.update, insights.get],
  summary: 'Delete an insight softly; it can be restored',
  description:
    'The service keeps the insight as deleted: insights restore brings it back. Its alerts and subscriptions are gone\nfor good, and so are its places on dashboards.\nWith --yes the project must be named by --project or HOGCTL_PROJECT.',
  examples: ['insights delete 9', 'insights delete zeNY2NOU --project shop --yes'],
  arguments: { insight: { type: 'insight' } },
  options: {
    hard: { type: 'flag', description: 'Ask for a hard deletion, which the service always refuses' },
  },
  async run({ insight, hard }, context) {
    context.requireConsent({ action: 'delete an insight' });
    const id = await findInsightId(insight, context);
    if (!hard) return softDelete(id, context);
    await context.confirm({ action: `delete insight ${id} for good` });
    await hardDelete(id, context);
  },
});
