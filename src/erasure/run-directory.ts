import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname, uptime } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, systemCode } from '../errors.ts';
import { asObject, type Json } from '../json/kinds.ts';
import { makeDirectory, syncDirectory } from '../system/files.ts';
import type { Owner } from '../system/lock.ts';

/** A file that only grows. Each call is complete on the disk when it returns, or throws. */
export type GrowingFile = Readonly<ReturnType<typeof openToGrow>>;

/** The calls that a full or failing disk answers with an error; tests put failing ones in their place. */
export type Disk = {
  readonly write: (descriptor: number, bytes: Uint8Array) => number;
  readonly sync: (descriptor: number) => void;
  readonly truncate: (descriptor: number, size: number) => void;
};

export const realDisk: Disk = {
  write: (descriptor, bytes) => writeSync(descriptor, bytes),
  sync: fsyncSync,
  truncate: ftruncateSync,
};

/** The files of one directory, by name. Files are made readable for their owner only. */
export type RunDirectory = Readonly<ReturnType<typeof useRunDirectory>>;

/** Makes the directory (0700) with the ones above it. Throws the system's error, also if it exists and holds anything. */
export function createRunDirectory(path: string, disk: Disk = realDisk): RunDirectory {
  const whole = resolve(path);
  const highest = makeDirectory(whole) ?? whole;
  if (readdirSync(whole).length > 0)
    throw Object.assign(new Error(`${whole} is not empty`), { code: 'ENOTEMPTY' });
  chmodSync(whole, 0o700);
  for (let made = whole; made.length >= highest.length; made = dirname(made)) syncDirectory(dirname(made));
  return useRunDirectory(whole, disk);
}

export function useRunDirectory(path: string, disk: Disk = realDisk) {
  const at = (name: string) => join(path, name);
  return {
    path,
    names: (): readonly string[] => (existsSync(path) ? readdirSync(path) : []),
    has: (name: string) => existsSync(at(name)),
    sizeOf: (name: string) => statSync(at(name)).size,
    // One character per byte: the journal is ASCII, and a changed byte must not turn into a replacement character.
    readText: (name: string) =>
      reading(at(name), () => readFileSync(at(name), name === 'journal.ndjson' ? 'latin1' : 'utf8')),
    /** Makes a new file, which must not exist, and syncs it when it is finished. */
    create: (name: string) => createFile(at(name), disk),
    /** The same for a file whose text is there. */
    writeNew: (name: string, texts: readonly string[]) => writeNew(at(name), texts, disk),
    open: (name: string) => reading(at(name), () => openToRead(at(name))),
    grow: (name: string) => openToGrow(at(name), disk),
    /** Makes a file that is complete from its first moment; false if there is one of that name. */
    claim(name: string, text: string, temporary: string): boolean {
      try {
        writeNew(at(temporary), [text], disk);
        linkSync(at(temporary), at(name));
        return true;
      } catch (error) {
        if (systemCode(error) === 'EEXIST') return false;
        throw error;
      } finally {
        rmSync(at(temporary), { force: true });
      }
    },
    remove: (name: string) => rmSync(at(name), { force: true }),
    removeAll: () => rmSync(path, { recursive: true }),
    sync: () => syncDirectory(path),
  };
}

