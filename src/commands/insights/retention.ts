import { defineCommand } from '../../cli/command/define-command.ts';
import { ANALYSES, showQuery } from '../../insights/analyses/analyses.ts';
import { platform } from '../../service/platform.ts';

export const calculateRetention = defineCommand({
  name: 'retention',
  endpoints: [platform.query],
  summary: 'Calculate how many people come back, by cohort',
  description: `\
The first event or action starts a cohort, and the second counts as coming back. A single one does both.
Needs the scope query:read, and insight:write for --create.`,
  examples: [
    "insights retention --events 'signed up,$pageview' --interval week --intervals 8 --first-time",
    "insights retention --events '$pageview' -o csv",
  ],
  omit: platform.query.parameters.map(({ name }) => name),
  options: ANALYSES.retention.options,
  run: (flags, context) => showQuery(ANALYSES.retention.query(flags), flags, context),
});
