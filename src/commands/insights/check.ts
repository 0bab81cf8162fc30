import { defineCommand } from '../../cli/command/define-command.ts';
import { readOptions } from '../../cli/command/read-input.ts';
import { refreshOption } from '../../insights/answers/insight.ts';
import { checkAndShow, checkOptions } from '../../insights/check.ts';
import { insights } from '../../service/insights.ts';
import { platform } from '../../service/platform.ts';

export const checkInsight = defineCommand({
  name: 'check',
  endpoints: [insights.get, platform.query],
  summary: 'Check the figures of an insight; exit with 9 if they are not as expected',
  description:
    'An expectation compares two sums of figures, such as last >= previous * 0.8. Names: first, last, previous, min, max,\nsum, mean, count, change, drop, conversion, age and lag. Every series must hold, unless --series or --breakdown chooses\nsome. --file checks many insights and analyses from options; docs/checks.schema.json describes the file to editors.\n-o junit writes JUnit XML.\n\nchange and drop are percentages from previous to last. conversion is a percentage, and conversion(2) is the one from\nstep 1 to step 2. age is the age of the result, and lag that of its newest interval, both as in 24h. The series of SQL\nare its columns, in the order of their days.\nlast is the last interval that was over when the figures were calculated, in the time zone of the project. Add\n--unfinished to count the interval that was not over; days to come never count. SQL leaves out days without rows: see\n--max-lag. An answer that is missing, empty, failed, cut off or dated in the future never holds.\nWith --file, each insight and analysis is calculated once; an analysis needs the scope query:read. In GitHub Actions,\neach failed check becomes an annotation, and the summary of the job lists all.',
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
  run: ({ insight, ...flags }, context) =>
    checkAndShow(
      insight,
      { ...flags, readOptions: (options, raw) => readOptions(options, raw, context.files.readText) },
      context,
    ),
});
