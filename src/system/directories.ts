import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { CliError, systemCode, usageError } from '../errors.ts';
import { systemReason } from './system-reason.ts';

/** The names of the files in a directory, in order; undefined where it is not there. Throws a usage error for no directory. */
export async function listFiles(directory: string): Promise<readonly string[] | undefined> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .sort();
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw new CliError('usage', `cannot read ${directory}: ${systemReason(cause)}`, { cause });
  }
}

/** Makes a directory and those above it, where they are missing. `mode` holds for those that are made. */
export async function makeDirectory(directory: string, { mode = 0o777 } = {}): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode });
  } catch (cause) {
    throw usageError(`cannot make the directory ${directory}: ${systemReason(cause)}`);
  }
}

/** The text of a file as it stands; undefined where there is none. Throws a usage error for one that cannot be read. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    if (cause instanceof TypeError) throw usageError(`${file} is not UTF-8`, 'save it as UTF-8');
    throw usageError(`cannot read ${file}: ${systemReason(cause)}`);
  }
}

/** Removes a file, if it is there. Throws a usage error where that is refused. */
export async function removeFile(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (cause) {
    throw usageError(`cannot remove ${file}: ${systemReason(cause)}`);
  }
}
