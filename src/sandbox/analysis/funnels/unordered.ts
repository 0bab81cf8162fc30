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
  const { first } = span;
  const state: State = { head: first, seen: first, gathered: new Map(), best: undefined, excluded: false };
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
  const times = state.gathered.get(mask) ?? 0;
  if (times > 1) state.gathered.set(mask, times - 1);
  else state.gathered.delete(mask);
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
    if (gather(state.gathered, mask)) improve(state, track, rules);
  }
  // As in the other orders, an exclusion at the very instant of a step does not exclude.
  if (excludes && !isStep) clear(state, track, rules, time);
}

/** Of equally far attempts the first stays. */
function improve(state: State, track: Track, rules: FunnelRules): void {
  const steps = countGathered(state.gathered, rules.steps);
  if (steps <= (state.best?.steps ?? 0)) return;
  state.best = { head: firstStepFrom(state.head, track), last: state.seen - 1, steps };
}

function firstStepFrom(head: number, track: Track): number {
  let index = head;
  while (index < track.masks.length && track.masks[index] === 0) index += 1;
  return index;
}

function clear(state: State, track: Track, rules: FunnelRules, time: number): void {
  const wasOpen = state.gathered.size > 0;
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

/** How often each set of steps was met by an event of the attempt under way. */
type GatheredSteps = Map<number, number>;

/** Adds an event, and says whether it may have added a step. */
function gather(gathered: GatheredSteps, mask: number): boolean {
  const before = gathered.get(mask) ?? 0;
  gathered.set(mask, before + 1);
  // As many events of a kind as it is steps fill all of these steps already.
  return before < bitCount(mask);
}

/** The greatest number of different steps that the events can be, each event one step. */
function countGathered(gathered: GatheredSteps, steps: number): number {
  const masks: number[] = [];
  for (const [mask, times] of gathered) {
    for (let time = Math.min(times, bitCount(mask)); time > 0; time -= 1) masks.push(mask);
  }
  return countSteps(masks, steps);
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
