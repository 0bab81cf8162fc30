import { defineCommand } from '../../cli/command/define-command.ts';
import { findInsightId } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

export const insightAccessControls = defineCommand({
  name: 'access-controls',
  endpoints: [insights.accessControls],
  summary: 'Show who may do what with an insight',
  examples: ['insights access-controls 9', 'insights access-controls zeNY2NOU -o json'],
  arguments: { insight: { type: 'insight', byName: true } },
  async run({ insight }, context) {
    const client = await context.client();
    const id = await findInsightId(insight, context);
    await context.print(await client.call(insights.accessControls, { id }));
  },
});
