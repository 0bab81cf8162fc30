import { createReadStream, readFileSync } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, usageError } from '../errors.ts';
import type { Printer } from './printer.ts';
import type { System } from './system.ts';
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

function cannotRead(path: string, cause: unknown): CliError {
  return new CliError('usage', `cannot read ${path}: ${systemReason(cause)}`, { cause });
}

/**
 * A printer into a file that appears under its name only when it is complete, with an older file untouched until then.
 * `mark` makes the name of the unfinished file unique. Throws a usage error if the file cannot be made.
 */
export async function filePrinter(
  path: string,
  { mark, mode }: { mark: string; mode?: number },
): Promise<Printer> {
  const found = await stat(path).catch(() => undefined);
  // A pipe or a device has no complete state: it takes the bytes as they come.
  if (found && !found.isFile()) return directPrinter(path, found.isDirectory());
  const target = found ? await realpath(path) : path;
  const unfinished = join(dirname(target), `.${basename(target)}.${mark}.part`);
  const permissions = mode ?? (found ? found.mode & 0o777 : 0o666);
  const file = await open(unfinished, 'wx', permissions).catch((cause) => {
    throw usageError(`cannot write ${path}: ${systemReason(cause)}`);
  });
  const abandon = async () => {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
  };
  const failed = async (cause: unknown) => {
    await abandon();
    throw new CliError('unavailable', `cannot write ${path}: ${systemReason(cause)}`, {
      hint: 'nothing was left under that name',
      cause,
    });
  };
  return {
    write: async (chunk) => {
      await file.appendFile(chunk).catch(failed);
    },
    finish: async () => {
      await file.sync().catch(failed);
      await file.close();
      await rename(unfinished, target).catch(failed);
    },
    abandon,
  };
}

async function directPrinter(path: string, isDirectory: boolean): Promise<Printer> {
  if (isDirectory) throw usageError(`cannot write ${path}: it is a directory`);
  const file = await open(path, 'w').catch((cause) => {
    throw usageError(`cannot write ${path}: ${systemReason(cause)}`);
  });
  return {
    write: async (chunk) => {
      await file.appendFile(chunk).catch((cause) => {
        throw new CliError('unavailable', `cannot write ${path}: ${systemReason(cause)}`, { cause });
      });
    },
    finish: () => file.close(),
    abandon: () => file.close(),
  };
}

/** A word that no other process puts into a file name. */
export function markOf({ pid, random }: System): string {
  return `${pid}-${random().toString(36).slice(2, 10)}`;
}
