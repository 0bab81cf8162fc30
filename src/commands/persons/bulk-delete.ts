import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
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
  description: `${helpText('commands/persons/bulk-delete')}\n${operatorsText}`,
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
