import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { byOption, deadlineOptions, oddNameOption, projectsOption } from '../../erasure/options.ts';
import { persons } from '../../service/persons.ts';

export const deletePerson = defineCommand({
  name: 'delete',
  endpoints: [persons.delete],
  summary: 'Delete one person, with a record that proves it',
  description: helpText('commands/persons/delete'),
  examples: [
    'persons delete 42',
    'persons delete --distinct-id user_42 --delete-events --project shop --yes',
  ],
  arguments: { person: { type: 'person' } },
  options: {
    ignoreMissing: {
      type: 'flag',
      description: 'Succeed if the person is not found, unless the email exists in another case',
    },
    ...oddNameOption,
    ...deadlineOptions,
    ...byOption,
    ...projectsOption,
  },
  graceful: true,
  async run({ projects, by, ...input }, context) {
    context.records.signAs(by);
    const { erasePerson, erasePersonInProjects } = await import('../../erasure/delete.ts');
    if (projects === undefined) return erasePerson({ ...input, find: findPersonId }, context);
    await erasePersonInProjects({ ...input, find: findPersonId, projects }, context);
  },
});
