import { defineCommand } from '../../cli/command/define-command.ts';
import { answeredListOptions, bulkDeleteOptions } from '../../erasure/options.ts';

const { emails, ids, distinctIds } = bulkDeleteOptions;
const { as, column, sheet, encoding } = answeredListOptions;

import { helpText } from '../../cli/command/help-text.ts';

export const findPeopleCommand = defineCommand({
  name: 'find',
  summary: 'Find which people of a list were erased by a run on this computer',
  description: helpText('commands/runs/find'),
  examples: [
    'runs find --from requests.csv --as emails --column email',
    'runs find --from people.csv --as distinct-ids -o csv',
    'runs find --distinct-ids user_42',
  ],
  options: {
    emails,
    ids,
    distinctIds,
    from: { ...bulkDeleteOptions.from, description: 'File with people: list, CSV, NDJSON, workbook, or -' },
    as,
    column,
    sheet,
    encoding,
  },
  paged: true,
  run: async (input, context) => (await import('../../erasure/find.ts')).findPeople(input, context),
});
