import type { Command } from '../../cli/command/define-command.ts';
import { listProjects } from './list-projects.ts';

export const projectsCommands: readonly Command[] = [listProjects];
