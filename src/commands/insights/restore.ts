import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { changedColumns, findInsightId, insightFieldNames } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

export const restoreInsight = defineCommand({
  name: 'restore',
  endpoints: [insights.update],
  summary: 'Restore a soft-deleted insight',
  description: helpText('commands/insights/restore'),
  examples: ['insights restore 9'],
  arguments: { insight: { type: 'insight' } },
  omit: insightFieldNames,
  async run({ insight }, context) {
    const client = await context.client();
    const id = await findInsightId(insight, context);
    const answer = await client.call(insights.update, { id, deleted: false });
    context.report(`Restored insight ${id}, without its alerts and subscriptions.`);
    if (answer !== undefined) await context.print(answer, changedColumns);
  },
});
