import { defineCommand } from '../../cli/command/define-command.ts';
import { changedColumns, findInsightId, insightFieldNames } from '../../insights/insight.ts';
import { insights } from '../../service/insights.ts';

export const restoreInsight = defineCommand({
  name: 'restore',
  endpoints: [insights.update],
  summary: 'Bring a softly deleted insight back',
  description:
    'Name it by its number: a deleted insight is in no list, so its short id cannot be looked up.\nAlerts, subscriptions and places on dashboards do not come back.',
  examples: ['insights restore 9'],
  arguments: { insight: { type: 'insight' } },
  omit: insightFieldNames,
  async run({ insight }, context) {
    const client = await context.client();
    const id = await findInsightId(insight, context);
    const answer = await client.call(insights.update, { id, deleted: false });
    context.report(`Restored insight ${id}; its alerts and subscriptions stay gone.`);
    if (answer !== undefined) await context.print(answer, changedColumns);
  },
});
