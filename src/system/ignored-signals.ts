import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

type Process = Pick<NodeJS.Process, 'env' | 'platform' | 'ppid'>;

/** Their numbers on Linux. */
const numbers = { SIGHUP: 1, SIGINT: 2 } as const;

const shells = new Set(['sh', 'ash', 'bash', 'busybox', 'dash', 'ksh', 'mksh', 'zsh']);

/**
 * Signals that were ignored when the program began. Node takes that back before any line of ours runs, so who started it
 * has to tell: a shell names nohup in the environment, and after `trap '' INT` ignores the signal itself. Other parents
 * may ignore one only while they wait, as system(3) does.
 */
export function findIgnoredSignals({ env, platform, ppid }: Process): ReadonlySet<NodeJS.Signals> {
  const byShell = platform === 'linux' ? ignoredBy(ppid) : 0n;
  const ignored = new Set<NodeJS.Signals>();
  if (basename(env._ ?? '') === 'nohup' || isIn(byShell, numbers.SIGHUP)) ignored.add('SIGHUP');
  if (isIn(byShell, numbers.SIGINT)) ignored.add('SIGINT');
  return ignored;
}

function isIn(mask: bigint, signal: number): boolean {
  return ((mask >> BigInt(signal - 1)) & 1n) === 1n;
}

/** What a process ignores, a bit for each signal; none if it is no shell. */
function ignoredBy(pid: number): bigint {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const name = /^Name:\t(.*)$/m.exec(status)?.[1] ?? '';
    const mask = /^SigIgn:\t([0-9a-f]+)$/m.exec(status)?.[1];
    return shells.has(name) && mask !== undefined ? BigInt(`0x${mask}`) : 0n;
  } catch {
    // It has ended, or hides behind another user.
    return 0n;
  }
}
