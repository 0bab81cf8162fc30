import { defineCommand } from '../../cli/command/define-command.ts';
import { persons } from '../../service/persons.ts';
import { personColumns, personFilters } from './options.ts';

export const listPersons = defineCommand({
  name: 'list',
  endpoints: [persons.list],
  summary: 'List persons, newest first',
  examples: [
    'persons list',
    'persons list --search example.org --limit 20',
    'persons list --property plan:exact=pro --property age:gte=18 --all -o csv --save people.csv',
    'persons list --distinct-id user_42 -o json',
  ],
  omit: ['properties', 'include_total'],
  options: {
    property: {
      type: 'properties',
      offers: 'property',
      description: 'Condition on a property: plan=pro, age:gte=18, email:is_set',
    },
    properties: { type: 'json', description: 'Property filters as the service takes them, a JSON list' },
    all: { type: 'flag', description: 'Every page; --limit is then the page size' },
  },
  async run({ property, properties, all, ...filters }, context) {
    const conditions = personFilters(property, properties);
    const rows = await context.list(persons.list, { ...filters, properties: conditions }, { all });
    await context.print(rows, personColumns);
  },
});
