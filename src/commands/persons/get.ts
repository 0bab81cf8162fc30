import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { persons } from '../../service/persons.ts';

export const getPerson = defineCommand({
  name: 'get',
  endpoints: [persons.get],
  summary: 'Show one person',
  examples: [
    'persons get 42',
    'persons get --distinct-id user_42',
    'persons get --email ana.berg@example.org -o json',
  ],
  arguments: { person: { type: 'person' } },
  async run({ person }, context) {
    const client = await context.client();
    const id = await findPersonId(person, context);
    await context.print(await client.call(persons.get, { id }));
  },
});
