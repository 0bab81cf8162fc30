import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { readOptions } from '../../cli/command/read-input.ts';
import { refreshOption } from '../../insights/answers/insight.ts';
import { checkAndShow, checkOptions } from '../../insights/check.ts';
import { QUANTITY_NAMES } from '../../insights/judging/judge.ts';
import { insights } from '../../service/insights.ts';
import { platform } from '../../service/platform.ts';

export const checkInsight = defineCommand({
  name: 'check',
  endpoints: [insights.get, platform.query],
  summary: 'Check the figures of an insight; exit with 9 if they are not as expected',
  description: helpText('commands/insights/check').replace('{names}', QUANTITY_NAMES),
  examples: [
    "insights check 9 --expect 'last >= 100' --max-drop 20% --max-age 24h",
    "insights check 11 --refresh --expect 'last > 0' --max-lag 2d",
    "insights check zeNY2NOU --refresh --expect 'conversion >= 30' --expect 'conversion(2) >= 50'",
    "insights check 9 --series '$pageview' --breakdown Norway --expect 'mean > 10' -o json",
    'insights check --file checks.yaml --refresh',
    'insights check --file checks.yaml --save checks.xml',
  ],
  arguments: { insight: { type: 'insight', optional: true, byName: true } },
  omit: ['variables_override'],
  options: { refresh: refreshOption, ...checkOptions },
  saves: ['xml'],
  special: 'junit',
  reports: true,
  ownRows: true,
  run: ({ insight, ...flags }, context) =>
    checkAndShow(
      insight,
      { ...flags, readOptions: (options, raw) => readOptions(options, raw, context.files.readText) },
      context,
    ),
});
