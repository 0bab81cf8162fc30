import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { pagesInApp, webOption } from '../../cli/in-app.ts';
import { showAgain } from '../../insights/answers/waiting.ts';
import { getAndShow, getOptions } from '../../insights/get.ts';
import { insights } from '../../service/insights.ts';

export const getInsight = defineCommand({
  name: 'get',
  endpoints: [insights.get],
  summary: 'Show one insight with its result',
  description: helpText('commands/insights/get'),
  examples: [
    'insights get 9',
    'insights get zeNY2NOU --refresh -o csv',
    'insights get 9 --refresh async --wait --save chart.svg',
    'insights get 9 --refresh --watch 60s',
    "insights get 'Orders per day'",
    'insights get zeNY2NOU --web',
    'insights get 9 --require-result --max-age 24h -o json',
  ],
  arguments: { insight: { type: 'insight', byName: true } },
  omit: ['variables_override'],
  options: { web: webOption, ...getOptions },
  async run({ insight, web, watch, ...reading }, context) {
    const tell = await pagesInApp(web, context);
    let shortId: string | undefined;
    const show = async () => {
      ({ short_id: shortId } = await getAndShow(insight, reading, context));
    };
    await showAgain(watch, show, context);
    await tell(shortId && `insights/${encodeURIComponent(shortId)}`);
  },
});
