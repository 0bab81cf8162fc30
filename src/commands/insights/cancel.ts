import { defineCommand } from '../../cli/command/define-command.ts';
import { viaOption } from '../../cli/requests.ts';
import { insightFieldNames } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';
import { platform } from '../../service/platform.ts';

export const cancelQuery = defineCommand({
  name: 'cancel',
  endpoints: [insights.cancel],
  summary: 'Cancel a running calculation',
  description: 'Find the query id in query_status of an insight that is being calculated.',
  examples: ['insights cancel 0192f0c1-7a30-7000-8000-000000000001'],
  arguments: { query: { type: 'text', placeholder: 'query id', description: 'Id of the query' } },
  omit: [...insightFieldNames, 'client_query_id'],
  options: { via: viaOption },
  async run({ query, via }, context) {
    await context.fallback.call(
      insights.cancel,
      { client_query_id: query },
      { via, call: (client) => client.call(platform.cancelQuery, { query_id: query }) },
    );
    context.report(`Asked the service to cancel query ${query}.`);
  },
});
