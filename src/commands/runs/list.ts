import { defineCommand } from '../../cli/command/define-command.ts';

export const listRunsCommand = defineCommand({
  name: 'list',
  summary: 'List the runs on this computer and what each still owes, oldest first',
  examples: ['runs list', 'runs list -o json', 'runs list --due', 'runs list --overdue'],
  options: {
    due: {
      type: 'flag',
      description: 'Only runs that owe something, by deadline; exit with 9 if one is overdue',
    },
    overdue: { type: 'flag', description: 'Only runs whose deadline has passed' },
  },
  paged: true,
  run: async (input, context) => (await import('../../erasure/list.ts')).showRuns(input, context),
});
