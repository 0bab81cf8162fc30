import type { CommandLoaders } from '../../cli/command/define-group.ts';

export const sandboxCommands = {
  start: async () => (await import('./start-sandbox-command.ts')).startSandboxCommand,
  exec: async () => (await import('./exec-in-sandbox.ts')).execInSandbox,
  advance: async () => (await import('./advance-sandbox.ts')).advanceSandbox,
  import: async () => (await import('./import-into-sandbox.ts')).importIntoSandbox,
  reset: async () => (await import('./reset-sandbox.ts')).resetSandbox,
} satisfies CommandLoaders;
