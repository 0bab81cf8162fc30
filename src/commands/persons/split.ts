import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { describeFound, findPersonId } from '../../cli/find-person.ts';
import { waitOption } from '../../persons/wait-for-change.ts';
import { persons } from '../../service/persons.ts';

export const splitPerson = defineCommand({
  name: 'split',
  endpoints: [persons.split],
  summary: 'Split a person into one person per distinct id',
  description: helpText('commands/persons/split'),
  examples: [
    'persons split 42 --main user_42',
    'persons split 42 --only anonymous_1 --only anonymous_2 --project shop --yes',
  ],
  arguments: { person: { type: 'person' } },
  omit: ['main_distinct_id', 'distinct_ids_to_split'],
  options: {
    main: {
      type: 'text',
      placeholder: 'distinct id',
      description: 'Distinct id that stays; all others leave',
    },
    only: {
      type: 'repeated',
      placeholder: 'distinct id',
      description: 'Distinct id that leaves; all others stay',
    },
    ...waitOption,
  },
  async run(input, context) {
    const { splitPerson: split } = await import('../../persons/split.ts');
    await split({ ...input, find: findPersonId, describe: describeFound }, context);
  },
});
