import { defineCommand } from '../../cli/command/define-command.ts';
import { findInsightId, insightFieldNames } from '../../insights/answers/insight.ts';
import { inPart } from '../../insights/push.ts';
import { insights } from '../../service/insights.ts';

export const markViewed = defineCommand({
  name: 'viewed',
  endpoints: [insights.viewed],
  summary: 'Record that you viewed insights',
  examples: ['insights viewed 9', 'insights viewed 9 zeNY2NOU'],
  arguments: { insights: { type: 'insights' } },
  omit: insightFieldNames,
  async run({ insights: references }, context) {
    const client = await context.client();
    const { dialect } = await context.settings();
    const ids: string[] = [];
    for (const reference of references) {
      const id = await findInsightId(reference, context);
      // The live service drops ids that it does not know without a word.
      if (dialect === 'live' && 'id' in reference) await client.call(insights.get, { id });
      ids.push(id);
    }
    let done = 0;
    try {
      for (const id of ids) {
        await client.call(insights.viewed, { id });
        context.report(`Recorded a view of insight ${id}.`);
        done += 1;
      }
    } catch (failure) {
      throw inPart(failure, { done, total: ids.length });
    }
  },
});
