import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { projectsOption } from '../../erasure/options.ts';
import { exportAll } from '../../export/all-persons.ts';
import { exportOne, exportOptions, readTarget } from '../../export/one-person.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';
import { listConditions, operatorsText } from './options.ts';

export const exportPersons = defineCommand({
  name: 'export',
  endpoints: [persons.list, platform.query, persons.get, persons.activity, persons.cohorts],
  summary: 'Export all persons, those who satisfy conditions, or everything about one',
  description:
    'All persons come through SQL, or from the list if the key has no query:read. With --resume the same command goes on\nwhere it stopped. One person comes as one JSON document, or with -o csv and --save as a folder of CSV files: person,\ndistinct ids, cohorts, activity, and with --with-events all events.\n\nSQL is asked for 2,500 persons a request, in the order of their ids. Nobody who stays is missed while others come and\ngo, as may happen with persons list --all. Conditions are those of persons list, and select from the list. An id names\none person, and so does --email or --distinct-id unless other conditions stand beside it.\n' +
    operatorsText,
  examples: [
    'persons export --save people.csv',
    'persons export --save people.parquet',
    'persons export -o ndjson --save people.ndjson --resume people.state',
    'persons export --email ana.berg@example.org --with-events --save ana.json',
    'persons export --property plan:exact=trial -o csv --save trial.csv',
    'persons export 42 --with-events -o csv --save ana',
  ],
  arguments: { person: { type: 'person-id', optional: true, description: 'A person, by integer or UUID' } },
  omit: ['properties', 'limit', 'offset', 'include_total'],
  options: { ...listConditions, ...exportOptions, ...projectsOption },
  saves: ['parquet'],
  async run({ projects, ...input }, context) {
    const person = readTarget(input, context);
    if (projects !== undefined) {
      const { exportFromProjects } = await import('../../export/person-in-projects.ts');
      return exportFromProjects({ ...input, person, find: findPersonId, projects }, context);
    }
    if (person === undefined) return exportAll(input, context);
    const id = await findPersonId(person, context);
    await exportOne(id, { withEvents: input.withEvents ?? false }, context);
  },
});
