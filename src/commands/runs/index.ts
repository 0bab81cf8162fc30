import type { CommandLoaders } from '../../cli/command/define-group.ts';

export const runsCommands = {
  list: async () => (await import('./list-runs-command.ts')).listRunsCommand,
  show: async () => (await import('./show-run.ts')).showRun,
  resume: async () => (await import('./resume-run.ts')).resumeRun,
  verify: async () => (await import('./verify-run-command.ts')).verifyRunCommand,
  report: async () => (await import('./report-run.ts')).reportRun,
  check: async () => (await import('./check-run-command.ts')).checkRunCommand,
  prune: async () => (await import('./prune-runs.ts')).pruneRuns,
} satisfies CommandLoaders;
