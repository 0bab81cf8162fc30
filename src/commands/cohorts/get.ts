import { defineCommand } from '../../cli/command/define-command.ts';
import { platform } from '../../service/platform.ts';

export const getCohort = defineCommand({
  name: 'get',
  endpoints: [platform.cohort],
  summary: 'Show one cohort: its filters, its size, when it was calculated',
  examples: ['cohorts get 3', 'cohorts get 3 -o json'],
  arguments: { id: { type: 'integer', minimum: 1, description: 'Cohort id' } },
  async run({ id }, context) {
    const { readCohort } = await import('../../persons/cohorts.ts');
    await context.print(await readCohort(id, context));
  },
});
