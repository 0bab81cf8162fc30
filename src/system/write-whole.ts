import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, systemCode, Unwritten, usageError } from '../errors.ts';
import { makeDirectory, namesIn, statsOf, syncDirectory } from './files.ts';
import { type Lock, type Owner, tryLock } from './lock.ts';
import type { Printer } from './output.ts';
import type { System } from './system.ts';
import { systemReason } from './text.ts';

/** A file that appears under its name only when it is complete, with an older one untouched until then. */
export type WholeFile = {
  /** Writes every byte, or throws what the system says. */
  readonly write: (chunk: string | Uint8Array) => void;
  readonly finish: () => void;
  /** Leaves nothing behind. A file that is finished stays. */
  readonly abandon: () => void;
};

export type WholeOptions = {
  /** Makes the name of the unfinished file unique. */
  readonly mark: string;
  /** Of a new file; an older one keeps its own. What holds persons or keys is its owner's only. */
  readonly mode?: number;
  /** For a name that hogctl chose: an older file is not asked for its mode. */
  readonly isOwn?: true;
};

/**
 * Opens a file to be written whole. A link is followed, to a file that is not there yet too, since somebody named it.
 * Throws what the system says.
 */
export function openWhole(path: string, { mark, mode = 0o600, isOwn }: WholeOptions): WholeFile {
  const target = targetOf(path);
  const older = isOwn ? undefined : statSync(target, { throwIfNoEntry: false });
  const unfinished = join(dirname(target), `.${basename(target).slice(0, 80)}.${mark}.part`);
  // What it is opened with is cut by the umask, which is right for a new file and wrong for one that has its mode.
  const descriptor = openSync(unfinished, 'wx', older === undefined ? mode : 0o600);
  let state: 'open' | 'closed' = 'open';
  const close = () => {
    if (state === 'open') closeSync(descriptor);
    state = 'closed';
  };
  const abandon = () => {
    close();
    rmSync(unfinished, { force: true });
  };
  const orAbandon = <Result>(step: () => Result): Result => {
    try {
      return step();
    } catch (failure) {
      abandon();
      throw failure;
    }
  };
  if (older !== undefined) orAbandon(() => fchmodSync(descriptor, older.mode & 0o7777));
  return {
    write: (chunk) => orAbandon(() => void writeAll(descriptor, chunk)),
    finish: () =>
      orAbandon(() => {
        fsyncSync(descriptor);
        close();
        renameSync(unfinished, target);
        syncDirectory(dirname(target));
      }),
    abandon,
  };
}

/** Whether a file is there that people other than its owner may read, which it stays. */
export function isOpenToOthers(path: string, platform: string): boolean {
  const found = statsOf(path);
  return platform !== 'win32' && found?.isFile() === true && (found.mode & 0o044) !== 0;
}

/** Writes a small file whole. Throws what the system says. */
export function writeWhole(path: string, text: string, options: WholeOptions): void {
  const file = openWhole(path, options);
  file.write(text);
  file.finish();
}

/** The system may take less than it was given, and says why only at the next call. Returns how many bytes it were. */
function writeAll(descriptor: number, chunk: string | Uint8Array, position?: number): number {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  for (let at = 0; at < bytes.length; ) {
    const place = position === undefined ? undefined : position + at;
    const written = writeSync(descriptor, bytes, at, bytes.length - at, place);
    if (written === 0) throw Object.assign(new Error('Nothing more could be written'), { code: 'ENOSPC' });
    at += written;
  }
  return bytes.length;
}

/** Of links in a row, more lead in a circle. */
const MOST_LINKS = 40;

/** The file that a name leads to. */
export function targetOf(path: string): string {
  let target = resolve(path);
  for (let links = 0; links <= MOST_LINKS; links += 1) {
    if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
      return join(realpathSync(dirname(target)), basename(target));
    }
    target = resolve(dirname(target), readlinkSync(target));
  }
  throw Object.assign(new Error(`${path} links back to itself`), { code: 'ELOOP' });
}

/** An error of the system while a file is opened: nothing was written. */
function refused(path: string): (cause: unknown) => CliError {
  return (cause) => usageError(`cannot write ${path}: ${systemReason(cause)}`);
}

function failed(path: string, hint?: string): (cause: unknown) => CliError {
  return (cause) =>
    new Unwritten('unavailable', `cannot write ${path}: ${systemReason(cause)}`, { hint, cause });
}

function orThrow<Result>(toError: (cause: unknown) => Error, step: () => Result): Result {
  try {
    return step();
  } catch (cause) {
    throw toError(cause);
  }
}

/**
 * A printer into such a file. A pipe or a device has no complete state: it takes the bytes as they come. Throws a usage
 * error if the file cannot be made.
 */
export async function filePrinter(path: string, options: WholeOptions): Promise<Printer> {
  const found = orThrow(refused(path), () => statSync(path, { throwIfNoEntry: false }));
  if (found?.isDirectory()) throw usageError(`cannot write ${path}: it is a directory`);
  if (found?.isFIFO()) refuseUnread(path);
  if (found !== undefined && !found.isFile()) return devicePrinter(path);
  const file = orThrow(refused(path), () => openWhole(path, options));
  const broken = failed(path, 'no incomplete file was left there');
  return {
    write: async (chunk) => orThrow(broken, () => file.write(chunk)),
    finish: async () => orThrow(broken, file.finish),
    abandon: async () => file.abandon(),
  };
}

