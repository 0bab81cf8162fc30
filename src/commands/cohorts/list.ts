import { defineCommand } from '../../cli/command/define-command.ts';
import { allOption } from '../../cli/requests.ts';
import { platform } from '../../service/platform.ts';

export const listCohorts = defineCommand({
  name: 'list',
  endpoints: [platform.cohorts],
  summary: 'List cohorts, with their sizes',
  description: 'A warning names the cohorts that are being calculated, or whose last calculation failed.',
  examples: ['cohorts list', 'cohorts list --all -o json'],
  options: { all: allOption },
  async run({ all, ...input }, context) {
    const { cohortColumns, tellStates } = await import('../../persons/cohorts.ts');
    const pages = await context.list(platform.cohorts, input, { all });
    await context.print(tellStates(pages, context), cohortColumns);
  },
});
