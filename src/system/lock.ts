import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../errors.ts';

/** This process, and how to tell of others in its container or on its machine. */
export type Owner = {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** What tells a process from a later one of the same pid; undefined if the system does not tell. */
  readonly startOf?: ((pid: number) => string | undefined) | undefined;
};

export type Lock = {
  /** False if this process stood still for so long that another one has taken over. */
  readonly isHeld: () => boolean;
  readonly release: () => void;
};

/** Who holds the lock, if it says so. */
export type Held = { readonly heldBy: number | undefined };

/** Milliseconds after which a lock that was not refreshed counts as left, whichever process held it. */
const STALE = 5_000;
const REFRESH = 1_000;
const MOST = 999_999;

/**
 * Takes the lock of a file, or says who has it. Throws what the system says if there can be none.
 *
 * Locks are files beside it, `<path>.lock-<number>`, and only created, never written over. A lock that was left is not
 * removed to be made anew, which two could do to each other: the next number is created. The process that created one looks for
 * others after that, and steps back if there is one at work.
 */
export function tryLock(path: string, owner: Owner): Lock | Held {
  const directory = dirname(path);
  const found = findLocks(path);
  const working = found.find((lock) => !isLeft(lock, directory, owner));
  if (working !== undefined) return { heldBy: working.pid };
  const number = 1 + Math.max(0, ...found.map((lock) => lock.number));
  const claimed = claim(`${path}.lock-${number}`, owner);
  if (claimed === undefined) return { heldBy: undefined };
  const others = findLocks(path).filter((lock) => lock.number !== number);
  const other = others.find((lock) => !isLeft(lock, directory, owner));
  if (other !== undefined) {
    claimed.release();
    return { heldBy: other.pid };
  }
  return {
    isHeld: () => claimed.isThere() && !findLocks(path).some((lock) => lock.number > number),
    release: () => {
      for (const left of others) if (left.isOurs && claimed.isThere()) rmSync(left.path, { force: true });
      claimed.release();
    },
  };
}

type Claimed = { readonly isThere: () => boolean; readonly release: () => void };

function claim(path: string, { pid }: Owner): Claimed | undefined {
  const text = `hogctl ${pid} ${namespaceId()} ${hostname()}\n`;
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return undefined;
    throw cause;
  }
  const refresh = () => writeSync(descriptor, text, 0);
  try {
    refresh();
  } catch (cause) {
    closeSync(descriptor);
    rmSync(path, { force: true });
    throw cause;
  }
  // Written rather than dated, so that its time is of the clock of the file system.
  const timer = setInterval(refresh, REFRESH).unref();
  // Not by the device: Node on Windows may name it otherwise for a path than for an open file (libuv#4698).
  const { ino } = fstatSync(descriptor);
  const isThere = () => lstatSync(path, { throwIfNoEntry: false })?.ino === ino;
  let isReleased = false;
  return {
    isThere,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      clearInterval(timer);
      const isStill = isThere();
      // On Windows, the name of a file that is open outlives its removal.
      closeSync(descriptor);
      if (isStill) rmSync(path, { force: true });
    },
  };
}

type Found = {
  readonly path: string;
  readonly number: number;
  readonly changed: number;
  /** Whether hogctl wrote it: what somebody else put there is never removed. */
  readonly isOurs: boolean;
  readonly pid: number | undefined;
  /** Of the pid, which means nothing in another one. */
  readonly namespace: string | undefined;
};

function findLocks(path: string): readonly Found[] {
  const directory = dirname(path);
  const start = `${basename(path)}.lock-`;
  return readdirSync(directory).flatMap((name): readonly Found[] => {
    const number = name.startsWith(start) ? name.slice(start.length) : '';
    if (!/^[1-9]\d{0,5}$/.test(number) || Number(number) >= MOST) return [];
    const found = readLock(join(directory, name));
    return found === undefined ? [] : [{ ...found, number: Number(number) }];
  });
}

/** Nothing if it was released in this moment. */
function readLock(path: string): Omit<Found, 'number'> | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const text = textOf(path, stats);
  const [, pid, namespace, host] = /^hogctl (\d+) (\S+) (.+)\n$/.exec(text ?? '') ?? [];
  return {
    path,
    changed: stats.mtimeMs,
    isOurs: text === '' || pid !== undefined,
    pid: pid === undefined ? undefined : Number(pid),
    namespace: pid === undefined ? undefined : `${namespace} ${host}`,
  };
}

/** Undefined for what is no small file: it is not opened. */
function textOf(path: string, stats: Stats): string | undefined {
  if (!stats.isFile() || stats.size > 1000) return undefined;
  try {
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Gone, a link by now, or not ours to read: then only its time says whether it is in use.
    return undefined;
  }
}

function isLeft(lock: Found, directory: string, { isAlive }: Owner): boolean {
  const isNeighbour = lock.namespace === `${namespaceId()} ${hostname()}`;
  if (isNeighbour && lock.pid !== undefined && !isAlive(lock.pid)) return true;
  return timeIn(directory) - lock.changed > STALE;
}

/** What the file system takes for the present: another computer's clock may say something else. */
function timeIn(directory: string): number {
  const probe = join(directory, `.hogctl-time-${randomUUID()}`);
  const descriptor = openSync(probe, 'wx', 0o600);
  try {
    return fstatSync(descriptor).mtimeMs;
  } finally {
    closeSync(descriptor);
    rmSync(probe, { force: true });
  }
}

/** Containers may share a host name, and each has pids of its own. */
function namespaceId(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux has namespaces.
    return 'none';
  }
}