/** To open a pipe that nobody reads waits in a thread that no signal ends. */
function refuseUnread(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0)));
  } catch (cause) {
    if (systemCode(cause) !== 'ENXIO') throw refused(path)(cause);
    throw usageError(`cannot write ${path}: no program reads this pipe`, 'start the one that reads it first');
  }
}

async function devicePrinter(path: string): Promise<Printer> {
  const raise = (toError: (cause: unknown) => Error) => (cause: unknown) => {
    throw toError(cause);
  };
  const file = await open(path, 'w').catch(raise(refused(path)));
  const close = () => file.close();
  return {
    write: (chunk) => file.appendFile(chunk).catch(raise(failed(path))),
    finish: close,
    abandon: close,
  };
}

/** A word that no other process puts into a file name. */
export function markOf({ pid, random }: Pick<System, 'pid' | 'random'>): string {
  return `${pid}-${random().toString(36).slice(2, 10)}`;
}

/** A file that grows over several runs of the program, and takes its name when it is complete. */
export type ResumableFile = {
  append(text: string | Uint8Array): Promise<void>;
  /** Puts what was written on the disk, and returns the length so far, in bytes. */
  settle(): Promise<number>;
  /** Gives the file its name. */
  complete(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens `<path>.part` with its first so many bytes kept and the rest cut off, readable by its owner only. Throws a
 * usage error if they are not there any more, and if another process writes the file.
 */
export async function openResumable(
  path: string,
  { bytes, owner }: { readonly bytes: number; readonly owner: Owner },
): Promise<ResumableFile> {
  const lock = lockOf(`${path}.part`, owner);
  try {
    return openLocked(path, bytes, lock);
  } catch (failure) {
    lock.release();
    throw failure;
  }
}

function lockOf(part: string, owner: Owner): Lock {
  const taken = orThrow(refused(part), () => tryLock(`${part}.lock`, owner, { isBrief: true }));
  if ('release' in taken) return taken;
  const { holder } = taken.heldBy;
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  throw usageError(
    `${part} is being written by ${who}`,
    'wait until it has ended; if it was killed, wait five seconds',
  );
}

/** The name is hogctl's own, so a link of that name is not followed. */
const EXISTING = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

function openLocked(path: string, bytes: number, lock: Lock): ResumableFile {
  const part = `${path}.part`;
  const target = orThrow(refused(path), () => targetOf(path));
  const flags = bytes === 0 ? EXISTING | constants.O_CREAT : EXISTING;
  const descriptor = orThrow(refused(part), () => openSync(part, flags, 0o600));
  if (fstatSync(descriptor).size < bytes) {
    closeSync(descriptor);
    throw usageError(`${part} has become shorter`, 'remove it and the file of --resume to start over');
  }
  ftruncateSync(descriptor, bytes);
  let length = bytes;
  const broken = failed(part, 'run the same command again to continue');
  const settle = () => {
    if (!lock.isHeld())
      throw new CliError('refused', `another process has taken over ${part}`, {
        hint: 'wait until it has ended',
      });
    orThrow(broken, () => fsyncSync(descriptor));
    return length;
  };
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return {
    append: async (text) => {
      length += orThrow(broken, () => writeAll(descriptor, text, length));
    },
    settle: async () => settle(),
    complete: async () => {
      settle();
      close();
      try {
        orThrow(broken, () => renameSync(part, target));
      } finally {
        lock.release();
      }
    },
    close: async () => {
      close();
      lock.release();
    },
  };
}

/** More projects than anybody works with; a sandbox on a free port counts as one each time. */
const MOST_FILES = 40;

/** A directory of ours, and what the names of our files look like. Others may have put files there too. */
type CacheFiles = { readonly directory: string; readonly pattern: RegExp };

/** Writes a file whole, for its owner only; if there are too many, the oldest goes. Throws what the system says. */
export function writeCacheFile(
  { directory, pattern }: CacheFiles,
  { name, text, mark }: { readonly name: string; readonly text: string; readonly mark: string },
): void {
  makeDirectory(directory);
  if (!isOwnDirectory(directory))
    throw Object.assign(new Error(`${directory} is a link`), { code: 'ENOTDIR' });
  // It may have been there, made by somebody with another habit. This fails if it belongs to somebody else.
  chmodSync(directory, 0o700);
  const file = join(directory, name);
  // The name is hogctl's own, so a link of that name is replaced, not followed.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(file);
  writeWhole(file, text, { mark, isOwn: true });
  const paths = namesIn(directory).filter((one) => pattern.test(one));
  if (paths.length <= MOST_FILES) return;
  const byAge = paths.map((one) => {
    const path = join(directory, one);
    return { path, time: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  byAge.sort((left, right) => right.time - left.time);
  for (const { path } of byAge.slice(MOST_FILES)) rmSync(path, { force: true });
}

/** Whether it is there, and no link, which could lead to files of another program. */
function isOwnDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Removes one file; returns whether there was one, as a number. Throws what the system says. */
export function removeCacheFile({ directory }: CacheFiles, name: string): number {
  const file = join(directory, name);
  if (!isOwnDirectory(directory) || lstatSync(file, { throwIfNoEntry: false }) === undefined) return 0;
  rmSync(file, { force: true });
  return 1;
}

/** Removes the files of a cache, and their directory if nothing else is in it; returns how many there were. */
export function removeCacheFiles({ directory, pattern }: CacheFiles): number {
  if (!isOwnDirectory(directory)) return 0;
  const names = readdirSync(directory).filter((name) => pattern.test(name));
  for (const name of names) rmSync(join(directory, name), { force: true });
  if (readdirSync(directory).length === 0) rmdirSync(directory);
  return names.filter((name) => name.endsWith('.json')).length;
}
