import { defineCommand } from '../../cli/command/define-command.ts';
import { answeredListOptions } from '../../erasure/options.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';

export const verifyRunCommand = defineCommand({
  name: 'verify',
  endpoints: [persons.list, persons.get, platform.deletionStatus, platform.query],
  summary: 'Ask the service whether anybody of a run is left, and whether events have gone',
  description:
    'It holds only if all that was asked for is known to be done; then the ids are removed from the record, unless\n--keep-ids. Where the record has lost its ids, they are given again; with --receipt a list is only answered.',
  examples: [
    'runs verify last',
    'runs verify --due',
    'runs verify 20261128T120000Z --wait',
    'runs verify 20261128T120000Z --distinct-ids user_1',
    'runs verify 20261128T120000Z --from people.csv --as distinct-ids --receipt answer.csv',
  ],
  arguments: {
    run: {
      type: 'text',
      optional: true,
      offers: 'run or case',
      description: 'Id of the run, or its start, or its directory, or last for the newest; or a case',
    },
  },
  omit: ['distinct_id', 'email', 'search', 'properties', 'limit', 'offset', 'include_total'],
  options: {
    ...answeredListOptions,
    receipt: {
      ...answeredListOptions.receipt,
      description:
        'Write the list with what came of each line and whether it is proven, readable by you only',
    },
    keepIds: { type: 'flag', description: 'Keep the ids in the record' },
    due: { type: 'flag', description: 'Ask about every run that owes something' },
    wait: { type: 'flag', description: 'Ask again until it holds' },
  },
  run: async (input, context) => (await import('../../erasure/verify-runs.ts')).verify(input, context),
});
