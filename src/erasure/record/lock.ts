import { CliError, systemCode } from '../../errors.ts';
import { asObject, type Json } from '../../json/kinds.ts';
import type { Owner } from '../../system/lock.ts';

export type Holder = {
  readonly pid: number;
  /** When that process began, by its own clock: in a container every process may have the same pid. */
  readonly began: number;
  /** The same by the system's count: another process may come to have its pid. Null or absent if it does not tell. */
  readonly started?: string | null;
  readonly host: string;
  readonly boot: string | null;
  /** Seconds that the machine had been up: fewer later on mean another start. Absent in locks of older versions. */
  readonly uptime?: number;
  /** Of pids; absent in locks of older versions. */
  readonly namespace?: string | null;
  readonly at: string;
};

/** Where and when a lock was taken that a process here cannot judge. */
export type ForeignHolder = { readonly pid: number; readonly host: string; readonly since: string };

/** The files of a run, as far as its locks need them. */
type LockFiles = { readonly path: string; readonly readText: (name: string) => string };

/** By what a holder is judged: this process, what tells of others, and who elsewhere is said to be gone. */
type Judging = {
  readonly current: Holder;
  readonly owner: Owner;
  readonly takeOver?: ForeignHolder | undefined;
};

/** True for a lock of a dead owner, false for one released in this moment: then the numbers have to be read again. */
export function isLeft(directory: LockFiles, number: number, judging: Judging): boolean {
  const held = readHolder(directory, number);
  if (held === undefined) return false;
  if (held === 'damaged') throw isDamaged(directory, number);
  if (isOver(held, judging)) return true;
  const elsewhere = '; if it is gone, add --take-over to hogctl runs resume or runs verify';
  const reused = `; if process ${held.pid} is another program by now, remove lock-${number} in ${directory.path}`;
  const here = held.started ? '' : reused;
  const message = `another process works on this run: ${held.pid} on ${held.host}, since ${held.at}`;
  throw new CliError('refused', message, {
    hint: `wait until it ends${judge(held, judging) === 'alive' ? here : elsewhere}`,
  });
}

/** Whether its owner has ended. Of those elsewhere only the one that is said to be gone: another may have taken over. */
function isOver(held: Holder, { takeOver, ...judging }: Judging): boolean {
  const state = judge(held, judging);
  const { pid, host, at } = held;
  const isGone = takeOver?.pid === pid && takeOver.host === host && takeOver.since === at;
  return state === 'dead' || (state === 'elsewhere' && isGone);
}

/** The same without an error: whether a process works on the run under that lock, or may. */
export function isHeld(directory: LockFiles, number: number, judging: Judging): boolean {
  const held = readHolder(directory, number);
  return held === 'damaged' || (held !== undefined && !isOver(held, judging));
}

/** Nothing if it was released in this moment. */
export function readHolder(directory: LockFiles, number: number): Holder | 'damaged' | undefined {
  try {
    const holder: Json = JSON.parse(directory.readText(`lock-${number}`));
    const { pid, began, host, at } = asObject(holder) ?? {};
    const hasNumbers = typeof pid === 'number' && typeof began === 'number';
    // Cast: the fields that every version writes are there.
    return hasNumbers && typeof host === 'string' && typeof at === 'string' ? (holder as Holder) : 'damaged';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    // A lock is complete from its first moment, but a disk may lose it later.
    if (error instanceof SyntaxError) return 'damaged';
    throw error;
  }
}

export function isDamaged({ path }: LockFiles, number: number): CliError {
  const name = `lock-${number}`;
  const message = `${name} of this run cannot be read, so it does not tell which process works on the run`;
  return new CliError('refused', message, {
    hint: `if no process works on the run, remove ${name} in ${path}`,
  });
}

/** `elsewhere`: on another host, and among pids of another namespace, it cannot be told, so such a lock holds. */
export function judge(held: Holder, { current, owner }: Judging): 'dead' | 'alive' | 'elsewhere' {
  if (held.host !== current.host) return 'elsewhere';
  const isElsewhere = held.namespace && current.namespace && held.namespace !== current.namespace;
  if (isElsewhere) return 'elsewhere';
  // Only Linux names its starts. Elsewhere a clock that is set may move the count by seconds.
  const isNamed = held.boot !== null && current.boot !== null;
  const isRestarted = isNamed ? held.boot !== current.boot : (current.uptime ?? 0) + 60 < (held.uptime ?? 0);
  if (isRestarted) return 'dead';
  const isAlive = held.pid === current.pid ? held.began === current.began : isSame(held, owner);
  return isAlive ? 'alive' : 'dead';
}

/** Whether the process is there, and not another one that has its pid by now. */
function isSame({ pid, started }: Holder, owner: Owner): boolean {
  if (!owner.isAlive(pid)) return false;
  const current = started ? owner.startOf?.(pid) : undefined;
  return current === undefined || current === started;
}
