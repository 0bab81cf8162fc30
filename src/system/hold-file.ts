import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { systemCode, usageError } from '../errors.ts';
import { systemReason } from './system-reason.ts';

/** This process, and how to tell of others on this machine. */
export type Holder = { readonly pid: number; readonly isAlive: (pid: number) => boolean };

/**
 * Keeps other processes of this program from a file, by one beside it, and gives back the release. What a process left
 * that has gone, or one of another machine, of which nothing can be told, is taken over. Throws a usage error where one
 * is at work.
 */
export async function holdFile(path: string, { pid, isAlive }: Holder): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  const own = `${pid} ${hostname()}\n`;
  const claim = (flag: 'wx' | 'w') =>
    writeFile(lock, own, { flag, mode: 0o600 }).then(
      () => true,
      (cause) => {
        if (systemCode(cause) === 'EEXIST') return false;
        throw usageError(`cannot write ${lock}: ${systemReason(cause)}`);
      },
    );
  if (!(await claim('wx'))) {
    const [, number = '', host] = /^(\d+) (.+)\n$/.exec(await textOf(lock)) ?? [];
    const other = Number(number);
    if (host === hostname() && other !== pid && isAlive(other)) throw inUse(path, other);
    await claim('w');
    // Of two that found the same one gone, the last is left.
    if ((await textOf(lock)) !== own) throw inUse(path, Number.NaN);
  }
  return () => rm(lock, { force: true });
}

/** One that has just gone leaves nothing to read. */
function textOf(lock: string): Promise<string> {
  return readFile(lock, 'utf8').catch(() => '');
}

function inUse(path: string, pid: number): Error {
  const who = Number.isNaN(pid) ? 'another process' : `process ${pid}`;
  return usageError(
    `${path} is being written by ${who}`,
    `wait for it, or remove ${path}.lock if it is not hogctl`,
  );
}
