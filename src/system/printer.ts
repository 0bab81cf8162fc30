import { CliError } from '../errors.ts';
import type { DataStream } from './system.ts';
import { systemReason } from './system-reason.ts';

/** Where data goes: stdout, or the file of `--save`. */
export type Printer = {
  /** Resolves when the reader can take more. Throws `ClosedPipe` when the reader has gone. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Waits until everything has left the process, or makes the file complete. */
  finish(): Promise<void>;
  /** Leaves nothing half written behind. */
  abandon(): Promise<void>;
};

/** The reader of stdout has gone, as `head` does. For a read that is a success. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** A printer on a stream. A slow reader is waited for; one that goes away ends the command. */
export function streamPrinter(stream: DataStream): Printer {
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= isClosed(error)
      ? new ClosedPipe('the reader of standard output has gone')
      : cannotWrite(error);
    return failure;
  };
  stream.on('error', fail);
  const written = async (chunk: string | Uint8Array) => {
    if (failure) throw failure;
    const error = await new Promise<Error | null | undefined>((resolve) => stream.write(chunk, resolve));
    if (error) throw fail(error);
  };
  return { write: written, finish: () => written(''), abandon: async () => {} };
}

function isClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'ECONNRESET';
}

function cannotWrite(cause: Error): CliError {
  return new CliError('unavailable', `cannot write to standard output: ${systemReason(cause)}`, { cause });
}
