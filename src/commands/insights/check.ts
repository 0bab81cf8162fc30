import { defineCommand } from '../../cli/command/define-command.ts';
import {
  checkColumns,
  checkOptions,
  judgeAnswer,
  readExpectations,
  refuseFailed,
} from '../../insights/check.ts';
import { refreshOption } from '../../insights/get.ts';
import { describeInsight, readableInsightId } from '../../insights/insight.ts';
import { insights } from '../../service/insights.ts';

export const checkInsight = defineCommand({
  name: 'check',
  endpoints: [insights.get],
  summary: 'End with 9 unless the figures of an insight are what you expect',
  description:
    'An expectation compares two sums of figures, such as last >= previous * 0.8. Names: first, last, previous, min, max,\nsum, mean, count, change and drop (percent, from previous to last), conversion (percent; conversion(2) is that from\nstep 1 to step 2), age (as 24h). last is the last interval, which may not be over yet. Every series must hold, unless\n--series or --breakdown picks some; the series of SQL are its columns. No answer, an empty or a failed one never holds.',
  examples: [
    "insights check 9 --expect 'last >= 100' --max-drop 20% --max-age 24h",
    "insights check zeNY2NOU --refresh --expect 'conversion >= 30' --expect 'conversion(2) >= 50'",
    "insights check 9 --series '$pageview' --breakdown Norway --expect 'mean > 10' -o json",
  ],
  arguments: { insight: { type: 'insight' } },
  options: { refresh: refreshOption, ...checkOptions },
  async run({ insight, expect, maxDrop, maxAge, series, breakdown, ...reading }, context) {
    const expectations = readExpectations({ expect, maxDrop, maxAge });
    const client = await context.client();
    const id = await readableInsightId(insight, context);
    const answer = await client.call(insights.get, { id, ...reading });
    const results = judgeAnswer(answer, { expectations, series, breakdown, now: context.now() });
    await context.print(results, checkColumns);
    refuseFailed(results, describeInsight(answer));
  },
});
