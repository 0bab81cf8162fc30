import { defineCommand } from '../../cli/command/define-command.ts';

export const listRunsCommand = defineCommand({
  name: 'list',
  endpoints: [],
  summary: 'List the runs on this computer, oldest first, and what each still owes',
  examples: ['runs list', 'runs list -o json'],
  run: async (_input, context) => (await import('../../erasure/show-runs.ts')).showRuns(context),
});
