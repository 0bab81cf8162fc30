import { persons } from '../../api/endpoints/persons.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { bulkDeleteOptions } from './bulk-delete-options.ts';

export const bulkDeletePersons = defineCommand({
  name: 'bulk-delete',
  endpoints: [persons.bulkDelete],
  summary: 'Delete many persons, with a record that proves what was done',
  description:
    'Every id is checked before anything is sent, and one that looks damaged is refused unless --allow-odd-ids says that it is\nmeant. The plan is shown and confirmed, and each step is written down first,\nso an interrupted run goes on where it stopped. Event deletion is a request: the service carries it out on Sundays\nat 05:00 UTC. With --yes the project must be named by --project or HOGCTL_PROJECT.',
  examples: [
    'persons bulk-delete --from people.csv --as distinct-ids --column distinct_id --delete-events',
    'persons bulk-delete --distinct-ids user_1,user_2 --dry-run',
    'persons bulk-delete --ids 17,18,19 --project shop --yes',
    'persons bulk-delete --property plan:exact=test --max 500 --project shop --yes',
  ],
  arguments: { id: { type: 'words', optional: true, description: 'Person ids' } },
  omit: ['ids', 'distinct_ids'],
  options: bulkDeleteOptions,
  graceful: true,
  run: async (input, context) => (await import('./bulk-delete.ts')).bulkDelete(input, context),
});
