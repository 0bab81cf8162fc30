import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { ANALYSES, showQuery } from '../../insights/analyses/analyses.ts';
import { platform } from '../../service/platform.ts';

export const calculateLifecycle = defineCommand({
  name: 'lifecycle',
  endpoints: [platform.query],
  summary: 'Calculate who is new, returning, resurrecting and dormant',
  description: helpText('commands/insights/lifecycle'),
  examples: [
    "insights lifecycle --events '$pageview' --date-from -30d",
    "insights lifecycle --events '$pageview' --interval week --save lifecycle.svg",
  ],
  omit: platform.query.parameters.map(({ name }) => name),
  options: ANALYSES.lifecycle.options,
  run: (flags, context) => showQuery(ANALYSES.lifecycle.query(flags), flags, context),
});
