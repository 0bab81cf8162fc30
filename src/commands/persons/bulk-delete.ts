import { defineCommand } from '../../cli/command/define-command.ts';
import { bulkDeleteOptions, projectsOption } from '../../erasure/options.ts';
import { persons } from '../../service/persons.ts';
import { filterOptions, operatorsText } from './options.ts';

export const bulkDeletePersons = defineCommand({
  name: 'bulk-delete',
  endpoints: [persons.bulkDelete],
  summary: 'Delete many persons, with a record that proves what was done',
  description:
    'Addresses (--emails, --as emails) are looked up first, in any case, and only the persons found are deleted.\nEvery id is checked before anything is sent; one that looks damaged, such as null or 1.23E+15, is refused unless\n--allow-odd-ids says that it is meant. The plan is shown and confirmed, and each step is written down first, so an\ninterrupted run goes on where it stopped. A call whose answer was lost is sent once more at the end, also with\n--retries 0, since the service ignores who is gone. Event deletion is a request: the service carries it out on\nSundays at 05:00 UTC. With --yes the project must be named by --project, --projects or HOGCTL_PROJECT.\n' +
    operatorsText,
  examples: [
    'persons bulk-delete --from requests.csv --as emails --column email --delete-events --dry-run -o csv',
    'persons bulk-delete --from people.csv --as distinct-ids --column distinct_id --delete-events',
    'persons bulk-delete --from people.xlsx --sheet Requests --as distinct-ids --column "Customer ID"',
    'persons bulk-delete --distinct-ids user_1,user_2 --dry-run -o csv',
    'persons bulk-delete --ids 17,18,19 --project shop --yes',
    'persons bulk-delete --from people.csv --as emails --column email --projects eu-shop,us-shop',
    'persons bulk-delete --property plan:exact=test --max 500 --project shop --yes',
  ],
  arguments: { id: { type: 'words', optional: true, description: 'Person ids' } },
  omit: ['ids', 'distinct_ids'],
  options: { ...bulkDeleteOptions, ...filterOptions, ...projectsOption },
  graceful: true,
  async run({ projects, ...input }, context) {
    if (projects === undefined)
      return (await import('../../erasure/bulk-delete.ts')).bulkDelete(input, context);
    const { bulkDeleteInProjects } = await import('../../erasure/bulk-delete-in-projects.ts');
    await bulkDeleteInProjects({ projects, ...input }, context);
  },
});
