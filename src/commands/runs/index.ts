import type { Command } from '../../cli/command/define-command.ts';
import { checkRunCommand } from './check-run-command.ts';
import { listRunsCommand } from './list-runs-command.ts';
import { pruneRuns } from './prune-runs.ts';
import { reportRun } from './report-run.ts';
import { resumeRun } from './resume-run.ts';
import { showRun } from './show-run.ts';
import { verifyRunCommand } from './verify-run-command.ts';

export const runsCommands: readonly Command[] = [
  listRunsCommand,
  showRun,
  resumeRun,
  verifyRunCommand,
  reportRun,
  checkRunCommand,
  pruneRuns,
];
