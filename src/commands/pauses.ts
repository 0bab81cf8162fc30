import type { Context } from '../cli/context.ts';

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** Waits between two questions, ever longer; false once the time is up. The last pause ends with it. */
export type Pauses = { readonly pause: () => Promise<boolean> };

/** Is told every so often within a pause, in milliseconds, that time passes. */
type Clock = { readonly every: number; readonly tick: () => void };

export function createPauses(atMost: number, context: Context, { every, tick }: Clock): Pauses {
  const started = context.now();
  let paused = 0;
  let next = FIRST_PAUSE;
  return {
    pause: async () => {
      // Time spent on requests counts too, and a clock that was set back does not make it endless.
      const left = atMost - Math.max(context.now() - started, paused);
      if (left <= 0) return false;
      const pause = Math.min(next, left);
      for (let rest = pause; rest > 0; rest -= every) {
        await context.wait(Math.min(rest, every), context.signal);
        if (rest > every) tick();
      }
      paused += pause;
      next = Math.min(next * 1.5, LONGEST_PAUSE);
      return true;
    },
  };
}
