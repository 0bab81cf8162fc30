import { defineCommand } from '../../cli/command/define-command.ts';
import { runArgument } from '../../erasure/options.ts';

export const checkRunCommand = defineCommand({
  name: 'check',
  summary: 'Check that the record of a run was not changed',
  examples: [
    'runs check 20261128T120000Z',
    'runs check 20261128T120000Z --expect 12:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  arguments: { run: runArgument },
  options: {
    expect: {
      type: 'text',
      placeholder: 'lines:hash',
      description: 'Lines and hash that the run printed at its end',
    },
  },
  run: async (input, context) => (await import('../../erasure/check.ts')).checkRunOrRequest(input, context),
});
