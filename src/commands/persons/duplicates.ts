import { defineCommand } from '../../cli/command/define-command.ts';
import { platform } from '../../service/platform.ts';

export const findDuplicates = defineCommand({
  name: 'duplicates',
  endpoints: [platform.query],
  summary: 'Find persons who share the value of a property',
  description:
    'Only reads, through SQL. Emails are compared without regard to case and to white space around them,\nother values as they are. Each person is shown with their first and last event. A table shows a value once per group; the other\nformats have one row per person, with the compared value and the original one.',
  examples: ['persons duplicates --by email', 'persons duplicates --by customer_number -o csv'],
  omit: ['query', 'refresh', 'client_query_id', 'name', 'filters_override'],
  options: {
    by: {
      type: 'text',
      once: true,
      placeholder: 'property',
      offers: 'property',
      description: 'Property to compare',
    },
  },
  ownRows: true,
  async run({ by }, context) {
    const { printDuplicates } = await import('../../persons/duplicates.ts');
    await printDuplicates(by, context);
  },
});
