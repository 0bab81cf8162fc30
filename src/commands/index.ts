import { defineGroup, defineSingle, type Group } from '../cli/command/define-group.ts';
import { authCommands } from './auth/index.ts';
import { completionCommands } from './completion/index.ts';
import { insightsCommands } from './insights/index.ts';
import outline from './outline.json' with { type: 'json' };
import { personsCommands } from './persons/index.ts';
import { projectsCommands } from './projects/index.ts';
import { runsCommands } from './runs/index.ts';
import { sandboxCommands } from './sandbox/index.ts';

/** Every noun of the program. */
export const groups: readonly Group[] = [
  defineGroup({
    name: 'persons',
    summary: 'Look up, correct, export and erase persons',
    commands: personsCommands,
    outline: outline.persons,
  }),
  defineGroup({
    name: 'runs',
    summary: 'Resume, verify, report and check bulk deletions',
    commands: runsCommands,
    outline: outline.runs,
  }),
  defineGroup({
    name: 'insights',
    summary: 'Read, refresh, change and calculate insights',
    commands: insightsCommands,
    outline: outline.insights,
  }),
  defineGroup({
    name: 'auth',
    summary: 'Store, show and remove keys of projects',
    commands: authCommands,
    outline: outline.auth,
  }),
  defineGroup({
    name: 'projects',
    summary: 'List the projects of a key',
    commands: projectsCommands,
    outline: outline.projects,
  }),
  defineSingle(
    'query',
    'Run SQL over persons and events',
    async () => (await import('./query/query-command.ts')).queryCommand,
  ),
  defineSingle(
    'api',
    'Send a request to any path of the service',
    async () => (await import('./api/api-command.ts')).apiCommand,
  ),
  defineSingle(
    'endpoints',
    'Show every operation, its command, and what the key may run',
    async () => (await import('./endpoints/list-endpoints.ts')).listEndpoints,
  ),
  defineGroup({
    name: 'sandbox',
    summary: 'Run the same service on this computer',
    commands: sandboxCommands,
    outline: outline.sandbox,
  }),
  defineGroup({
    name: 'completion',
    summary: 'Set up what Tab completes in a shell',
    commands: completionCommands,
    outline: outline.completion,
  }),
  defineSingle(
    'version',
    'Show the version, or ask whether there is a newer one',
    async () => (await import('./version/version-command.ts')).versionCommand,
  ),
];
