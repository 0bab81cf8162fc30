import { mkdir, readdir } from 'node:fs/promises';
import { CliError, usageError } from '../../errors.ts';
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
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
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
