import { defineCommand } from '../../cli/command/define-command.ts';
import { allOption } from '../../cli/requests.ts';
import { platform } from '../../service/platform.ts';

export const listProjects = defineCommand({
  name: 'list',
  endpoints: [platform.projects],
  summary: 'List the projects that the key can access',
  description:
    'A key that is limited to certain projects cannot list them; find their ids in the URL of the app.',
  examples: ['projects list', 'projects list --all -o json'],
  options: { all: allOption },
  async run({ all, ...input }, context) {
    const rows = await context.list(platform.projects, input, { all });
    await context.print(rows, [
      { key: 'id', kind: 'id' },
      { key: 'name' },
      { key: 'organization' },
      { key: 'timezone' },
    ]);
  },
});
