import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ANYWHERE,
  type Attempt,
  findOrdered,
  findStrict,
  type Track,
} from '../../../../../src/sandbox/analysis/funnels/ordered.ts';
import { findUnordered } from '../../../../../src/sandbox/analysis/funnels/unordered.ts';

/** Every definition here tries everything and knows nothing of how the analyses do it. */

type Happening = { readonly time: number; readonly mask: number; readonly gaps: number };

const STEPS = 3;
const WINDOW = 5;
const RULES = { steps: STEPS, window: WINDOW };

const happening = (masks: fc.Arbitrary<number>, wait: fc.Arbitrary<number>) => fc.tuple(wait, masks);

function story(masks: fc.Arbitrary<number>, wait: fc.Arbitrary<number>): fc.Arbitrary<readonly Happening[]> {
  return fc.array(happening(masks, wait), { maxLength: 7 }).map((list) => {
    let time = 0;
    return list.map(([pause, mask]) => {
      time += pause;
      return { time, mask, gaps: 0 };
    });
  });
}

function trackOf(happenings: readonly Happening[]): Track {
  return {
    times: happenings.map(({ time }) => time),
    masks: happenings.map(({ mask }) => mask),
    gaps: happenings.map(({ gaps }) => gaps),
  };
}

const isStep = (happening: Happening | undefined, step: number) =>
  ((happening?.mask ?? 0) & (1 << (step - 1))) !== 0;

/** All sequences of different happenings. */
function* sequences(happenings: readonly Happening[], length: number): Generator<readonly Happening[]> {
  if (length === 0) {
    yield [];
    return;
  }
  for (const last of happenings) {
    const others = happenings.filter((other) => other !== last);
    for (const before of sequences(others, length - 1)) yield [...before, last];
  }
}

function isInWindow(chosen: readonly Happening[]): boolean {
  const times = chosen.map(({ time }) => time);
  return Math.max(...times) - Math.min(...times) <= WINDOW;
}

/** Ordered: different events, never back in time, each the next step, the last within the window of the first. */
function reachedInOrder(happenings: readonly Happening[]): number {
  return reachedBy(happenings, (chosen) =>
    chosen.every((one, index) => isStep(one, index + 1) && one.time >= (chosen[index - 1]?.time ?? 0)),
  );
}

/** Unordered: different events, each a different step, all inside one window. */
function reachedInAnyOrder(happenings: readonly Happening[]): number {
  return reachedBy(happenings, (chosen) => canBeDifferentSteps(chosen, []));
}

function canBeDifferentSteps([first, ...others]: readonly Happening[], taken: readonly number[]): boolean {
  if (first === undefined) return true;
  return [1, 2, 3].some(
    (step) => !taken.includes(step) && isStep(first, step) && canBeDifferentSteps(others, [...taken, step]),
  );
}

function reachedBy(
  happenings: readonly Happening[],
  holds: (chosen: readonly Happening[]) => boolean,
): number {
  for (let length = STEPS; length > 0; length -= 1) {
    for (const chosen of sequences(happenings, length))
      if (isInWindow(chosen) && holds(chosen)) return length;
  }
  return 0;
}

/** Strict: neighbours in the actor's whole history. */
function reachedStrictly(happenings: readonly Happening[]): number {
  let furthest = 0;
  for (let first = 0; first < happenings.length; first += 1) {
    for (let length = 1; length <= STEPS; length += 1) {
      const run = happenings.slice(first, first + length);
      const isRun = run.length === length && run.every((one, index) => isStep(one, index + 1));
      if (isRun && isInWindow(run)) furthest = Math.max(furthest, length);
    }
  }
  return furthest;
}

const anyMask = fc.integer({ min: 0, max: 7 });
const oneStep = fc.constantFrom(0, 1, 2, 4);
const reached = (attempt: Attempt | undefined) => attempt?.step ?? 0;

