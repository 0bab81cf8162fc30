import { defineCommand } from '../../cli/command/define-command.ts';
import { findInsightId } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

export const insightGlobalAccessControls = defineCommand({
  name: 'global-access-controls',
  endpoints: [insights.globalAccessControls],
  summary: 'Show the global access controls of an insight',
  description:
    'Of no use at the live service, which answers 400 for every insight: use insights access-controls there.',
  examples: ['insights global-access-controls 9'],
  arguments: { insight: { type: 'insight' } },
  async run({ insight }, context) {
    const client = await context.client();
    const { dialect } = await context.settings();
    if (dialect === 'live') context.note(`${insights.globalAccessControls.advice}.`);
    const id = await findInsightId(insight, context);
    await context.print(await client.call(insights.globalAccessControls, { id }));
  },
});
