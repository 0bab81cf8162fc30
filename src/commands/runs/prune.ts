import { defineCommand } from '../../cli/command/define-command.ts';

export const pruneRuns = defineCommand({
  name: 'prune',
  endpoints: [],
  summary: 'Remove the ids from the records of old runs; journal, report and check key stay',
  description:
    'Only runs that owe nothing lose their ids; a run that is named loses them whatever it owes, and its report says so.\nWhat a crash left of a run before its first step is removed whole.',
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
      description: 'Give this run up: its id, the start of it, its directory, or last',
    },
  },
  options: {
    olderThan: {
      type: 'duration',
      unit: 'DAY',
      description: 'Planned at least so long ago: 12h, 30d (30d)',
    },
  },
  run: async (input, context) => (await import('../../erasure/show-runs.ts')).pruneRuns(input, context),
});
