import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import {
  answeredListOptions,
  carryingOptions,
  runArgument,
  takeOverOption,
  trustOption,
} from '../../erasure/options.ts';
import { persons } from '../../service/persons.ts';

export const resumeRun = defineCommand({
  name: 'resume',
  endpoints: [persons.bulkDelete],
  summary: 'Finish a run, exactly as it was planned',
  description: helpText('commands/runs/resume'),
  examples: [
    'runs resume 20261128T120000Z',
    'runs resume 20261128T120000Z --project shop --yes',
    'runs resume 20261128T120000Z --from people.csv --as distinct-ids --receipt answer.csv',
  ],
  arguments: { run: runArgument },
  omit: ['ids', 'distinct_ids', 'delete_events', 'delete_recordings', 'keep_person'],
  options: {
    ...answeredListOptions,
    ...carryingOptions,
    concurrency: {
      ...carryingOptions.concurrency,
      description: 'Calls at the same time (default as planned)',
    },
    rate: { ...carryingOptions.rate, description: 'Largest number of calls per minute (default as planned)' },
    ...takeOverOption,
    ...trustOption,
  },
  graceful: true,
  async run({ by, ...input }, context) {
    context.records.signAs(by);
    await (await import('../../erasure/resume.ts')).resumeRunOrRequest(input, context);
  },
});
