import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Records } from '../../cli/context/records.ts';
import { CliError, systemCode, usageError } from '../../errors.ts';
import { cannotRead } from '../../system/bounded-text.ts';
import { makeDirectory, syncDirectory } from '../../system/files.ts';
import { type FoundLock, findLocks, type Holder, type Owner, tryLock } from '../../system/lock.ts';
import { findDistrustAt, openOwnFile } from '../../system/own-files.ts';
import { quoteForShell } from '../../system/text.ts';

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
export function createRunDirectory(path: string, tools: DirectoryTools = {}): RunDirectory {
  const whole = resolve(path);
  const highest = makeDirectory(whole) ?? whole;
  if (readdirSync(whole).length > 0)
    throw Object.assign(new Error(`${whole} is not empty`), { code: 'ENOTEMPTY' });
  chmodSync(whole, 0o700);
  for (let made = whole; made.length >= highest.length; made = dirname(made)) syncDirectory(dirname(made));
  return useRunDirectory(whole, tools);
}

/** `uid`: the user to whom what is read must belong; undefined if the platform tells none. */
export type DirectoryTools = { readonly disk?: Disk | undefined; readonly uid?: number | undefined };

export function useRunDirectory(path: string, { disk = realDisk, uid }: DirectoryTools = {}) {
  const at = (name: string) => join(path, name);
  return {
    path,
    names: (): readonly string[] => (existsSync(path) ? readdirSync(path) : []),
    has: (name: string) => existsSync(at(name)),
    sizeOf: (name: string) => statSync(at(name)).size,
    // One character per byte: the journal is ASCII, and a changed byte must not turn into a replacement character.
    readText(name: string) {
      const file = openToRead(at(name), uid, LONGEST);
      try {
        return file.read(0, file.size).toString(name === 'journal.ndjson' ? 'latin1' : 'utf8');
      } finally {
        file.close();
      }
    },
    /** Makes a new file, which must not exist, and syncs it when it is finished. */
    create: (name: string) => createFile(at(name), disk),
    /** The same for a file whose text is there. */
    writeNew: (name: string, texts: readonly string[]) => writeNew(at(name), texts, disk),
    open: (name: string) => openToRead(at(name), uid),
    grow: (name: string) => openToGrow(at(name), disk),
    remove: (name: string) => rmSync(at(name), { force: true }),
    removeAll: () => rmSync(path, { recursive: true }),
    sync: () => syncDirectory(path),
    /** Throws a usage error if another user could have filled it. */
    refuseForeign: () => refuseForeign(path, uid),
  };
}

/** A record of somebody else would have their people deleted, with the key of whoever carries it out. */
function refuseForeign(path: string, uid: number | undefined): void {
  const distrust = findDistrustAt(path, uid);
  if (distrust === undefined) return;
  const name = quoteForShell(path);
  throw usageError(
    `${path} ${distrust.reason}, so the record in it is not trusted`,
    distrust.canMend
      ? `check what it holds, then run chmod -R go-w ${name}`
      : `if it is a copy of yours, run chown -R "$(id -u)" ${name} and chmod -R go-w ${name}`,
  );
}

/**
 * Names of the directories in a directory, hidden ones left out; none if it does not exist. Throws a usage error for one
 * that cannot be read, and for a file in its place.
 */
export function listDirectories(path: string): readonly string[] {
  return namesIn(path, undefined, (entry) => entry.isDirectory());
}

/** The same of what may be a run: one that was moved may have a link in its place. */
export function listRuns(path: string, uid: number | undefined): readonly string[] {
  return namesIn(path, uid, (entry) => entry.isDirectory() || entry.isSymbolicLink());
}

function namesIn(
  path: string,
  uid: number | undefined,
  isMeant: (entry: Dirent) => boolean,
): readonly string[] {
  if (!existsSync(path)) return [];
  refuseForeign(path, uid);
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => isMeant(entry) && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort();
  } catch (cause) {
    throw cannotRead(path, cause);
  }
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

const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** A file that is there. */
function openToGrow(path: string, disk: Disk) {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | NO_LINK);
  return {
    size: () => fstatSync(descriptor).size,
    append(text: string) {
      writeAll(descriptor, Buffer.from(text), disk);
      disk.sync(descriptor);
    },
    /** By a descriptor of its own: on Windows one that appends may not shorten a file. */
    truncate(size: number) {
      const shortened = openSync(path, constants.O_RDWR | NO_LINK);
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
    throw isUnreadable(path, code === 'ELOOP' ? 'is a link' : `cannot be read (${code})`, cause);
  }
}

function isUnreadable(path: string, why: string, cause?: unknown): CliError {
  return new CliError('check', `${basename(path)} of this run ${why}`, {
    hint: `nothing more is sent; look at ${path}, or bring it back from a copy`,
    cause,
  });
}

