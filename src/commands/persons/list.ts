import { defineCommand } from '../../cli/command/define-command.ts';
import { allOption } from '../../cli/requests.ts';
import { persons } from '../../service/persons.ts';
import { listConditions, operatorsText, personColumns } from './options.ts';

export const listPersons = defineCommand({
  name: 'list',
  endpoints: [persons.list],
  summary: 'List persons, newest first',
  description: operatorsText,
  examples: [
    'persons list',
    'persons list --search example.org --limit 20',
    'persons list --property plan:exact=pro --property age:gte=18 --all -o csv --save people.csv',
    'persons list --distinct-id user_42 -o json',
  ],
  omit: ['properties', 'include_total'],
  options: {
    ...listConditions,
    all: allOption,
  },
  async run(input, context) {
    const { listPersons: list } = await import('../../persons/persons-by-list.ts');
    await context.print(await list(input, context), personColumns);
  },
});
