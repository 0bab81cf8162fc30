import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { viaOption } from '../../cli/requests.ts';
import { keepingOptions } from '../../insights/analyses/analysis.ts';
import {
  askFunnel,
  funnelFieldNames,
  funnelOptions,
  getOption,
  rareNames,
} from '../../insights/analyses/funnel.ts';
import { chartOption } from '../../insights/answers/show.ts';
import { insights } from '../../service/insights.ts';

export const calculateFunnel = defineCommand({
  name: 'funnel',
  endpoints: [insights.funnel, insights.funnelGet],
  summary: 'Calculate a funnel',
  description: helpText('commands/insights/funnel'),
  examples: [
    "insights funnel --events '$pageview,signed up,paid' --window 14d",
    "insights funnel --event '$pageview' --where '$current_url:icontains=/pricing' --event paid --date-from -30d",
    'insights funnel --events signup,paid --breakdown plan --breakdown-type person -o csv',
    "insights funnel --events signup,paid --create 'Signup to paid'",
  ],
  omit: funnelFieldNames,
  options: { ...funnelOptions, ...getOption, via: viaOption, ...keepingOptions, ...chartOption },
  rare: rareNames,
  run: (flags, context) => askFunnel(flags, context),
});