/** Names of the directories in a directory, hidden ones left out; none if it does not exist. */
export function listDirectories(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

function writeNew(path: string, texts: readonly string[], disk: Disk): void {
  const file = createFile(path, disk);
  try {
    for (const text of texts) file.add(text);
    file.finish();
  } finally {
    file.close();
  }
}

/** Characters that are gathered before they are written. */
const pieceSize = 1 << 16;

/** A file that is relied on once it is finished. */
function createFile(path: string, disk: Disk) {
  const descriptor = openSync(path, 'wx', 0o600);
  let waiting: string[] = [];
  let length = 0;
  const flush = () => {
    writeAll(descriptor, Buffer.from(waiting.join('')), disk);
    waiting = [];
    length = 0;
  };
  return {
    add(text: string) {
      waiting.push(text);
      length += text.length;
      if (length >= pieceSize) flush();
    },
    /** Writes what is left and syncs it. */
    finish() {
      flush();
      disk.sync(descriptor);
    },
    close: once(() => closeSync(descriptor)),
  };
}

/** The system may take less than it was given, and says why only at the next call. */
function writeAll(descriptor: number, bytes: Uint8Array, disk: Disk): void {
  let rest = bytes;
  while (rest.length > 0) {
    const written = disk.write(descriptor, rest);
    if (written === 0) throw Object.assign(new Error('Nothing more could be written'), { code: 'ENOSPC' });
    rest = rest.subarray(written);
  }
}

function openToGrow(path: string, disk: Disk) {
  const descriptor = openSync(path, 'a', 0o600);
  return {
    size: () => fstatSync(descriptor).size,
    append(text: string) {
      writeAll(descriptor, Buffer.from(text), disk);
      disk.sync(descriptor);
    },
    /** By a descriptor of its own: on Windows one that appends may not shorten a file. */
    truncate(size: number) {
      const shortened = openSync(path, 'r+');
      try {
        disk.truncate(shortened, size);
        disk.sync(shortened);
      } finally {
        closeSync(shortened);
      }
    },
    close: once(() => closeSync(descriptor)),
  };
}

/** A disk that fails, or another thing of that name, is no bug; the caller judges a file that is gone. */
function reading<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    const code = systemCode(cause);
    if (code === undefined || code === 'ENOENT') throw cause;
    throw new CliError('check', `${basename(path)} of this run cannot be read (${code})`, {
      hint: `nothing more is sent; look at ${path}, or bring it back from a copy`,
      cause,
    });
  }
}

function openToRead(path: string) {
  const descriptor = openSync(path, 'r');
  return {
    size: fstatSync(descriptor).size,
    /** Reads into new memory, or into `bytes`, which the next read may then change. */
    read(position: number, length: number, bytes = Buffer.allocUnsafe(length)) {
      const count = reading(path, () => readSync(descriptor, bytes, 0, length, position));
      return bytes.subarray(0, count);
    },
    close: once(() => closeSync(descriptor)),
  };
}

/** A second close could hit another file of that number, a second release the lock that another process has now. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

type Holder = {
  readonly pid: number;
  /** When that process began, by its own clock: in a container every process may have the same pid. */
  readonly began: number;
  readonly host: string;
  readonly boot: string | null;
  /** Seconds that the machine had been up: fewer later on mean another start. Absent in locks of older versions. */
  readonly uptime?: number;
  /** Of pids; absent in locks of older versions. */
  readonly namespace?: string | null;
  readonly at: string;
};

/** What a run needs of the program. */
export type RunTools = {
  readonly owner: Owner;
  readonly now: () => number;
  readonly random: () => number;
  readonly disk?: Disk | undefined;
  /** Takes a lock whose owner cannot be asked about from here, since somebody said that it is gone. */
  readonly takeOver?: boolean | undefined;
};

/** Where and when the lock was taken that a process here cannot judge. */
export type ForeignHolder = { readonly pid: number; readonly host: string; readonly since: string };

/**
 * Takes the lock of a run directory, or throws a `refused` error that names who holds it. Gives back the release.
 *
 * Locks are numbered, and the highest number counts. A lock of a dead owner is never removed: a process that takes over makes
 * the next number, which only one process can. So two that find the same dead owner cannot both win.
 */
export function takeLock(
  directory: RunDirectory,
  { owner, now, random, takeOver = false }: RunTools,
): () => void {
  const holder = describeHolder(owner, new Date(now()).toISOString());
  const temporary = `claim-${owner.pid}-${Math.floor(random() * 2 ** 32).toString(36)}`;
  for (let round = 0; round < mostRounds; round += 1) {
    const highest = findHighest(directory);
    if (highest > 0 && !isLeft(directory, highest, { owner, takeOver })) continue;
    const name = `lock-${highest + 1}`;
    if (directory.claim(name, JSON.stringify(holder), temporary)) return once(() => directory.remove(name));
  }
  throw isDamaged(directory, findHighest(directory));
}

