import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { usageError } from '../../errors.ts';
import { persons } from '../../service/persons.ts';

export const splitPerson = defineCommand({
  name: 'split',
  endpoints: [persons.split],
  summary: 'Split a person into one person per distinct id',
  description:
    'Runs in the background and cannot be undone. Check the person after some minutes: the service has reported success\nfor splits that changed nothing.',
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
  },
  async run({ person, main, only }, context) {
    if (main !== undefined && only !== undefined)
      throw usageError('--main and --only cannot be used together', 'give one of them');
    const client = await context.client();
    const id = await findPersonId(person, context);
    const what = only ? `split ${only.join(', ')} off person ${id}` : `split person ${id}`;
    await context.confirm({ action: `${what}, which cannot be undone` });
    await client.call(persons.split, { id, main_distinct_id: main, distinct_ids_to_split: only });
    context.report(`Requested: ${what}. It runs in the background; check it with persons get.`);
  },
});
