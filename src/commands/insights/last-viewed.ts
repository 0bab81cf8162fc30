import { defineCommand } from '../../cli/command/define-command.ts';
import { viaOption } from '../../cli/requests.ts';
import { insightColumns, insightRowsOf, withoutResults } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

/** As many as the service's own list has. */
const LAST = 5;

export const lastViewed = defineCommand({
  name: 'last-viewed',
  endpoints: [insights.lastViewed],
  summary: 'Show the insights you viewed last',
  description: 'If the service refuses this to keys, the insights that anyone viewed last are shown instead.',
  examples: ['insights last-viewed', 'insights last-viewed -o json --via endpoint'],
  options: { via: viaOption },
  async run({ via }, context) {
    const { answer } = await context.fallback.call(
      insights.lastViewed,
      {},
      {
        via,
        call: async (client) =>
          client.call(insights.list, {
            order: '-last_viewed_at',
            limit: LAST,
            ...(await withoutResults(context)),
          }),
      },
    );
    await context.print(insightRowsOf(answer), [...insightColumns, { key: 'last_viewed_at' }]);
  },
});
