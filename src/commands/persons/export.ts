import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
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
  description: `${helpText('commands/persons/export')}\n${operatorsText}`,
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