/** Each round that fails means that another process took or released a lock just then. */
const mostRounds = 1000;

/** Whether a living process works on the run, as far as this machine can tell. */
export function isLocked(directory: RunDirectory, owner: Owner): boolean {
  const held = readHighest(directory);
  return held === 'damaged' || (held !== undefined && judge(held, owner) !== 'dead');
}

/** Who holds a run in a place that nothing here can tell of; nothing if its owner is known here, or gone. */
export function findForeignHolder(directory: RunDirectory, owner: Owner): ForeignHolder | undefined {
  const held = readHighest(directory);
  if (held === undefined || held === 'damaged') return undefined;
  const { pid, host, at } = held;
  return judge(held, owner) === 'elsewhere' ? { pid, host, since: at } : undefined;
}

function readHighest(directory: RunDirectory): Holder | 'damaged' | undefined {
  const highest = findHighest(directory);
  return highest === 0 ? undefined : readHolder(directory, highest);
}

function findHighest(directory: RunDirectory): number {
  const numbers = directory.names().map((name) => Number(/^lock-([1-9]\d{0,8})$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

function describeHolder({ pid }: Owner, at: string): Holder {
  // Differs after each start of the machine.
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  // Two containers may share host name and boot, but not the namespace of their pids.
  const namespace = tryRead(() => readlinkSync('/proc/self/ns/pid'));
  return { pid, began: performance.timeOrigin, host: hostname(), boot, uptime: uptime(), namespace, at };
}

/** Only Linux tells, and not in every container. */
function tryRead(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** True for a lock of a dead owner, false for one released in this moment: then the numbers have to be read again. */
function isLeft(
  directory: RunDirectory,
  number: number,
  { owner, takeOver }: Pick<RunTools, 'owner' | 'takeOver'>,
): boolean {
  const held = readHolder(directory, number);
  if (held === undefined) return false;
  if (held === 'damaged') throw isDamaged(directory, number);
  const state = judge(held, owner);
  if (state === 'dead' || (state === 'elsewhere' && takeOver)) return true;
  const elsewhere = '; if it is gone, hogctl runs resume <run> --take-over goes on from here';
  const message = `another process works on this run: ${held.pid} on ${held.host}, since ${held.at}`;
  throw new CliError('refused', message, { hint: `wait until it ends${state === 'alive' ? '' : elsewhere}` });
}

/** Nothing if it was released in this moment. */
function readHolder(directory: RunDirectory, number: number): Holder | 'damaged' | undefined {
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

function isDamaged({ path }: RunDirectory, number: number): CliError {
  const name = `lock-${number}`;
  const message = `${name} of this run cannot be read, so it does not tell which process works on the run`;
  return new CliError('refused', message, {
    hint: `if no process works on the run, remove ${name} in ${path}`,
  });
}

/** `elsewhere`: on another host, and among pids of another namespace, it cannot be told, so such a lock holds. */
function judge(held: Holder, owner: Owner): 'dead' | 'alive' | 'elsewhere' {
  const current = describeHolder(owner, '');
  if (held.host !== current.host) return 'elsewhere';
  const isElsewhere = held.namespace && current.namespace && held.namespace !== current.namespace;
  if (isElsewhere) return 'elsewhere';
  // Only Linux names its starts. Elsewhere a clock that is set may move the count by seconds.
  const isNamed = held.boot !== null && current.boot !== null;
  const isRestarted = isNamed ? held.boot !== current.boot : uptime() + 60 < (held.uptime ?? 0);
  if (isRestarted) return 'dead';
  const isAlive = held.pid === current.pid ? held.began === current.began : owner.isAlive(held.pid);
  return isAlive ? 'alive' : 'dead';
}
