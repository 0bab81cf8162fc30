import { hostname } from 'node:os';
import { CliError, systemCode } from '../errors.ts';
import { type RunDirectory, readBootId } from './run-directory.ts';

/** The process that works on a run. `isAlive` tells of any process of this machine. */
export type Owner = { readonly pid: number; readonly isAlive: (pid: number) => boolean };

type Holder = {
  readonly pid: number;
  /** When that process began, by its own clock: in a container every process may have the same pid. */
  readonly began: number;
  readonly host: string;
  readonly boot: string | null;
  readonly at: string;
};

/**
 * Takes the lock of a run directory, or throws a `refused` error that names who holds it. Gives back the release.
 *
 * Locks are numbered, and the highest number counts. A lock of a dead owner is never removed: whoever takes over makes
 * the next number, which only one process can. So two that find the same dead owner cannot both win.
 */
export function takeLock(
  directory: RunDirectory,
  {
    owner,
    now,
    random,
  }: { readonly owner: Owner; readonly now: () => number; readonly random: () => number },
): () => void {
  const holder = describeHolder(owner, new Date(now()).toISOString());
  const temporary = `claim-${owner.pid}-${Math.floor(random() * 2 ** 32).toString(36)}`;
  for (;;) {
    const highest = findHighest(directory);
    if (highest > 0 && !isLeft(directory, highest, holder, owner)) continue;
    const name = lockName(highest + 1);
    if (directory.claim(name, JSON.stringify(holder), temporary)) return releaseOnce(directory, name);
  }
}

/** A second release could free the lock that somebody else has taken since. */
function releaseOnce(directory: RunDirectory, name: string): () => void {
  let isHeld = true;
  return () => {
    if (isHeld) directory.remove(name);
    isHeld = false;
  };
}

/** Whether a living process works on the run, as far as this machine can tell. */
export function isLocked(directory: RunDirectory, owner: Owner): boolean {
  const highest = findHighest(directory);
  if (highest === 0) return false;
  const current = describeHolder(owner, '');
  const held = readHolder(directory, highest);
  return held !== undefined && !isDead(held, current, owner);
}

function lockName(number: number): string {
  return `lock-${number}`;
}

function findHighest(directory: RunDirectory): number {
  const numbers = directory.names().map((name) => Number(/^lock-(\d+)$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

function describeHolder({ pid }: Owner, at: string): Holder {
  return { pid, began: performance.timeOrigin, host: hostname(), boot: readBootId() ?? null, at };
}

/** True for a lock of a dead owner, false for one released in this moment: then the numbers have to be read again. */
function isLeft(directory: RunDirectory, number: number, current: Holder, owner: Owner): boolean {
  const held = readHolder(directory, number);
  if (held === undefined) return false;
  if (isDead(held, current, owner)) return true;
  throw new CliError(
    'refused',
    `another process works on this run: ${held.pid} on ${held.host}, since ${held.at}`,
    {
      hint: `wait for its end; if there is no such process, remove ${lockName(number)} in ${directory.path}`,
    },
  );
}

/** Nothing if it was released in this moment. */
function readHolder(directory: RunDirectory, number: number): Holder | undefined {
  try {
    // Cast: a lock is complete from its first moment, and written only here.
    return JSON.parse(directory.readText(lockName(number))) as Holder;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** On another host nobody can tell, so its lock holds. */
function isDead(held: Holder, current: Holder, owner: Owner): boolean {
  if (held.host !== current.host) return false;
  if (held.boot !== null && current.boot !== null && held.boot !== current.boot) return true;
  if (held.pid === current.pid) return held.began !== current.began;
  return !owner.isAlive(held.pid);
}
