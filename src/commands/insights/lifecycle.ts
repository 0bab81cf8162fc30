import { defineCommand } from '../../cli/command/define-command.ts';
import { ANALYSES, showQuery } from '../../insights/analyses/analyses.ts';
import { platform } from '../../service/platform.ts';

export const calculateLifecycle = defineCommand({
  name: 'lifecycle',
  endpoints: [platform.query],
  summary: 'Calculate who is new, returning, resurrecting and dormant',
  description: `\
persons lifecycle lists the persons behind one day and status.
Needs the scope query:read, and insight:write for --create.`,
  examples: [
    "insights lifecycle --events '$pageview' --date-from -30d",
    "insights lifecycle --events '$pageview' --interval week --save lifecycle.svg",
  ],
  omit: platform.query.parameters.map(({ name }) => name),
  options: ANALYSES.lifecycle.options,
  run: (flags, context) => showQuery(ANALYSES.lifecycle.query(flags), flags, context),
});
