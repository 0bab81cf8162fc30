import { defineCommand } from '../../cli/command/define-command.ts';
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
  description:
    'Uses the host and project of the plan; the key may differ. With --yes, name the run, since last may be another one.\nIf the plan, or a lost answer, is older than 15 minutes, people are looked up first. People who were created\nsince, or who are not those of the plan, are not deleted. A list with --receipt gets an answer for each of its lines.',
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
