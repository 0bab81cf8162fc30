import { defineCommand } from '../../cli/command/define-command.ts';
import { platform } from '../../service/platform.ts';

export const findDuplicates = defineCommand({
  name: 'duplicates',
  endpoints: [platform.query],
  summary: 'Find persons who share the value of a property',
  description:
    'Reads only, through SQL. Emails are compared in any case and without white space around them, other values as\nthey are. Each person comes with their first and last event. A table names a value once for each group; the other\nformats have a row for each person, with the value that is compared and the one that is written.',
  examples: ['persons duplicates --by email', 'persons duplicates --by customer_number -o csv'],
  omit: ['query', 'refresh', 'client_query_id', 'name', 'filters_override'],
  options: {
    by: {
      type: 'text',
      once: true,
      placeholder: 'property',
      offers: 'property',
      description: 'Whose values are compared',
    },
  },
  async run({ by }, context) {
    const { printDuplicates } = await import('../../export/duplicates.ts');
    await printDuplicates(by, context);
  },
});
