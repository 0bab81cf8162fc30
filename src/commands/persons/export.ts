import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId, findPersonIds } from '../../cli/find-person.ts';
import { projectsOption } from '../../erasure/options.ts';
import { exportAll } from '../../persons/all-persons.ts';
import { exportOptions, readTarget } from '../../persons/one-person.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';
import { listConditions, operatorsText } from './options.ts';

export const exportPersons = defineCommand({
  name: 'export',
  endpoints: [persons.list, platform.query, persons.get, persons.activity, persons.cohorts],
  summary: 'Export all persons, some by conditions, or everything about one',
  description:
    'All persons are read through SQL, or from the list if the key has no query:read. With --resume, the same command\ncontinues where it stopped. One person is exported as one JSON document, or with -o csv and --save as a folder of CSV\nfiles: person, distinct ids, cohorts, activity, and with --with-events all events.\n\nTo answer a person who asks for their data, save ana.html, one page that names no staff, or ana.zip with the page\nand all events as JSON. Both hold all persons of an address, and with --projects those of all projects.\n\nSQL is asked for 2,500 persons per request, ordered by id. Unlike persons list --all, the export misses no person when\nothers are created or deleted meanwhile. Conditions are those of persons list, and are applied by the list. An id\nchooses one person, and so does --email or --distinct-id without other conditions.\n' +
    operatorsText,
  examples: [
    'persons export --save people.csv',
    'persons export --save people.parquet',
    'persons export -o ndjson --save people.ndjson --resume people.state',
    'persons export --email ana.berg@example.org --save ana.zip',
    'persons export --email ana.berg@example.org --with-events --save ana.json',
    'persons export --property plan:exact=trial -o csv --save trial.csv',
  ],
  arguments: { person: { type: 'person-id', optional: true, description: 'Person id, integer or UUID' } },
  omit: ['properties', 'limit', 'offset', 'include_total'],
  options: { ...listConditions, ...exportOptions, ...projectsOption },
  saves: ['parquet', 'html', 'htm', 'zip'],
  ownRows: true,
  async run({ projects, ...input }, context) {
    const person = readTarget(input, context);
    if (person === undefined && projects === undefined) return exportAll(input, context);
    const { exportPerson } = await import('../../persons/person-in-projects.ts');
    const found = { find: findPersonId, findAll: findPersonIds };
    await exportPerson({ ...input, ...found, person, projects }, context);
  },
});
