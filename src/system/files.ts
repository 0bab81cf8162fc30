import { createReadStream, mkdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CliError, systemCode, usageError } from '../errors.ts';
import { systemReason } from './system-reason.ts';

/** A file name that means the same to a process in another directory. */
export function absolutePath(file: string): string {
  return resolve(file);
}

/** The bytes of a file in chunks. Throws a usage error for a file that cannot be read. */
export async function* readFileChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/** A whole small file, such as a certificate, at once. Throws a usage error for one that cannot be read. */
export function readWholeFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

/** The text of a file as it stands; undefined if there is none. Throws a usage error for one that cannot be read. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    if (cause instanceof TypeError) throw usageError(`${file} is not UTF-8`, 'save it as UTF-8');
    throw cannotRead(file, cause);
  }
}

/** The names of the files in a directory, in order; undefined if it is not there. Throws a usage error for no directory. */
export async function listFiles(directory: string): Promise<readonly string[] | undefined> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ name }) => name)
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

/** Throws what the system says if something else stands there, or nobody may look. */
function isDirectory(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  throw Object.assign(new Error(`${path} is no directory`), { code: 'ENOTDIR' });
}

function cannotRead(path: string, cause: unknown): CliError {
  return new CliError('usage', `cannot read ${path}: ${systemReason(cause)}`, { cause });
}
