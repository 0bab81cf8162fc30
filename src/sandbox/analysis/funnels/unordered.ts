import { type Attempt, countSteps, type FunnelRules, type StartSpan, stepTo, type Track } from './ordered.ts';

type State = {
  /** The attempt under way: the entry it began with, and the entry after the last one seen. */
  head: number;
  seen: number;
  readonly gathered: GatheredSteps;
  best: { readonly head: number; readonly last: number; readonly steps: number } | undefined;
  excluded: boolean;
};

/**
 * Steps in any order: step n is "did n different steps" inside the window, which runs from the earliest of them. An
 * exclusion clears what was gathered; who does nothing afterwards is excluded.
 */
export function findUnordered(track: Track, rules: FunnelRules, span: StartSpan): Attempt | undefined {
  const gathered = gatherSteps(rules.steps);
  const state: State = { head: span.first, seen: span.first, gathered, best: undefined, excluded: false };
  const { times } = track;
  while (state.seen < times.length) {
    const time = times[state.seen] ?? 0;
    while (state.head < state.seen && isOver(state.head, time, track, rules)) dropHead(state, track);
    if ((times[state.head] ?? 0) >= span.until) break;
    takeInstant(state, track, rules, time);
    if (state.best?.steps === rules.steps) break;
  }
  return resultOf(state, track, rules);
}

/** An attempt begins with a step; one that began longer ago than the window is over. */
function isOver(head: number, time: number, track: Track, rules: FunnelRules): boolean {
  return track.masks[head] === 0 || time - (track.times[head] ?? 0) > rules.window;
}

function dropHead(state: State, track: Track): void {
  const mask = track.masks[state.head] ?? 0;
  if (mask !== 0) state.gathered.remove(mask);
  state.head += 1;
}

function takeInstant(state: State, track: Track, rules: FunnelRules, time: number): void {
  let isStep = false;
  let excludes = false;
  while (state.seen < track.times.length && track.times[state.seen] === time) {
    const mask = track.masks[state.seen] ?? 0;
    excludes ||= (track.gaps[state.seen] ?? 0) !== 0;
    state.seen += 1;
    if (mask === 0) continue;
    isStep = true;
    if (state.gathered.add(mask)) improve(state, track);
  }
  // As in the other orders, an exclusion at the very instant of a step does not exclude.
  if (excludes && !isStep) clear(state, track, rules, time);
}

/** Of equally far attempts the first stays. */
function improve(state: State, track: Track): void {
  const steps = state.gathered.count();
  if (steps <= (state.best?.steps ?? 0)) return;
  state.best = { head: firstStepFrom(state.head, track), last: state.seen - 1, steps };
}

function firstStepFrom(head: number, track: Track): number {
  let index = head;
  while (index < track.masks.length && track.masks[index] === 0) index += 1;
  return index;
}

function clear(state: State, track: Track, rules: FunnelRules, time: number): void {
  const wasOpen = !state.gathered.isEmpty();
  state.head = state.seen;
  state.gathered.clear();
  if (!wasOpen || state.best === undefined) return;
  if (time - (track.times[state.best.head] ?? 0) > rules.window) return;
  state.best = undefined;
  state.excluded = true;
}

function resultOf(state: State, track: Track, rules: FunnelRules): Attempt | undefined {
  const { best } = state;
  if (best === undefined) {
    return state.excluded ? { ...stepTo(undefined, track.times[0] ?? 0, 0), excluded: true } : undefined;
  }
  // Events that add a step to those before them, earliest first, are a greatest set of different steps.
  let attempt: Attempt | undefined;
  const taken: number[] = [];
  for (let index = best.head; index <= best.last && taken.length < best.steps; index += 1) {
    const mask = track.masks[index] ?? 0;
    if (mask === 0 || countSteps([...taken, mask], rules.steps) === taken.length) continue;
    attempt = stepTo(attempt, track.times[index] ?? 0, index);
    taken.push(mask);
  }
  return attempt;
}

/** The events of an attempt under way in a funnel without an order, by the steps they are. */
type GatheredSteps = {
  /** Adds an event, and says whether it may have added a step. */
  readonly add: (mask: number) => boolean;
  readonly remove: (mask: number) => void;
  readonly clear: () => void;
  readonly isEmpty: () => boolean;
  /** The greatest number of different steps that the events can be, each event one step. */
  readonly count: () => number;
};

/** Gathers nothing yet; `steps` is the number of steps of the funnel. */
function gatherSteps(steps: number): GatheredSteps {
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
