import { open, rename } from 'node:fs/promises';
import { CliError, usageError } from '../errors.ts';
import { type Holder, holdFile } from './hold-file.ts';
import { systemReason } from './system-reason.ts';

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
 * usage error where they are not there any more, and where another process writes the file.
 */
export async function openResumable(
  path: string,
  { bytes, holder }: { readonly bytes: number; readonly holder: Holder },
): Promise<ResumableFile> {
  const part = `${path}.part`;
  const release = await holdFile(part, holder);
  try {
    return await openHeld(path, { part, bytes, release });
  } catch (failure) {
    await release();
    throw failure;
  }
}

type Held = { readonly part: string; readonly bytes: number; readonly release: () => Promise<void> };

async function openHeld(path: string, { part, bytes, release }: Held): Promise<ResumableFile> {
  const file = await open(part, bytes === 0 ? 'w' : 'r+', 0o600).catch((cause) => {
    throw usageError(`cannot write ${part}: ${systemReason(cause)}`);
  });
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
      await file.sync().catch(failed);
      return length;
    },
    complete: async () => {
      await file.close();
      await rename(part, path);
      await release();
    },
    close: async () => {
      await file.close();
      await release();
    },
  };
}
