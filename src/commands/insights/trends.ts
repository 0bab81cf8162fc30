import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { ANALYSES, showQuery } from '../../insights/analyses/analyses.ts';
import { platform } from '../../service/platform.ts';

export const calculateTrends = defineCommand({
  name: 'trends',
  endpoints: [platform.query],
  summary: 'Calculate how often events happened, by interval',
  description: helpText('commands/insights/trends'),
  examples: [
    "insights trends --events '$pageview,signed up' --date-from -30d",
    'insights trends --event paid --where plan=pro --math sum --math-property amount --interval week',
    "insights trends --events '$pageview' --breakdown country --save countries.svg",
    "insights trends --events paid --math dau --create 'Paying people'",
  ],
  omit: platform.query.parameters.map(({ name }) => name),
  options: ANALYSES.trends.options,
  run: (flags, context) => showQuery(ANALYSES.trends.query(flags), flags, context),
});
