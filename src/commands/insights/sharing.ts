import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';
import { findInsightId, maskTokens } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

export const insightSharing = defineCommand({
  name: 'sharing',
  endpoints: [insights.sharing],
  summary: 'Show how an insight is shared',
  description: 'The access token is masked, since anyone who has it can read a shared insight.',
  examples: ['insights sharing 9', 'insights sharing 9 --show-token -o json'],
  arguments: { insight: { type: 'insight', byName: true } },
  options: { showToken: { type: 'flag', description: 'Show the access token' } },
  async run({ insight, showToken }, context) {
    if (context.options.serverFormat !== undefined && !showToken)
      throw usageError('--server-format would print the access token', 'add --show-token to allow it');
    const client = await context.client();
    const id = await findInsightId(insight, context);
    const sharing = await client.call(insights.sharing, { insight_id: id });
    await context.print(showToken ? sharing : maskTokens(sharing));
  },
});
