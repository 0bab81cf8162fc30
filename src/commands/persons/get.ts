import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { pagesInApp, webOption } from '../../cli/in-app.ts';
import { persons } from '../../service/persons.ts';

export const getPerson = defineCommand({
  name: 'get',
  endpoints: [persons.get],
  summary: 'Show one person',
  examples: [
    'persons get 42',
    'persons get --distinct-id user_42',
    'persons get --email ana.berg@example.org -o json',
    'persons get --email ana.berg@example.org --web',
  ],
  arguments: { person: { type: 'person' } },
  options: { web: webOption },
  async run({ person, web }, context) {
    const tell = await pagesInApp(web, context);
    const client = await context.client();
    const id = await findPersonId(person, context);
    const found = await client.call(persons.get, { id });
    await context.print(found);
    const [distinctId] = found.distinct_ids ?? [];
    await tell(distinctId && `person/${encodeURIComponent(distinctId)}`);
  },
});
