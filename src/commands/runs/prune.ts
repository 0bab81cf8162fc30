import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';

export const pruneRuns = defineCommand({
  name: 'prune',
  summary: 'Remove the ids from the records of old runs; journal, report and check key stay',
  description: helpText('commands/runs/prune'),
  examples: [
    'runs prune --older-than 30d --dry-run',
    'runs prune --older-than 30d --yes',
    'runs prune 20261128T120000Z',
  ],
  arguments: {
    run: {
      type: 'text',
      optional: true,
      offers: 'run',
      description: 'Run to give up: its id or its start, its directory, last, or a request',
    },
  },
  options: {
    olderThan: {
      type: 'duration',
      unit: 'DAY',
      description: 'Only runs planned at least this long ago: 12h, 30d (default 30d)',
    },
  },
  run: async (input, context) => (await import('../../erasure/prune.ts')).pruneRuns(input, context),
});
