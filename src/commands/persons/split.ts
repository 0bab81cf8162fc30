import { defineCommand } from '../../cli/command/define-command.ts';
import { describeFound, findPersonId } from '../../cli/find-person.ts';
import { waitOption } from '../../persons/wait-for-change.ts';
import { persons } from '../../service/persons.ts';

export const splitPerson = defineCommand({
  name: 'split',
  endpoints: [persons.split],
  summary: 'Split a person into one person per distinct id',
  description:
    'Runs in the background and cannot be undone. The question shows which distinct ids leave, and so does --dry-run. Add\n--wait: the service has reported success for splits that changed nothing.',
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
