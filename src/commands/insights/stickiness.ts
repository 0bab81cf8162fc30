import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { ANALYSES, showQuery } from '../../insights/analyses/analyses.ts';
import { platform } from '../../service/platform.ts';

export const calculateStickiness = defineCommand({
  name: 'stickiness',
  endpoints: [platform.query],
  summary: 'Calculate in how many intervals people did something',
  description: helpText('commands/insights/stickiness'),
  examples: [
    "insights stickiness --events '$pageview' --date-from -14d",
    'insights stickiness --events paid --interval week -o csv',
  ],
  omit: platform.query.parameters.map(({ name }) => name),
  options: ANALYSES.stickiness.options,
  run: (flags, context) => showQuery(ANALYSES.stickiness.query(flags), flags, context),
});
