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
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, systemCode } from '../errors.ts';
import { makeDirectory } from '../system/files.ts';
import { syncDirectory } from '../system/write-whole.ts';

/** A file that only grows. Each call is complete on the disk when it returns, or throws. */
export type GrowingFile = {
  readonly size: () => number;
  readonly append: (text: string) => void;
  readonly truncate: (size: number) => void;
  readonly close: () => void;
};

/** A file that nobody relies on until it is finished. */
export type NewFile = {
  readonly add: (text: string) => void;
  /** Writes what is left and syncs it. */
  readonly finish: () => void;
  /** Closes it, finished or not; may be called again. */
  readonly close: () => void;
};

export type ReadableFile = {
  readonly size: number;
  /** Reads into new memory, or into `piece`, which the next read may then change. */
  readonly read: (position: number, length: number, piece?: Buffer) => Buffer;
  readonly close: () => void;
};

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
    names: (): readonly string[] => readdirSync(path),
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

/** Where the pids of this process mean something: two containers may share host name and boot, but not this. */
export function readPidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux tells, and not in every sandbox.
    return undefined;
  }
}

/** Differs after each start of the machine, where the system tells. */
export function readBootId(): string | undefined {
  const path = '/proc/sys/kernel/random/boot_id';
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
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

function createFile(path: string, disk: Disk): NewFile {
  const descriptor = openSync(path, 'wx', 0o600);
  let waiting: string[] = [];
  let length = 0;
  const flush = () => {
    writeAll(descriptor, Buffer.from(waiting.join('')), disk);
    waiting = [];
    length = 0;
  };
  return {
    add(text) {
      waiting.push(text);
      length += text.length;
      if (length >= pieceSize) flush();
    },
    finish() {
      flush();
      disk.sync(descriptor);
    },
    close: closeOnce(descriptor),
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

function openToGrow(path: string, disk: Disk): GrowingFile {
  const descriptor = openSync(path, 'a', 0o600);
  return {
    size: () => fstatSync(descriptor).size,
    append(text) {
      writeAll(descriptor, Buffer.from(text), disk);
      disk.sync(descriptor);
    },
    truncate(size) {
      disk.truncate(descriptor, size);
      disk.sync(descriptor);
    },
    close: closeOnce(descriptor),
  };
}

/** A disk that fails, or another thing of that name, is no bug; a file that is gone is for whoever asked for it. */
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

function openToRead(path: string): ReadableFile {
  const descriptor = openSync(path, 'r');
  return {
    size: fstatSync(descriptor).size,
    read(position, length, bytes = Buffer.allocUnsafe(length)) {
      const count = reading(path, () => readSync(descriptor, bytes, 0, length, position));
      return bytes.subarray(0, count);
    },
    close: closeOnce(descriptor),
  };
}

/** The system gives the number of a closed file to the next one, which a second close would hit. */
function closeOnce(descriptor: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
}
