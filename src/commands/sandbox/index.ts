import type { Command } from '../../cli/command/define-command.ts';
import { advanceSandbox } from './advance-sandbox.ts';
import { execInSandbox } from './exec-in-sandbox.ts';
import { importIntoSandbox } from './import-into-sandbox.ts';
import { resetSandbox } from './reset-sandbox.ts';
import { startSandboxCommand } from './start-sandbox-command.ts';

export const sandboxCommands: readonly Command[] = [
  startSandboxCommand,
  execInSandbox,
  advanceSandbox,
  importIntoSandbox,
  resetSandbox,
];
