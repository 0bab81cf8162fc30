import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { systemCode, usageError } from '../errors.ts';
import { cannotRead, LARGEST_TEXT, tooLarge } from './bounded-text.ts';
import { interruption } from './terminal.ts';
import { systemReason } from './text.ts';

/** A file name that means the same to a process in another directory. */
export function absolutePath(file: string): string {
  return resolve(file);
}

/**
 * The bytes of a file in chunks, to its end or until the signal. Throws what the signal asks for, and a usage error for a
 * file that cannot be read or that changes meanwhile: one that is being written may end within an id.
 */
export async function* readFileChunks(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let before: Stats;
  try {
    before = statSync(path);
    yield* addAbortSignal(signal, openStream(path, before));
  } catch (cause) {
    throw signal.aborted ? interruption(signal) : cannotRead(path, cause);
  }
  const after = statsOf(path);
  if (before.isFile() && (after?.size !== before.size || after.mtimeMs !== before.mtimeMs))
    throw usageError(`${path} changed while it was read`, 'run the command again once it is complete');
}

/** A thread that opens or reads a pipe without a writer cannot be stopped, and would keep the process. */
function openStream(path: string, found: Stats): Readable {
  if (!found.isFIFO()) return createReadStream(path);
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd: descriptor, readable: true, writable: false });
}

/** A whole small file at once. Throws a usage error for one that cannot be read. */
export function readWholeFile(path: string): string {
  try {
    return readRegular(path).toString('utf8');
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/**
 * The bytes of a file. A pipe would be waited for, and a device may have no end: neither is opened to be waited for. Of
 * a file that says that it is empty and is not, such as one of `/proc`, no more is read than of any other.
 */
function readRegular(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() && !found.isDirectory())
      throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTREG' });
    if (found.size > LARGEST_TEXT) throw tooLarge(path);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A file in a folder in which others may have put it. Throws a usage error for a link, which may lead anywhere. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw usageError(`${path} is a link, which is not followed`, 'put the file itself there');
}

/** The text of a file as it stands; undefined if there is none. Throws a usage error for one that cannot be read. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    const bytes = readRegular(file);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    if (cause instanceof TypeError) throw usageError(`${file} is not UTF-8`, 'save it as UTF-8');
    throw cannotRead(file, cause);
  }
}

/**
 * The names of the files in a directory, in order; undefined if it is not there. `recursive` adds those in folders below
 * it, as paths from it. Throws a usage error for no directory.
 */
export async function listFiles(
  directory: string,
  { recursive = false }: { readonly recursive?: boolean } = {},
): Promise<readonly string[] | undefined> {
  try {
    const entries = await readdir(directory, { withFileTypes: true, recursive });
    return entries
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
      .sort();
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cannotRead(directory, cause);
  }
}

/** Removes a file, if it is there. Throws a usage error if that is refused. */
export async function removeFile(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (cause) {
    throw usageError(`cannot remove ${file}: ${systemReason(cause)}`);
  }
}

/**
 * Makes a directory for its owner only, with those above it that are missing; returns the highest that was made. Throws
 * what the system says. Node's own way of doing so never returns from a file system that has no place for directories
 * and says that they are not there, as `/proc` does.
 */
export function makeDirectory(directory: string): string | undefined {
  const whole = resolve(directory);
  const missing: string[] = [];
  for (let path = whole; !isDirectory(path); path = dirname(path)) missing.push(path);
  const made = missing.reverse().filter((path) => {
    try {
      mkdirSync(path, { mode: 0o700 });
      return true;
    } catch (cause) {
      // Another process was faster.
      if (systemCode(cause) === 'EEXIST' && isDirectory(path)) return false;
      throw cause;
    }
  });
  return made[0];
}

/** Throws what the system says if something else stands there, or looking is not permitted. */
function isDirectory(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' });
}

/** A new name is safe only when its directory is. Windows has no such call, and some file systems have none. */
export function syncDirectory(path: string): void {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const code = systemCode(cause);
    if (code === undefined || !['EPERM', 'EISDIR', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(code)) throw cause;
  }
}

/** Why a path names no regular file; undefined if it does. It opens nothing, so that no pipe is waited for. */
export function regularFileFault(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? undefined : 'it is not a regular file';
  } catch (cause) {
    return systemReason(cause);
  }
}

/** Throws a usage error for a pipe, a device or a directory, which a library would wait for or not end to read. */
export function refuseIrregular(path: string): void {
  const found = statsOf(path);
  if (found !== undefined && !found.isFile())
    throw usageError(`${path} is not a regular file`, 'name a file, or one that is not there yet');
}

/** Adds to a file, which is made if it is not there. Throws a usage error for a pipe or a device, and as the system says. */
export function appendText(path: string, text: string): void {
  const fault = statSync(path, { throwIfNoEntry: false }) && regularFileFault(path);
  if (fault !== undefined) throw usageError(`cannot write ${path}: ${fault}`);
  try {
    appendFileSync(path, text, { mode: 0o600 });
  } catch (cause) {
    throw usageError(`cannot write ${path}: ${systemReason(cause)}`);
  }
}

/** Lets only its owner read a file that a library has made. */
export function makePrivate(path: string): void {
  chmodSync(path, 0o600);
}

/** A file of ours is far smaller, and Tab must not wait for one that is not. */
const LONGEST = 1_000_000;

/** The text of a small file, empty if it cannot be read. */
export function readSmallFile(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    // A pipe would be waited for.
    return !found?.isFile() || found.size > LONGEST ? '' : readFileSync(file, 'utf8');
  } catch {
    // Whatever cannot be read is not known: nothing of this is ever needed.
    return '';
  }
}

/** A new directory for its owner only, below the one for temporary files. */
export function makeTemporaryDirectory(prefix: string): string {
  return mkdtempSync(join(tmpdir(), prefix));
}

/** Writes a program that only its owner can run. */
export function writeProgram(path: string, text: string): void {
  writeFileSync(path, text, { flag: 'wx', mode: 0o700 });
}

/** Removes a temporary directory of ours with all that an editor left there. */
export function removeTemporaryDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

/** Removes an empty directory. */
export function removeDirectory(directory: string): void {
  rmdirSync(directory);
}

/** The names in a directory, none if it does not exist. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // As above.
    return [];
  }
}

/** Whether a regular file stands at a path. */
export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

/** Where a path leads, also one that is not all there yet. */
export function realPathOf(path: string): string {
  const whole = resolve(path);
  if (statsOf(whole) !== undefined) return realpathSync(whole);
  const parent = dirname(whole);
  return parent === whole
    ? whole
    : resolve(realPathOf(parent), whole.slice(parent.length).replace(/^[\\/]+/, ''));
}

/** What stands at a path; nothing if nothing does, or it cannot be looked at. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at cannot be used either, which is told when it is tried.
    return undefined;
  }
}
