import { insights } from '../../api/endpoints/insights.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { chartOption, readChart } from './chart-option.ts';
import { checkFigures, freshOptions } from './check-figures.ts';
import { readableInsightId } from './find-insight.ts';
import { printFigures } from './print-figures.ts';
import { refreshOption } from './refresh-option.ts';
import { pictureHeading, sayState, sayTitle } from './say-state.ts';
import { waitForResult } from './wait-for-result.ts';
import { readWait, waitOption } from './wait-option.ts';

export const getInsight = defineCommand({
  name: 'get',
  endpoints: [insights.get],
  summary: 'Show one insight with its result',
  description:
    'Without --refresh the service answers with the result it holds, or with none.\nJSON is the whole insight as the service sent it; the other formats show its figures.\nA terminal draws them by their kind, and leaves the table out where the chart says it all.',
  examples: [
    'insights get 9',
    'insights get zeNY2NOU --refresh -o csv',
    'insights get 9 --refresh async --wait --save chart.svg',
    'insights get 9 --require-result --max-age 24h -o json',
  ],
  arguments: { insight: { type: 'insight' } },
  options: { refresh: refreshOption, ...waitOption, ...freshOptions, ...chartOption },
  async run({ insight, wait, waitTimeout, requireResult, maxAge, chart, ...reading }, context) {
    const wish = readChart(chart, context);
    const atMost = readWait({ wait, waitTimeout });
    const client = await context.client();
    const id = await readableInsightId(insight, context);
    const first = await client.call(insights.get, { id, ...reading });
    const read = () => client.call(insights.get, { id, ...reading, refresh: 'force_cache' });
    const { insight: answer, late } =
      atMost === undefined ? { insight: first } : await waitForResult(first, { read, atMost }, context);
    checkFigures(answer, { requireResult, maxAge, now: context.now() });
    sayTitle(answer, context);
    sayState(answer, await printFigures(answer, { wish, heading: pictureHeading(answer) }, context), context);
    if (late) throw late;
  },
});
