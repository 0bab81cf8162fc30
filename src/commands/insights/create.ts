import { defineCommand } from '../../cli/command/define-command.ts';
import { createFrom } from '../../insights/answers/insight.ts';
import { nodeOptions } from '../../insights/answers/query-node.ts';
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
    ...nodeOptions,
    saved: { type: 'boolean', negative: true, description: 'Create it unsaved, so that no list shows it' },
  },
  run: (fields, context) => createFrom(fields, context),
});
