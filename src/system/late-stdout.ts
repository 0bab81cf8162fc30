import type { DataStream } from './system.ts';

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
