import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { usageError } from '../../errors.ts';
import { persons } from '../../service/persons.ts';

export const personCohorts = defineCommand({
  name: 'cohorts',
  endpoints: [persons.cohorts],
  summary: 'List the cohorts of a person, or all cohorts if the service lists them',
  examples: ['persons cohorts 42', 'persons cohorts --distinct-id user_42 -o json'],
  arguments: { person: { type: 'person', optional: true } },
  omit: ['person_id'],
  async run({ person }, context) {
    const { dialect } = await context.settings();
    if (person === undefined && dialect === 'live')
      throw usageError(
        'the live service lists the cohorts of one person only',
        'give a person, or list all cohorts with hogctl cohorts list',
      );
    const client = await context.client();
    const id = person && (await findPersonId(person, context));
    const { results } = await client.call(persons.cohorts, { person_id: id });
    await context.print(results, [{ key: 'id', kind: 'id' }, { key: 'name' }, { key: 'count' }]);
  },
});
