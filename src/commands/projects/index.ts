import type { CommandLoaders } from '../../cli/command/define-group.ts';

export const projectsCommands = {
  list: async () => (await import('./list-projects.ts')).listProjects,
} satisfies CommandLoaders;
