import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { tellerOfChange, waitOption } from '../../persons/wait-for-change.ts';
import { persons } from '../../service/persons.ts';
import type { Person } from '../../service/schemas.ts';

export const deletePersonProperty = defineCommand({
  name: 'delete-property',
  aliases: ['unset'],
  endpoints: [persons.deleteProperty],
  summary: 'Delete one property of a person',
  description: 'The service applies the change a little later.',
  examples: ['persons delete-property 42 plan', 'persons unset --distinct-id user_42 plan'],
  arguments: {
    person: { type: 'person' },
    key: { type: 'text', offers: 'property', description: 'Key of the property' },
  },
  omit: ['$unset'],
  options: waitOption,
  async run({ person, key, wait }, context) {
    const tell = tellerOfChange(wait, context);
    const client = await context.client();
    const id = await findPersonId(person, context);
    await client.call(persons.deleteProperty, { id, $unset: key });
    const isShown = ({ properties }: Person) => !Object.hasOwn(properties ?? {}, key);
    await tell(id, `delete the property ${key}`, isShown);
  },
});
