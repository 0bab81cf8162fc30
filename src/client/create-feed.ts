import type { Collector } from './collect.ts';

/** The parts of a body, to be taken one by one. */
export type Feed = {
  /** The next part; undefined at the end. Rejects where the body broke off, after the parts before. */
  next(): Promise<Buffer | undefined>;
};

type Flow = { readonly pause: () => void; readonly resume: () => void };

/** A part may be a few bytes, and to stop and go on costs more than these. */
const MOST_BYTES = 2 ** 16;

/** Keeps the parts of a body until they are taken; where there are enough, no more are let in. */
export function createFeed({ pause, resume }: Flow): Collector & Feed {
  const parts: Buffer[] = [];
  let bytes = 0;
  let isPaused = false;
  let ended = false;
  let broken: Error | undefined;
  let wake: () => void = () => {};
  return {
    add: (part) => {
      parts.push(part);
      bytes += part.length;
      if (!isPaused && bytes >= MOST_BYTES) {
        isPaused = true;
        pause();
      }
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    drop: (cause) => {
      broken ??= cause;
      wake();
    },
    next: async () => {
      for (;;) {
        const part = parts.shift();
        bytes -= part?.length ?? 0;
        if (part !== undefined) return part;
        if (broken !== undefined) throw broken;
        if (ended) return undefined;
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (isPaused) {
          isPaused = false;
          resume();
        }
        await woken;
      }
    },
  };
}
