import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';

export const useProject = defineCommand({
  name: 'use',
  summary: 'Make a stored project the default',
  examples: ['auth use shop'],
  arguments: { name: { type: 'text', offers: 'project', description: 'Name of a stored project' } },
  async run({ name }, context) {
    if (context.dryRun)
      throw usageError('--dry-run cannot be used here: auth use sends no change', 'leave it out');
    const project = await context.projects.stored().use(name);
    context.report(`The default project is now ${project.name} (${project.id}) at ${project.host}.`);
  },
});
