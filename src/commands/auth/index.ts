import type { CommandLoaders } from '../../cli/command/define-group.ts';

export const authCommands = {
  login: async () => (await import('./login.ts')).login,
  status: async () => (await import('./show-status.ts')).showStatus,
  list: async () => (await import('./list-logins.ts')).listLogins,
  use: async () => (await import('./use-project.ts')).useProject,
  logout: async () => (await import('./logout.ts')).logout,
} satisfies CommandLoaders;
