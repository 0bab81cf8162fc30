import { defineCommand } from '../../cli/command/define-command.ts';

export const checkRunCommand = defineCommand({
  name: 'check',
  endpoints: [],
  summary: 'Check the record of a run against its hashes, and against what its end printed',
  examples: [
    'runs check 20261128T120000Z',
    'runs check 20261128T120000Z --expect 12:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  arguments: {
    run: {
      type: 'text',
      offers: 'run',
      description: 'Id of the run, or its start, or its directory, or last',
    },
  },
  options: {
    expect: { type: 'text', placeholder: 'lines:hash', description: 'What the end of the run printed' },
  },
  run: async (input, context) => (await import('../../erasure/show-runs.ts')).showCheck(input, context),
});
