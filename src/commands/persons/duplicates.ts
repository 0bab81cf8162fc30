import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { platform } from '../../service/platform.ts';

export const findDuplicates = defineCommand({
  name: 'duplicates',
  endpoints: [platform.query],
  summary: 'Find persons who share the value of a property',
  description: helpText('commands/persons/duplicates'),
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
