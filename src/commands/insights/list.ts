import { defineCommand } from '../../cli/command/define-command.ts';
import { allOption } from '../../cli/requests.ts';
import { printInsights, refreshOption, withoutResults } from '../../insights/answers/insight.ts';
import { insights } from '../../service/insights.ts';

export const listInsights = defineCommand({
  name: 'list',
  endpoints: [insights.list],
  summary: 'List insights',
  description: 'The live service leaves out the results unless --full or --refresh is given.',
  examples: [
    'insights list',
    'insights list --search checkout --saved',
    'insights list --short-id zeNY2NOU -o json',
    'insights list --created-by 5 --all -o csv',
  ],
  omit: ['basic'],
  options: {
    refresh: refreshOption,
    full: {
      type: 'flag',
      description: 'Whole insights with their results, which the live service leaves out otherwise',
    },
    all: allOption,
  },
  async run({ full, all, ...filters }, context) {
    const basic = full || filters.refresh !== undefined ? {} : await withoutResults(context);
    const rows = await context.list(insights.list, { ...filters, ...basic }, { all });
    await printInsights(rows, context);
  },
});
