import { defineCommand } from '../../cli/command/define-command.ts';
import { runArgument } from '../../erasure/options.ts';

export const showRun = defineCommand({
  name: 'show',
  summary: 'Show the plan of a run, and its results so far',
  description:
    'With --show-ids the people are looked up, so that another person can check a plan before runs resume carries it out.',
  examples: ['runs show last --show-ids', 'runs show 20261128T120000Z', 'runs show 20261128T120000Z -o json'],
  arguments: { run: runArgument },
  paged: true,
  run: async ({ run }, context) => (await import('../../erasure/show.ts')).showRunOrRequest(run, context),
});
