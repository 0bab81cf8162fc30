import { insights } from '../../api/endpoints/insights.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { checkFigures } from './check-figures.ts';
import { readableInsightId } from './find-insight.ts';
import { printFigures } from './print-figures.ts';
import { refreshOption } from './refresh-option.ts';
import { sayState, sayTitle } from './say-state.ts';

export const getInsight = defineCommand({
  name: 'get',
  endpoints: [insights.get],
  summary: 'Show one insight with its result',
  description:
    'Without --refresh the service answers with the result it holds, or with none.\nJSON is the whole insight as the service sent it; the other formats show its figures.',
  examples: [
    'insights get 9',
    'insights get zeNY2NOU --refresh -o csv',
    'insights get 9 --require-result --max-age 24h -o json',
  ],
  arguments: { insight: { type: 'insight' } },
  options: {
    refresh: refreshOption,
    requireResult: { type: 'flag', description: 'End with 9 where there is no result' },
    maxAge: {
      type: 'duration',
      placeholder: 'time',
      description: 'End with 9 where the result is older: 30min, 24h',
    },
  },
  async run({ insight, requireResult, maxAge, ...reading }, context) {
    const client = await context.client();
    const id = await readableInsightId(insight, context);
    const answer = await client.call(insights.get, { id, ...reading });
    checkFigures(answer, { requireResult, maxAge, now: context.now() });
    sayTitle(answer, context);
    sayState(answer, await printFigures(answer, {}, context), context);
  },
});