/** Bytes of a text: the journal of 100,000 calls has some 100 MB. */
const LONGEST = 500_000_000;

function openToRead(path: string, uid: number | undefined, most = Number.POSITIVE_INFINITY) {
  const opened = reading(path, () => openOwnFile(path, { uid, most }));
  if ('unfit' in opened) throw isUnreadable(path, opened.unfit);
  const { descriptor, size } = opened;
  return {
    size,
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

/** What a run needs of the program. */
export type RunTools = {
  /** `author`: who does it, for the journal. */
  readonly records: Pick<Records, 'owner' | 'key'> & Partial<Pick<Records, 'author'>>;
  readonly now: () => number;
  readonly random: () => number;
  readonly disk?: Disk | undefined;
  /** Whose lock does not count: nothing here can tell of that process, and somebody said that it is gone. */
  readonly takeOver?: Holder | undefined;
};

type Locking = Pick<RunTools, 'now' | 'takeOver'> & { readonly records: Pick<Records, 'owner'> };

/** Takes the lock of a run directory, or throws a `refused` error that names who holds it. Gives back the release. */
export function takeLock(
  directory: RunDirectory,
  { records: { owner }, now, takeOver }: Locking,
): () => void {
  const at = new Date(now()).toISOString();
  const lock = tryLock(join(directory.path, 'lock'), owner, { at, takeOver });
  if ('release' in lock) return lock.release;
  const { path, holder, state } = lock.heldBy;
  if (holder === undefined) {
    const what = `${basename(path)} of this run cannot be read, so it does not tell which process works on the run`;
    throw new CliError('refused', what, {
      hint: `if no process works on the run, remove ${basename(path)} in ${directory.path}`,
    });
  }
  const { pid, host, started } = holder;
  const reused = `; if process ${pid} is now another program, remove ${basename(path)} in ${directory.path}`;
  const here = started ? '' : reused;
  const elsewhere = '; if it is gone, add --take-over to hogctl runs resume or runs verify';
  throw new CliError('refused', `another process works on this run: ${pid} on ${host}, since ${holder.at}`, {
    hint: `wait until it ends${state === 'held' ? here : elsewhere}`,
  });
}

/** Whether a living process works on the run, as far as this machine can tell. */
export function isLocked({ path }: RunDirectory, owner: Owner): boolean {
  return locksIn(path, owner).some(({ state }) => state !== 'left');
}

/** Who holds a run in a place that nothing here can tell of; nothing if its owner is known here, or gone. */
export function findForeignHolder({ path }: RunDirectory, owner: Owner): Holder | undefined {
  return locksIn(path, owner).find(({ state }) => state === 'elsewhere')?.holder;
}

function locksIn(path: string, owner: Owner): readonly FoundLock[] {
  return existsSync(path) ? findLocks(join(path, 'lock'), owner) : [];
}

/** Tries whether a run could be written down. Throws the usage error that `createRun` would throw. */
export function checkPlace({ stateDirectory }: RunPlace, tools: RunTools): void {
  const parent = runsDirectory(stateDirectory);
  try {
    const name = `.trial-${tools.records.owner.pid}-${createRunId(tools)}`;
    const directory = createRunDirectory(join(parent, name), { disk: tools.disk });
    directory.writeNew('trial', ['x']);
    directory.removeAll();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw notWritable(parent, error);
  }
}

/** Sorts by time: `20261128T120000Z-k3x9f2`. */
export function createRunId({ now, random }: Pick<RunTools, 'now' | 'random'>): string {
  const time = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, '');
  const suffix = Math.floor(random() * 36 ** 6).toString(36);
  return `${time}-${suffix.padStart(6, '0')}`;
}

export function notWritable(path: string, cause: unknown): CliError {
  return new CliError('usage', `the run cannot be written to ${path} (${systemCode(cause)})`, {
    hint: 'nothing was sent; set HOGCTL_STATE_DIR to a directory of your own',
    cause,
  });
}

/** The user's state directory: each run gets a directory of its own under `runs` in it. */
export type RunPlace = { readonly stateDirectory: string };

/** Where the runs of a state directory stand. */
export function runsDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'runs');
}

/** Whether a text is the path of a directory that holds a run. */
export function isRunDirectory(path: string): boolean {
  return path !== '' && useRunDirectory(path).has('plan.json');
}

/** Whether a run is named by its directory. A bare name is a run of the state directory, whatever else bears it. */
export function isPath(name: string): boolean {
  return name === '.' || /[/\\]/.test(name);
}

export function isSameDirectory(one: string, other: string): boolean {
  return realpathSync(one) === realpathSync(other);
}
