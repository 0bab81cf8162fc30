import { countSteps } from './same-instant.ts';

/** The events of an attempt under way in a funnel without an order, by the steps they are. */
export type GatheredSteps = {
  /** Adds an event, and says whether it may have added a step. */
  readonly add: (mask: number) => boolean;
  readonly remove: (mask: number) => void;
  readonly clear: () => void;
  readonly isEmpty: () => boolean;
  /** The greatest number of different steps that the events can be, each event one step. */
  readonly count: () => number;
};

/** Gathers nothing yet; `steps` is the number of steps of the funnel. */
export function gatherSteps(steps: number): GatheredSteps {
  const countByMask = new Map<number, number>();
  return {
    add(mask) {
      const before = countByMask.get(mask) ?? 0;
      countByMask.set(mask, before + 1);
      // As many events of a kind as it is steps fill all of these steps already.
      return before < bitCount(mask);
    },
    remove(mask) {
      const before = countByMask.get(mask) ?? 0;
      if (before > 1) countByMask.set(mask, before - 1);
      else countByMask.delete(mask);
    },
    clear: () => countByMask.clear(),
    isEmpty: () => countByMask.size === 0,
    count() {
      const masks: number[] = [];
      for (const [mask, times] of countByMask) {
        for (let time = Math.min(times, bitCount(mask)); time > 0; time -= 1) masks.push(mask);
      }
      return countSteps(masks, steps);
    },
  };
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
