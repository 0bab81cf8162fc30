import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { waitForChange, waitOption } from '../../persons/wait-for-change.ts';
import { readWait } from '../../semantics/query-status.ts';
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
    const atMost = readWait(wait, context.options);
    const client = await context.client();
    const id = await findPersonId(person, context);
    await client.call(persons.deleteProperty, { id, $unset: key });
    context.report(
      `Requested for person ${id}: delete the property ${key}. The service applies it a little later.`,
    );
    const isShown = ({ properties }: Person) => !Object.hasOwn(properties ?? {}, key);
    await waitForChange({ id, atMost, isShown }, context);
  },
});
