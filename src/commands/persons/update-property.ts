import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { chooseValue, typeName } from '../../cli/command/values.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { hasProperties, tellerOfChange, waitOption } from '../../persons/wait-for-change.ts';
import { persons } from '../../service/persons.ts';

export const updatePersonProperty = defineCommand({
  name: 'update-property',
  aliases: ['set'],
  endpoints: [persons.updateProperty],
  summary: 'Set one property of a person',
  description: helpText('commands/persons/update-property'),
  examples: [
    'persons update-property 42 plan pro',
    'persons set 42 zip 02134 --string',
    'persons set 42 address --json \'{"city":"Oslo"}\'',
  ],
  arguments: {
    person: { type: 'person' },
    key: { type: 'text', offers: 'property', description: 'Key of the property' },
    value: { type: 'text', optional: true, description: 'The value', empty: true },
  },
  omit: ['key', 'value'],
  options: {
    string: { type: 'flag', description: 'Send the value as text' },
    json: { type: 'json', description: 'The value as JSON, @file or -' },
    ...waitOption,
  },
  async run({ person, key, value: text, string, json, wait }, context) {
    const value = chooseValue({ text, string, json });
    const tell = tellerOfChange(wait, context);
    const client = await context.client();
    const id = await findPersonId(person, context);
    await client.call(persons.updateProperty, { id, key, value });
    await tell(id, `set ${key} (${typeName(value)})`, (found) => hasProperties(found, { [key]: value }));
  },
});
