import { defineCommand } from '../../cli/command/define-command.ts';
import { answeredListOptions, carryingOptions } from '../../erasure/options.ts';
import { persons } from '../../service/persons.ts';

export const resumeRun = defineCommand({
  name: 'resume',
  endpoints: [persons.bulkDelete],
  summary: 'Carry out what a run has not done yet, exactly as it was planned',
  description:
    'Goes to the host and project of the plan only; another key is fine. Where an answer was lost more than 15 minutes\nago the ids are looked up first, and people created since are spared. Where the record has lost its ids, they are\ngiven again; with --receipt a list is only answered.',
  examples: [
    'runs resume 20261128T120000Z',
    'runs resume 20261128T120000Z --project shop --yes',
    'runs resume 20261128T120000Z --from people.csv --as distinct-ids --receipt answer.csv',
  ],
  arguments: {
    run: {
      type: 'text',
      offers: 'run or case',
      description: 'Id of the run, or its start, or its directory, or last; or a case',
    },
  },
  omit: ['ids', 'distinct_ids', 'delete_events', 'delete_recordings', 'keep_person'],
  options: {
    ...answeredListOptions,
    ...carryingOptions,
    concurrency: { ...carryingOptions.concurrency, description: 'Calls at the same time (as planned)' },
    rate: { ...carryingOptions.rate, description: 'Calls a minute at most (as planned)' },
    takeOver: {
      type: 'flag',
      description: 'Go on although a process of another host or container holds the run, since it is gone',
    },
    includeRecreated: { type: 'flag', description: 'Delete people created since, too' },
  },
  graceful: true,
  run: async (input, context) => (await import('../../erasure/carry-out.ts')).resumeRunOrCase(input, context),
});
