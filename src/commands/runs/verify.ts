import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { answeredListOptions, runArgument, takeOverOption } from '../../erasure/options.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';

export const verifyRunCommand = defineCommand({
  name: 'verify',
  endpoints: [persons.list, persons.get, platform.deletionStatus, platform.query],
  summary: 'Check at the service that the persons and events of a run are gone',
  description: helpText('commands/runs/verify'),
  examples: [
    'runs verify last',
    'runs verify --due',
    'runs verify 20261128T120000Z --wait',
    'runs verify 20261128T120000Z --from people.csv --as distinct-ids --receipt final.csv',
  ],
  arguments: { run: { ...runArgument, optional: true } },
  omit: ['distinct_id', 'email', 'search', 'properties', 'limit', 'offset', 'include_total'],
  options: {
    ...answeredListOptions,
    receipt: {
      ...answeredListOptions.receipt,
      description: 'Write the list with the result and proof of each line, readable only by you',
    },
    due: { type: 'flag', description: 'Verify every run that owes something' },
    wait: { type: 'flag', description: 'Repeat until it holds' },
    ...takeOverOption,
  },
  ownRows: true,
  run: async (input, context) => (await import('../../erasure/verify.ts')).verify(input, context),
});
