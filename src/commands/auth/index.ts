import type { Command } from '../../cli/command/define-command.ts';
import { listLogins } from './list-logins.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { showStatus } from './show-status.ts';
import { useProject } from './use-project.ts';

export const authCommands: readonly Command[] = [login, showStatus, listLogins, useProject, logout];
