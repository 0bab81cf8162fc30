import { defineCommand } from '../../cli/command/define-command.ts';

export const useProject = defineCommand({
  name: 'use',
  endpoints: [],
  summary: 'Make a stored project the default',
  examples: ['auth use shop'],
  arguments: { name: { type: 'text', description: 'Name of a stored project' } },
  async run({ name }, context) {
    const { project } = await context.projects().use(name);
    context.report(`The default project is now ${project.name} (${project.id}) at ${project.host}.`);
  },
});
