import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { ANALYSES, showQuery } from '../../insights/analyses/analyses.ts';
import { platform } from '../../service/platform.ts';

export const calculateRetention = defineCommand({
  name: 'retention',
  endpoints: [platform.query],
  summary: 'Calculate how many people come back, by cohort',
  description: helpText('commands/insights/retention'),
  examples: [
    "insights retention --events 'signed up,$pageview' --interval week --intervals 8 --first-time",
    "insights retention --events '$pageview' -o csv",
  ],
  omit: platform.query.parameters.map(({ name }) => name),
  options: ANALYSES.retention.options,
  run: (flags, context) => showQuery(ANALYSES.retention.query(flags), flags, context),
});
