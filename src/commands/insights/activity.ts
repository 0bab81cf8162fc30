import { defineCommand } from '../../cli/command/define-command.ts';
import { allOption } from '../../cli/requests.ts';
import { printActivity } from '../../insights/answers/history.ts';
import { findInsightId } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

export const insightActivity = defineCommand({
  name: 'activity',
  endpoints: [insights.activity, insights.allActivity],
  summary: 'Show the activity log of one insight, or of all insights',
  examples: [
    'insights activity 9',
    'insights activity --all -o ndjson',
    'insights activity --page 2 --limit 20',
  ],
  arguments: { insight: { type: 'insight', byName: true, optional: true } },
  options: { all: allOption },
  async run({ insight, all, limit, page }, context) {
    const id = insight && (await findInsightId(insight, context));
    const rows = id
      ? await context.list(insights.activity, { id, limit, page }, { all })
      : await context.list(insights.allActivity, { limit, page }, { all });
    await printActivity(rows, context);
  },
});
