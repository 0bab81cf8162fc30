import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { typeName } from '../../cli/command/values.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { usageError } from '../../errors.ts';
import { hasProperties, tellerOfChange, waitOption } from '../../persons/wait-for-change.ts';
import { persons } from '../../service/persons.ts';

export const updatePerson = defineCommand({
  name: 'update',
  endpoints: [persons.update],
  summary: 'Set properties of a person',
  description: helpText('commands/persons/update'),
  examples: [
    'persons update 42 --set plan=pro --set age=30',
    'persons update --email ana.berg@example.org --properties \'{"plan":"pro","tags":["a","b"]}\'',
  ],
  arguments: { person: { type: 'person' } },
  omit: ['properties'],
  options: {
    set: { type: 'assignments', offers: 'property', description: 'Set one property' },
    properties: { type: 'object', description: 'Properties as a JSON object, @file or -' },
    ...waitOption,
  },
  async run({ person, set, properties: given, wait }, context) {
    if (set !== undefined && given !== undefined)
      throw usageError('--set and --properties cannot be used together', 'give one of them');
    const properties = set ?? given ?? {};
    const names = Object.entries(properties).map(([key, value]) => `${key} (${typeName(value)})`);
    if (names.length === 0) throw usageError('there is nothing to set', 'add --set key=value');
    const tell = tellerOfChange(wait, context);
    const client = await context.client();
    const id = await findPersonId(person, context);
    const answer = await client.call(persons.update, { id, properties });
    await tell(id, `set ${names.join(', ')}`, (found) => hasProperties(found, properties));
    if (answer !== undefined) await context.print(answer);
  },
});
