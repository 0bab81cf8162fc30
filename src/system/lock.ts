import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname, uptime } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../errors.ts';

/** This process, and how to tell of others in its container or on its machine. */
export type Owner = {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** What tells a process from a later one of the same pid; undefined if the system does not tell. */
  readonly startOf?: ((pid: number) => string | undefined) | undefined;
};

/** What a lock says of its owner. What the system does not tell is null or absent. */
export type Holder = {
  readonly pid: number;
  /** When that process began, by its own clock: in a container every process may have the same pid. */
  readonly began: number;
  /** The same by the system's count: another process may come to have its pid. */
  readonly started?: string | null;
  readonly host: string;
  readonly boot: string | null;
  /** Seconds that the machine had been up: fewer later on mean another start. */
  readonly uptime?: number;
  /** Of pids: containers may share a host name. */
  readonly namespace?: string | null;
  /** When it took the lock (ISO), if it said so. */
  readonly at?: string | null;
};

export type LockRules = {
  /** For work of moments: an owner that stood still for five seconds has lost its lock, wherever it runs. */
  readonly isBrief?: boolean;
  /** When the lock is taken (ISO). */
  readonly at?: string;
  /** Whose lock does not count: nothing here can tell of that process, and somebody said that it is gone. */
  readonly takeOver?: Holder | undefined;
};

export type Lock = {
  /** False if this process stood still for so long that another one has taken over. */
  readonly isHeld: () => boolean;
  readonly release: () => void;
};

/** A lock that is there. `elsewhere`: on another host, or among pids of another namespace, so that nothing here can tell. */
export type FoundLock = {
  readonly path: string;
  readonly number: number;
  /** Nothing if it is damaged, or no lock of hogctl. */
  readonly holder: Holder | undefined;
  readonly state: 'left' | 'held' | 'elsewhere';
};

/** Milliseconds without a sign of its owner after which a brief lock counts as left. */
const STALE = 5_000;
const REFRESH = 1_000;
const MOST = 999_999;
/** Each round that fails means that another process took or released a lock just then. */
const MOST_ROUNDS = 1_000;

/**
 * Takes a lock, or says which one is in the way. Throws what the system says if there can be none.
 *
 * Locks are files `<prefix>-<number>`, and only created, complete from their first moment: of many that find the same one
 * left, one can make the next number. It looks for others after that, which may have looked before it, and steps back if
 * there is one at work. Then it removes those that were left, so that they count no more.
 */
export function tryLock(
  prefix: string,
  owner: Owner,
  rules: LockRules = {},
): Lock | { readonly heldBy: FoundLock } {
  const text = JSON.stringify({ ...describe(owner), at: rules.at ?? null });
  let blocking: FoundLock | undefined;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = findLocks(prefix, owner, rules);
    blocking = found.find(({ state }) => state !== 'left');
    if (blocking !== undefined) return { heldBy: blocking };
    const number = 1 + Math.max(0, ...found.map((lock) => lock.number));
    const path = `${prefix}-${number}`;
    if (!claim(path, text)) continue;
    const others = findLocks(prefix, owner, rules).filter((lock) => lock.number !== number);
    blocking = others.find(({ state }) => state !== 'left');
    const lock = blocking === undefined ? hold({ prefix, path, number, text }, rules) : undefined;
    if (lock !== undefined) {
      // What somebody else put there stays.
      for (const other of others) if (other.holder !== undefined) rmSync(other.path, { force: true });
      return lock;
    }
    rmSync(path, { force: true });
  }
  const path = `${prefix}-1`;
  return { heldBy: blocking ?? { path, number: 1, holder: undefined, state: 'held' } };
}

/** The locks that are there, in no order. */
export function findLocks(prefix: string, owner: Owner, rules: LockRules = {}): readonly FoundLock[] {
  const current = describe(owner);
  return numbersOf(prefix).flatMap((number): readonly FoundLock[] => {
    const path = `${prefix}-${number}`;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // Released in this moment.
    if (stats === undefined) return [];
    const holder = readHolder(path, stats);
    const isOver = holder !== undefined && isSameHolder(holder, rules.takeOver);
    const judged = holder === undefined ? 'held' : judge(holder, current, owner);
    const isStale = () => rules.isBrief === true && timeIn(dirname(prefix)) - stats.mtimeMs > STALE;
    const isLeft = judged === 'left' || (judged === 'elsewhere' && isOver) || isStale();
    return [{ path, number, holder, state: isLeft ? 'left' : judged }];
  });
}

