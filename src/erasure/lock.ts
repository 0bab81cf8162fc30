import { hostname } from 'node:os';
import { CliError, systemCode } from '../errors.ts';
import { type RunDirectory, readBootId, readPidNamespace } from './run-directory.ts';

/** The process that works on a run. `isAlive` tells of any process of this machine. */
export type Owner = { readonly pid: number; readonly isAlive: (pid: number) => boolean };

type Holder = {
  readonly pid: number;
  /** When that process began, by its own clock: in a container every process may have the same pid. */
  readonly began: number;
  readonly host: string;
  readonly boot: string | null;
  /** Of pids; absent in locks of older versions. */
  readonly namespace?: string | null;
  readonly at: string;
};

export type LockTools = {
  readonly owner: Owner;
  readonly now: () => number;
  readonly random: () => number;
  /** Takes a lock whose owner cannot be asked about from here, since somebody said that it is gone. */
  readonly takeOver?: boolean | undefined;
};

/** Where and when the lock was taken that a process here cannot judge. */
export type ForeignHolder = { readonly pid: number; readonly host: string; readonly since: string };

/**
 * Takes the lock of a run directory, or throws a `refused` error that names who holds it. Gives back the release.
 *
 * Locks are numbered, and the highest number counts. A lock of a dead owner is never removed: whoever takes over makes
 * the next number, which only one process can. So two that find the same dead owner cannot both win.
 */
export function takeLock(
  directory: RunDirectory,
  { owner, now, random, takeOver = false }: LockTools,
): () => void {
  const holder = describeHolder(owner, new Date(now()).toISOString());
  const temporary = `claim-${owner.pid}-${Math.floor(random() * 2 ** 32).toString(36)}`;
  for (let round = 0; round < mostRounds; round += 1) {
    const highest = findHighest(directory);
    if (highest > 0 && !isLeft(directory, highest, { current: holder, owner, takeOver })) continue;
    const name = lockName(highest + 1);
    if (directory.claim(name, JSON.stringify(holder), temporary)) return releaseOnce(directory, name);
  }
  throw isDamaged(directory, findHighest(directory));
}

/** Each round that fails means that another process took or released a lock just then. */
const mostRounds = 1000;

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
  if (held === 'damaged') return true;
  return held !== undefined && judge(held, current, owner) !== 'dead';
}

/** Who holds a run in a place that nothing here can tell of; nothing if its owner is known here, or gone. */
export function findForeignHolder(directory: RunDirectory, owner: Owner): ForeignHolder | undefined {
  const highest = findHighest(directory);
  const held = highest === 0 ? undefined : readHolder(directory, highest);
  if (held === undefined || held === 'damaged') return undefined;
  const { pid, host, at } = held;
  return judge(held, describeHolder(owner, ''), owner) === 'elsewhere' ? { pid, host, since: at } : undefined;
}

function lockName(number: number): string {
  return `lock-${number}`;
}

function findHighest(directory: RunDirectory): number {
  const numbers = directory.names().map((name) => Number(/^lock-([1-9]\d{0,8})$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

function describeHolder({ pid }: Owner, at: string): Holder {
  const boot = readBootId() ?? null;
  const namespace = readPidNamespace() ?? null;
  return { pid, began: performance.timeOrigin, host: hostname(), boot, namespace, at };
}

/** True for a lock of a dead owner, false for one released in this moment: then the numbers have to be read again. */
function isLeft(
  directory: RunDirectory,
  number: number,
  {
    current,
    owner,
    takeOver,
  }: { readonly current: Holder; readonly owner: Owner; readonly takeOver: boolean },
): boolean {
  const held = readHolder(directory, number);
  if (held === undefined) return false;
  if (held === 'damaged') throw isDamaged(directory, number);
  const state = judge(held, current, owner);
  if (state === 'dead' || (state === 'elsewhere' && takeOver)) return true;
  const hint =
    state === 'alive'
      ? 'wait for its end'
      : 'wait for its end; if it is gone, hogctl runs resume <run> --take-over goes on from here';
  throw new CliError(
    'refused',
    `another process works on this run: ${held.pid} on ${held.host}, since ${held.at}`,
    { hint },
  );
}

/** Nothing if it was released in this moment. */
function readHolder(directory: RunDirectory, number: number): Holder | 'damaged' | undefined {
  try {
    const holder: unknown = JSON.parse(directory.readText(lockName(number)));
    return isHolder(holder) ? holder : 'damaged';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    // A lock is complete from its first moment, but a disk may lose it later.
    if (error instanceof SyntaxError) return 'damaged';
    throw error;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false;
  // Cast: only to look whether the fields are there.
  const { pid, began, host, at } = value as Partial<Record<keyof Holder, unknown>>;
  const hasNumbers = typeof pid === 'number' && typeof began === 'number';
  return hasNumbers && typeof host === 'string' && typeof at === 'string';
}

function isDamaged({ path }: RunDirectory, number: number): CliError {
  return new CliError(
    'refused',
    `${lockName(number)} of this run cannot be read, so its owner is not known`,
    {
      hint: `if no process works on the run, remove ${lockName(number)} in ${path}`,
    },
  );
}

/** `elsewhere`: on another host, and among pids of another namespace, it cannot be told, so such a lock holds. */
function judge(held: Holder, current: Holder, owner: Owner): 'dead' | 'alive' | 'elsewhere' {
  if (held.host !== current.host) return 'elsewhere';
  const isElsewhere = held.namespace && current.namespace && held.namespace !== current.namespace;
  if (isElsewhere) return 'elsewhere';
  if (held.boot !== null && current.boot !== null && held.boot !== current.boot) return 'dead';
  const isAlive = held.pid === current.pid ? held.began === current.began : owner.isAlive(held.pid);
  return isAlive ? 'alive' : 'dead';
}
