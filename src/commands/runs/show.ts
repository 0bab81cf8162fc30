import { defineCommand } from '../../cli/command/define-command.ts';

export const showRun = defineCommand({
  name: 'show',
  endpoints: [],
  summary: 'Show what a run was to do and what came of it so far',
  examples: ['runs show 20261128T120000Z', 'runs show 20261128T120000Z -o json'],
  arguments: {
    run: {
      type: 'text',
      offers: 'run or case',
      description: 'Id of the run, or its start, or its directory, or last; or a case',
    },
  },
  run: async ({ run }, context) => (await import('../../erasure/show-case.ts')).showRunOrCase(run, context),
});
