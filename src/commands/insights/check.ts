import { defineCommand } from '../../cli/command/define-command.ts';
import { checkAndShow, checkOptions } from '../../insights/check.ts';
import { refreshOption } from '../../insights/insight.ts';
import { insights } from '../../service/insights.ts';

export const checkInsight = defineCommand({
  name: 'check',
  endpoints: [insights.get],
  summary: 'End with 9 unless the figures of an insight are what you expect',
  description:
    'An expectation compares two sums of figures, such as last >= previous * 0.8. Names: first, last, previous, min, max,\nsum, mean, count, change, drop, conversion, age and lag. Every series must hold, unless --series or --breakdown picks\nsome. --file checks many insights, and -o junit writes JUnit XML; docs/checks.schema.json describes the file to editors.\n\nchange and drop are percent, from previous to last; conversion is percent, and conversion(2) is that from step 1 to\nstep 2; age is that of the result, and lag that of its newest interval (as 24h). The series of SQL are its columns, in\nthe order of their days.\nlast is the last interval that was over when the figures were calculated, by the time zone of the project: the one\nthat was not counts only with --unfinished, days to come never do. SQL leaves out days without rows: see --max-lag.\nAn answer that is missing, empty, failed, cut off or dated in the future never holds.\nWith --file each insight is calculated once. In GitHub Actions what does not hold becomes an\nannotation, and the summary of the job lists all.',
  examples: [
    "insights check 9 --expect 'last >= 100' --max-drop 20% --max-age 24h",
    "insights check 11 --refresh --expect 'last > 0' --max-lag 2d",
    "insights check zeNY2NOU --refresh --expect 'conversion >= 30' --expect 'conversion(2) >= 50'",
    "insights check 9 --series '$pageview' --breakdown Norway --expect 'mean > 10' -o json",
    'insights check --file checks.yaml --refresh',
    'insights check --file checks.yaml --save checks.xml',
  ],
  arguments: { insight: { type: 'insight', optional: true } },
  omit: ['variables_override'],
  options: { refresh: refreshOption, ...checkOptions },
  saves: ['xml'],
  special: 'junit',
  reports: true,
  run: ({ insight, ...flags }, context) => checkAndShow(insight, flags, context),
});