function numbersOf(prefix: string): readonly number[] {
  const start = `${basename(prefix)}-`;
  return readdirSync(dirname(prefix)).flatMap((name) => {
    const number = name.startsWith(start) ? name.slice(start.length) : '';
    return /^[1-9]\d{0,5}$/.test(number) && Number(number) < MOST ? [Number(number)] : [];
  });
}

/** Nothing for what is no lock of hogctl, or a damaged one: a disk may lose what was complete. */
function readHolder(path: string, stats: Stats): Holder | undefined {
  if (!stats.isFile() || stats.size > 1000) return undefined;
  try {
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return toHolder(JSON.parse(readFileSync(descriptor, 'utf8')));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Gone, a link by now, not ours to read, or no JSON.
    return undefined;
  }
}

function toHolder(value: unknown): Holder | undefined {
  const { pid, began, host, boot } = Object(value);
  const isWhole = typeof pid === 'number' && typeof began === 'number' && typeof host === 'string';
  // Cast: the fields that tell whose lock it is are there, and what is left out is unknown.
  return isWhole && (boot === null || typeof boot === 'string') ? (value as Holder) : undefined;
}

function isSameHolder({ pid, host, at }: Holder, other: Holder | undefined): boolean {
  return other !== undefined && other.pid === pid && other.host === host && other.at === at;
}

function judge(held: Holder, current: Holder, owner: Owner): FoundLock['state'] {
  if (held.host !== current.host) return 'elsewhere';
  if (held.namespace && current.namespace && held.namespace !== current.namespace) return 'elsewhere';
  // Only Linux names its starts. Elsewhere a clock that is set may move the count by seconds.
  const isNamed = held.boot !== null && current.boot !== null;
  const isRestarted = isNamed ? held.boot !== current.boot : (current.uptime ?? 0) + 60 < (held.uptime ?? 0);
  if (isRestarted) return 'left';
  const isAlive = held.pid === current.pid ? held.began === current.began : isSameProcess(held, owner);
  return isAlive ? 'held' : 'left';
}

/** Whether the process is there, and not another one that has its pid by now. */
function isSameProcess({ pid, started }: Holder, owner: Owner): boolean {
  if (!owner.isAlive(pid)) return false;
  const current = started ? owner.startOf?.(pid) : undefined;
  return current === undefined || current === started;
}

/** False if there is one of that name. */
function claim(path: string, text: string): boolean {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkOrWrite(temporary, path, text);
    return true;
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return false;
    throw cause;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** A file system without links gets it under its name at once: another process may meet it empty, and takes it for held. */
function linkOrWrite(temporary: string, path: string, text: string): void {
  try {
    linkSync(temporary, path);
  } catch (cause) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(cause) ?? '')) throw cause;
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  }
}

type Claimed = {
  readonly prefix: string;
  readonly path: string;
  readonly number: number;
  readonly text: string;
};

/** Nothing if it is lost already. */
function hold({ prefix, path, number, text }: Claimed, { isBrief = false }: LockRules): Lock | undefined {
  const descriptor = isBrief ? openClaimed(path) : undefined;
  // Not by the device: Node on Windows may name it otherwise for a path than for an open file (libuv#4698).
  const ino = descriptor === undefined ? inodeOf(path) : fstatSync(descriptor).ino;
  if (ino === undefined || (isBrief && descriptor === undefined)) return undefined;
  // Written rather than dated, so that its time is of the clock of the file system.
  const refresh = () => descriptor !== undefined && writeSync(descriptor, text, 0);
  const timer = isBrief ? setInterval(refresh, REFRESH).unref() : undefined;
  const isThere = () => inodeOf(path) === ino;
  let isReleased = false;
  return {
    isHeld: () => isThere() && !numbersOf(prefix).some((other) => other > number),
    release: () => {
      if (isReleased) return;
      isReleased = true;
      clearInterval(timer);
      const isStill = isThere();
      // On Windows, the name of a file that is open outlives its removal.
      if (descriptor !== undefined) closeSync(descriptor);
      if (isStill) rmSync(path, { force: true });
    },
  };
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
}

/** Nothing if another process took it for left and removed it. */
function openClaimed(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
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

function describe({ pid, startOf }: Owner): Holder {
  // Differs after each start of the machine.
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  // Two containers may share host name and boot, but not the namespace of their pids.
  const namespace = tryRead(() => readlinkSync('/proc/self/ns/pid'));
  const started = startOf?.(pid) ?? null;
  return { pid, began: performance.timeOrigin, started, host: hostname(), boot, uptime: uptime(), namespace };
}

/** Only Linux tells, and not in every container. */
function tryRead(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
