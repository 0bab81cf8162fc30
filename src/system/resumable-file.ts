import { constants, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { CliError, usageError } from '../errors.ts';
import { type Lock, type Owner, tryLock } from './lock.ts';
import { systemReason } from './text.ts';
import { targetOf } from './write-whole.ts';

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
    return await openLocked(path, { bytes, lock });
  } catch (failure) {
    lock.release();
    throw failure;
  }
}

function lockOf(part: string, owner: Owner): Lock {
  const taken = tryOrRefuse(part, () => tryLock(part, owner));
  if ('release' in taken) return taken;
  const who = taken.heldBy === undefined ? 'another process' : `process ${taken.heldBy}`;
  throw usageError(
    `${part} is being written by ${who}`,
    'wait for it; a process that was killed is waited for five seconds',
  );
}

function tryOrRefuse<Result>(part: string, step: () => Result): Result {
  try {
    return step();
  } catch (cause) {
    throw usageError(`cannot write ${part}: ${systemReason(cause)}`);
  }
}

type Locked = { readonly bytes: number; readonly lock: Lock };

/** The name is hogctl's own, so a link of that name is not followed. */
const EXISTING = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

async function openLocked(path: string, { bytes, lock }: Locked): Promise<ResumableFile> {
  const part = `${path}.part`;
  const target = tryOrRefuse(path, () => targetOf(path));
  const file = await open(part, bytes === 0 ? EXISTING | constants.O_CREAT : EXISTING, 0o600).catch(
    (cause) => {
      throw usageError(`cannot write ${part}: ${systemReason(cause)}`);
    },
  );
  if ((await file.stat()).size < bytes) {
    await file.close();
    throw usageError(`${part} is shorter than it was`, 'start anew: remove it and the file of --resume');
  }
  await file.truncate(bytes);
  let length = bytes;
  const failed = (cause: unknown): never => {
    throw new CliError('unavailable', `cannot write ${part}: ${systemReason(cause)}`, {
      hint: 'the same command goes on from there',
      cause,
    });
  };
  const requireLock = () => {
    if (lock.isHeld()) return;
    throw new CliError('refused', `another process has taken over ${part}`, { hint: 'let it end' });
  };
  return {
    append: async (text) => {
      const chunk = typeof text === 'string' ? Buffer.from(text) : text;
      // A disk that is nearly full takes a part, and says what is wrong with the next.
      for (let written = 0; written < chunk.length; ) {
        const { bytesWritten } = await file
          .write(chunk, written, chunk.length - written, length + written)
          .catch(failed);
        written += bytesWritten;
      }
      length += chunk.length;
    },
    settle: async () => {
      requireLock();
      await file.sync().catch(failed);
      return length;
    },
    complete: async () => {
      requireLock();
      await file.sync().catch(failed);
      await file.close();
      try {
        renameSync(part, target);
      } catch (cause) {
        failed(cause);
      } finally {
        lock.release();
      }
    },
    close: async () => {
      try {
        await file.close();
      } finally {
        lock.release();
      }
    },
  };
}
