import { defineCommand } from '../../cli/command/define-command.ts';
import {
  bulkDeleteHeadings,
  bulkDeleteOptions,
  projectsOption,
  rareBulkDeleteOptions,
} from '../../erasure/options.ts';
import { persons } from '../../service/persons.ts';
import { filterOptions, operatorsText } from './options.ts';

export const bulkDeletePersons = defineCommand({
  name: 'bulk-delete',
  endpoints: [persons.bulkDelete],
  summary: 'Delete many persons, with a record that proves what was done',
  description:
    'The plan is confirmed first, and runs resume goes on after an interruption.\n\nEvery id is checked, and each step is recorded before it is sent. With --yes, name the project with --project,\n--projects or HOGCTL_PROJECT, and give --max with conditions such as --property.\n\nEmails (--emails, --as emails) are looked up first, in upper or lower case, and only the persons found are deleted. An id\nthat looks damaged, such as null or 1.23E+15, is refused unless --odd says skip or send. If the answer of a\ncall is lost, its people are looked up at the end, also with --retries 0. Those still there as planned are sent once\nmore. Event deletion is\na request: the service carries it out on Sundays at 05:00 UTC. runs list --due shows which runs have passed their\n--deadline. Only you can read the file of --receipt.\n' +
    operatorsText,
  examples: [
    'persons bulk-delete --emails ana.berg@example.org --dry-run -o csv',
    'persons bulk-delete --from ids.csv --as distinct-ids --delete-events',
    'persons bulk-delete --distinct-ids user_1,user_2 --dry-run -o csv',
    'persons bulk-delete --ids 17,18,19 --project shop --yes',
    'persons bulk-delete --emails ana.berg@example.org --projects eu,us',
    'persons bulk-delete --property plan:exact=test --max 500 -p shop -y',
  ],
  arguments: { id: { type: 'words', optional: true, description: 'Person ids' } },
  omit: ['ids', 'distinct_ids'],
  options: { ...bulkDeleteOptions, ...filterOptions, ...projectsOption },
  rare: rareBulkDeleteOptions,
  headings: bulkDeleteHeadings,
  graceful: true,
  async run({ projects, by, ...input }, context) {
    context.records.signAs(by);
    if (projects === undefined)
      return (await import('../../erasure/bulk-delete.ts')).bulkDelete(input, context);
    const { bulkDeleteInProjects } = await import('../../erasure/projects/bulk-deletion.ts');
    await bulkDeleteInProjects({ projects, ...input }, context);
  },
});
