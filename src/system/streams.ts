import { writeSync } from 'node:fs';
import { CliError, systemCode } from '../errors.ts';
import type { DataStream } from './system.ts';
import { systemReason } from './text.ts';

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

/** As much as a pipe takes at once on every system. */
const MOST_AT_ONCE = 16 * 1024;

type Late = {
  readonly make: () => DataStream;
  readonly isTerminal: () => boolean;
  /** Writes what is taken without a wait, and returns the rest. */
  readonly writeAtOnce: (bytes: Uint8Array) => Uint8Array;
};

/**
 * Standard output. To make its stream takes a tenth of a small command's time, so the first bytes are
 * written without it, and few commands write more. A pipe that is full is left to the stream, which knows how to wait.
 */
export function lateStdout({ make, isTerminal, writeAtOnce }: Late): DataStream {
  const heeds: ((error: Error) => void)[] = [];
  let left = MOST_AT_ONCE;
  let stream: DataStream | undefined;
  const open = (): DataStream => {
    if (stream === undefined) {
      stream = make();
      for (const heed of heeds) stream.on('error', heed);
    }
    return stream;
  };
  return {
    // To ask loads what sockets need, which help does without.
    get isTTY() {
      return isTerminal();
    },
    get columns() {
      return open().columns;
    },
    write(chunk, done) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      left -= bytes.length;
      if (stream !== undefined || left < 0) return open().write(bytes, done);
      try {
        const rest = writeAtOnce(bytes);
        return rest.length > 0 ? open().write(rest, done) : done();
      } catch (failure) {
        // What a system call throws is always an error.
        return done(failure as Error);
      }
    },
    on: (event, heed) => (stream === undefined ? heeds.push(heed) : stream.on(event, heed)),
  };
}

/** Writes to standard output what it takes without a wait, and returns the rest. Throws as the system says. */
export function writeAtOnce(bytes: Uint8Array): Uint8Array {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (failure) {
    if (systemCode(failure) !== 'EAGAIN') throw failure;
  }
  return rest;
}
