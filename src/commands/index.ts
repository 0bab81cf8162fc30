import type { Group } from '../cli/command/define-command.ts';

/** Every noun of the program. Each is loaded only when argv names it. */
export const groups: readonly Group[] = [
  {
    name: 'persons',
    summary: 'Look up, correct, export and erase persons',
    load: async () => (await import('./persons/index.ts')).personsCommands,
  },
  {
    name: 'runs',
    summary: 'Resume, verify, report and check bulk deletions',
    load: async () => (await import('./runs/index.ts')).runsCommands,
  },
  {
    name: 'insights',
    summary: 'Read, refresh, change and calculate insights',
    load: async () => (await import('./insights/index.ts')).insightsCommands,
  },
  {
    name: 'auth',
    summary: 'Store, show and remove keys of projects',
    load: async () => (await import('./auth/index.ts')).authCommands,
  },
  {
    name: 'projects',
    summary: 'List the projects of a key',
    load: async () => (await import('./projects/index.ts')).projectsCommands,
  },
  {
    name: 'query',
    summary: 'Run SQL over persons and events',
    load: async () => [(await import('./query/query-command.ts')).queryCommand],
    single: true,
  },
  {
    name: 'api',
    summary: 'Send a request to any path of the service',
    load: async () => [(await import('./api/api-command.ts')).apiCommand],
    single: true,
  },
  {
    name: 'endpoints',
    summary: 'Show every operation, its command, and what the key may run',
    load: async () => [(await import('./endpoints/list-endpoints.ts')).listEndpoints],
    single: true,
  },
  {
    name: 'sandbox',
    summary: 'Run the same service on this computer',
    load: async () => (await import('./sandbox/index.ts')).sandboxCommands,
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    load: async () => [(await import('./completion/complete-command.ts')).completeCommand],
    single: true,
  },
  {
    name: 'version',
    summary: 'Show the version, or ask whether there is a newer one',
    load: async () => [(await import('./version/version-command.ts')).versionCommand],
    single: true,
  },
];