describe('funnels against their definitions', () => {
  it('goes as far in order as any choice of events does', () => {
    fc.assert(
      fc.property(story(anyMask, fc.integer({ min: 0, max: 3 })), (happenings) => {
        const attempt = findOrdered(trackOf(happenings), RULES, ANYWHERE);
        expect(reached(attempt)).toBe(reachedInOrder(happenings));
      }),
      { numRuns: 400 },
    );
  });

  it('goes as far without an order as any choice of events does', () => {
    fc.assert(
      fc.property(story(anyMask, fc.integer({ min: 0, max: 3 })), (happenings) => {
        const attempt = findUnordered(trackOf(happenings), RULES, ANYWHERE);
        expect(reached(attempt)).toBe(reachedInAnyOrder(happenings));
      }),
      { numRuns: 400 },
    );
  });

  it('goes as far strictly as the best run of neighbours does', () => {
    fc.assert(
      fc.property(story(anyMask, fc.integer({ min: 1, max: 3 })), (happenings) => {
        const attempt = findStrict(trackOf(happenings), RULES, ANYWHERE);
        expect(reached(attempt)).toBe(reachedStrictly(happenings));
      }),
      { numRuns: 400 },
    );
  });

  it('leaves every person out whom the definition of an exclusion leaves out', () => {
    const rules = { steps: 2, window: WINDOW };
    const kinds = fc.constantFrom({ mask: 1, gaps: 0 }, { mask: 2, gaps: 0 }, { mask: 0, gaps: 1 });
    const stories = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 3 }), kinds), { maxLength: 8 })
      .map((list) =>
        list.map(([pause, kind], index) => ({ ...kind, time: sumOf(list.slice(0, index)) + pause })),
      );
    fc.assert(
      fc.property(stories, (happenings) => {
        const attempt = findOrdered(trackOf(happenings), rules, ANYWHERE);
        expect(attempt === undefined || attempt.excluded ? 0 : attempt.step).toBe(
          reachedWithoutExclusion(happenings),
        );
      }),
      { numRuns: 600 },
    );
  });
});

function sumOf(list: readonly (readonly [number, unknown])[]): number {
  return list.reduce((total, [pause]) => total + pause, 0);
}

/**
 * Two steps: a conversion runs from the last first step before a second step to that second step. Who converted
 * counts if one conversion has no exclusion inside; who did not, if one first step has none in its window.
 */
function reachedWithoutExclusion(happenings: readonly Happening[]): number {
  const starts = happenings.filter((one) => one.mask === 1);
  const exclusions = happenings.filter((one) => one.gaps === 1);
  const conversions = happenings
    .filter((one) => one.mask === 2)
    .flatMap((end) => {
      const start = starts.findLast((one) => one.time < end.time);
      const isFirst = !happenings.some(
        (one) => one.mask === 2 && start !== undefined && one.time > start.time && one.time < end.time,
      );
      return start !== undefined && isFirst && end.time - start.time <= WINDOW ? [{ start, end }] : [];
    });
  const isClean = (from: number, to: number) => !exclusions.some(({ time }) => time > from && time < to);
  if (conversions.length > 0)
    return conversions.some(({ start, end }) => isClean(start.time, end.time)) ? 2 : 0;
  return starts.some(({ time }) => isClean(time, time + WINDOW + 1)) ? 1 : 0;
}

describe('one step for each event', () => {
  it('makes the three orders agree where every event is one step in its place', () => {
    fc.assert(
      fc.property(story(oneStep, fc.constant(1)), (happenings) => {
        const track = trackOf(happenings);
        const strict = reached(findStrict(track, RULES, ANYWHERE));
        const ordered = reached(findOrdered(track, RULES, ANYWHERE));
        const unordered = reached(findUnordered(track, RULES, ANYWHERE));
        expect(strict).toBeLessThanOrEqual(ordered);
        expect(ordered).toBeLessThanOrEqual(unordered);
      }),
    );
  });
});
