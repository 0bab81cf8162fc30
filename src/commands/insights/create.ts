import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';
import {
  changedColumns,
  DASHBOARDS_WARNING,
  describeInsight,
  givenFields,
  warnIfUnsaved,
  withFilters,
} from '../../insights/insight.ts';
import { insights } from '../../service/insights.ts';

export const createInsight = defineCommand({
  name: 'create',
  endpoints: [insights.create],
  summary: 'Create an insight',
  description: 'The insight is saved unless --no-saved is given: lists do not show unsaved insights.',
  examples: [
    `insights create --name Visitors --query '{"kind":"InsightVizNode","source":{"kind":"TrendsQuery","series":[{"kind":"EventsNode","event":"$pageview"}]}}'`,
    'insights create --name Checkout --tags web,weekly --query @checkout.json',
  ],
  omit: ['deleted'],
  options: {
    saved: { type: 'boolean', negative: true, description: 'Create it unsaved, so that no list shows it' },
  },
  async run({ saved = true, ...given }, context) {
    const fields = givenFields(given);
    if (Object.keys(fields).length === 0)
      throw usageError('there is nothing to create', 'give --name and --query');
    if (fields.dashboards !== undefined) context.warn(DASHBOARDS_WARNING);
    const client = await context.client();
    const answer = await withFilters(fields.filters, client.call(insights.create, { ...fields, saved }));
    context.report(`Created ${describeInsight(answer)}.`);
    if (answer === undefined) return;
    warnIfUnsaved(answer, context);
    await context.print(answer, changedColumns);
  },
});
