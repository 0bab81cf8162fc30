import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { allOption } from '../../cli/requests.ts';
import { platform } from '../../service/platform.ts';
import { personColumns } from '../persons/options.ts';

export const listCohortPersons = defineCommand({
  name: 'persons',
  endpoints: [platform.cohortPersons],
  summary: 'List the persons of a cohort',
  description: helpText('commands/cohorts/persons'),
  examples: ['cohorts persons 3', 'cohorts persons 3 --all -o csv --save testers.csv'],
  arguments: { id: { type: 'integer', minimum: 1, description: 'Cohort id' } },
  options: { all: allOption },
  async run(input, context) {
    const { listCohortPersons: list } = await import('../../persons/cohorts.ts');
    const { refuseCut } = await import('../../persons/persons-by-list.ts');
    await context.print(refuseCut(await list(input, context), context), personColumns);
  },
});
