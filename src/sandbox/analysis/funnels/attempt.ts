/**
 * What one actor did that matters to a funnel, in order. `masks` has a bit for each step an event is, `gaps` a bit
 * for each gap between steps in which the event excludes (bit 0: between the first and the second step).
 */
export type Track = {
  readonly times: number[];
  readonly masks: number[];
  readonly gaps: number[];
};

/** How far an attempt came. `step` counts from 1; `previous` is the step before; times are in milliseconds. */
export type Attempt = {
  readonly step: number;
  /** Time of the first step; the window runs from here. */
  readonly start: number;
  readonly time: number;
  /** Where in the track the event of this step stands. */
  readonly index: number;
  readonly previous: Attempt | undefined;
  excluded: boolean;
};

/** The window is in milliseconds and includes its end. */
export type FunnelRules = { readonly steps: number; readonly window: number };

/** Where attempts may begin: from the entry at `first` on, before the instant `until`. */
export type StartSpan = { readonly first: number; readonly until: number };

export const ANYWHERE: StartSpan = { first: 0, until: Number.POSITIVE_INFINITY };

/** Finds the furthest attempt of a track; undefined where nobody entered. An excluded one says so. */
export type AttemptFinder = (track: Track, rules: FunnelRules, span: StartSpan) => Attempt | undefined;

/** The attempt that goes one step further than `previous`, or begins. */
export function stepTo(previous: Attempt | undefined, time: number, index: number): Attempt {
  return {
    step: (previous?.step ?? 0) + 1,
    start: previous?.start ?? time,
    time,
    index,
    previous,
    excluded: previous?.excluded ?? false,
  };
}

/** Whether an attempt is the better answer: further, or as far where the earlier one was excluded. */
export function isBetter(attempt: Attempt, best: Attempt | undefined): boolean {
  if (best === undefined || attempt.step > best.step) return true;
  return attempt.step === best.step && best.excluded && !attempt.excluded;
}

/** The attempt's steps, first to last. */
export function stepsOf(attempt: Attempt): readonly Attempt[] {
  const steps: Attempt[] = [];
  for (let step: Attempt | undefined = attempt; step !== undefined; step = step.previous) steps.push(step);
  return steps.reverse();
}

/** Marks an attempt that an excluded event hit at `time`, if its window is still open then. */
export function exclude(attempt: Attempt, time: number, window: number): void {
  if (time - attempt.start <= window) attempt.excluded = true;
}
