import { defineCommand } from '../../cli/command/define-command.ts';

export const pruneRuns = defineCommand({
  name: 'prune',
  endpoints: [],
  summary: 'Remove the ids from the records of old runs; journal, report and check key stay',
  description:
    'Only runs that are done lose their ids, since an open one could not be resumed without them.\nWhat a crash left of a run before its first step is removed whole.',
  examples: ['runs prune --older-than 30', 'runs prune --older-than 30 --yes'],
  options: {
    olderThan: {
      type: 'integer',
      minimum: 0,
      placeholder: 'days',
      description: 'Planned at least so many days ago (30)',
    },
  },
  run: async (input, context) => (await import('../../erasure/prune.ts')).pruneRuns(input, context),
});
