import { defineCommand } from '../../cli/command/define-command.ts';
import { changeInsight, tagOptions } from '../../insights/answers/insight.ts';
import { nodeOptions } from '../../insights/answers/query-node.ts';
import { insights } from '../../service/insights.ts';

export const updateInsight = defineCommand({
  name: 'update',
  endpoints: [insights.update],
  summary: 'Change an insight',
  description: 'Only the given fields are sent. --add-tag and --remove-tag read the insight first.',
  examples: [
    'insights update 9 --name "Weekly checkout"',
    'insights update zeNY2NOU --add-tag weekly --remove-tag draft',
    'insights update 9 --query @checkout.json',
  ],
  arguments: { insight: { type: 'insight' } },
  omit: ['deleted'],
  options: { ...tagOptions, ...nodeOptions },
  run: ({ insight, ...changes }, context) => changeInsight(insight, changes, context),
});
