import { spawnSync } from 'node:child_process';
import { type Running, start } from './built-program.ts';

/** Whether util-linux can give a command a terminal of its own; elsewhere those tests are skipped. */
export const hasTerminal =
  spawnSync('/bin/sh', ['-c', 'script -qec true /dev/null'], { stdio: 'ignore' }).status === 0;

export type Terminal = Running & { readonly type: (keys: string) => void };

/** Runs a shell line in a pseudo-terminal of `columns`; what it shows comes on stdout, CR LF and all. */
export function onTerminal(
  line: string,
  environment: Readonly<Record<string, string | undefined>>,
  { columns = 80, term = 'xterm' } = {},
): Terminal {
  const command = `stty cols ${columns} rows 24; exec ${line}`;
  const running = start(
    ['script', '-qec', command, '/dev/null'],
    { HOGCTL_PAGER: '', ...environment, SHELL: '/bin/bash', TERM: term },
    { stdin: 'pipe' },
  );
  return { ...running, type: (keys) => running.child.stdin?.write(keys) };
}
