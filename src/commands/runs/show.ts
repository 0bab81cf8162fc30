import { defineCommand } from '../../cli/command/define-command.ts';

export const showRun = defineCommand({
  name: 'show',
  endpoints: [],
  summary: 'Show the plan of a run, and its results so far',
  examples: ['runs show 20261128T120000Z', 'runs show 20261128T120000Z -o json'],
  arguments: {
    run: {
      type: 'text',
      offers: 'run or case',
      description: 'Run id or its start, directory of the run, last, or a case',
    },
  },
  run: async ({ run }, context) => (await import('../../erasure/show-case.ts')).showRunOrCase(run, context),
});
