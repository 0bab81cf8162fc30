import { defineCommand } from '../../cli/command/define-command.ts';
import { answeredListOptions } from '../../erasure/options.ts';

const { from, as, column, sheet, trim } = answeredListOptions;

export const findPeopleCommand = defineCommand({
  name: 'find',
  summary: 'Find which people of a list were erased by a run on this computer',
  description:
    'Nothing is sent: the list is compared with the HMACs in each record, even if the ids were removed. Exits with 9 if\nsome were erased, so that an import can stop, and with 8 if a run cannot be compared by this kind of ids.',
  examples: [
    'runs find --from requests.csv --as emails --column email',
    'runs find --from people.csv --as distinct-ids -o csv',
  ],
  options: {
    from,
    as,
    column,
    sheet,
    trim,
    runDir: {
      type: 'file',
      placeholder: 'directory',
      description: 'Also search the run in this directory (--run-dir of its deletion)',
    },
  },
  paged: true,
  run: async (input, context) => (await import('../../erasure/find.ts')).findPeople(input, context),
});
