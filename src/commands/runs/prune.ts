import { defineCommand } from '../../cli/command/define-command.ts';

export const pruneRuns = defineCommand({
  name: 'prune',
  summary: 'Remove the ids from the records of old runs; journal, report and check key stay',
  description:
    'Only runs that owe nothing lose their ids. A run that is named loses them in any case, and its report says so.\nA run that crashed before its first step is removed completely.',
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
