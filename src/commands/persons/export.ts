import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { projectsOption } from '../../erasure/options.ts';
import { exportAll } from '../../persons/all-persons.ts';
import { exportOne, exportOptions, readTarget } from '../../persons/one-person.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';
import { listConditions, operatorsText } from './options.ts';

export const exportPersons = defineCommand({
  name: 'export',
  endpoints: [persons.list, platform.query, persons.get, persons.activity, persons.cohorts],
  summary: 'Export all persons, some by conditions, or everything about one',
  description:
    'All persons are read through SQL, or from the list if the key has no query:read. With --resume, the same command\ncontinues where it stopped. One person is exported as one JSON document, or with -o csv and --save as a folder of CSV\nfiles: person, distinct ids, cohorts, activity, and with --with-events all events.\n\nSQL is asked for 2,500 persons per request, ordered by id. Unlike persons list --all, the export misses no person when\nothers are created or deleted meanwhile. Conditions are those of persons list, and are applied by the list. An id\nchooses one person, and so does --email or --distinct-id without other conditions.\n' +
    operatorsText,
  examples: [
    'persons export --save people.csv',
    'persons export --save people.parquet',
    'persons export -o ndjson --save people.ndjson --resume people.state',
    'persons export --email ana.berg@example.org --with-events --save ana.json',
    'persons export --property plan:exact=trial -o csv --save trial.csv',
    'persons export 42 --with-events -o csv --save ana',
  ],
  arguments: { person: { type: 'person-id', optional: true, description: 'Person id, integer or UUID' } },
  omit: ['properties', 'limit', 'offset', 'include_total'],
  options: { ...listConditions, ...exportOptions, ...projectsOption },
  saves: ['parquet'],
  ownRows: true,
  async run({ projects, ...input }, context) {
    const person = readTarget(input, context);
    if (projects !== undefined) {
      const { exportFromProjects } = await import('../../persons/person-in-projects.ts');
      return exportFromProjects({ ...input, person, find: findPersonId, projects }, context);
    }
    if (person === undefined) return exportAll(input, context);
    const id = await findPersonId(person, context);
    await exportOne(id, { withEvents: input.withEvents ?? false }, context);
  },
});
