import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { exportAll } from '../../export/all-persons.ts';
import { checkExport, exportOne, exportOptions } from '../../export/one-person.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';
import { filterOptions, operatorsText } from './options.ts';

export const exportPersons = defineCommand({
  name: 'export',
  endpoints: [platform.query, persons.list, persons.get, persons.activity, persons.cohorts],
  summary: 'Export all persons, or everything about one',
  description:
    'All persons come through SQL, 2,500 a request in the order of their ids, or from the list if the key has no\nquery:read. Nobody who stays is missed while others come and go, as may happen with persons list --all.\nWith --resume the same command goes on where it stopped.\nOne person comes as one JSON document, or with -o csv and --save as a folder of CSV files: person, distinct ids,\ncohorts, activity, and with --with-events all events.\n' +
    operatorsText,
  examples: [
    'persons export -o csv --save people.csv',
    'persons export -o ndjson --save people.ndjson --resume people.state',
    'persons export --email ana.berg@example.org --with-events --save ana.json',
    'persons export --property plan:exact=trial -o csv --save trial.csv',
    'persons export 42 --with-events -o csv --save ana',
  ],
  arguments: { person: { type: 'person', optional: true } },
  omit: ['query', 'refresh', 'client_query_id', 'name'],
  options: {
    search: { type: 'text', once: true, description: 'Everybody a search finds' },
    ...filterOptions,
    ...exportOptions,
  },
  async run({ person, ...input }, context) {
    checkExport({ ...input, isOne: person !== undefined }, context);
    if (person === undefined) return exportAll(input, context);
    const id = await findPersonId(person, context);
    await exportOne(id, { withEvents: input.withEvents ?? false }, context);
  },
});
