import {
  type Attempt,
  excludeOpen,
  type FunnelRules,
  isBetter,
  type StartSpan,
  stepTo,
  type Track,
} from './ordered.ts';

/** The attempts that the last event took to each step, and the best so far. */
type State = { open: (Attempt | undefined)[]; isOpen: boolean; best: Attempt | undefined };

type Position = { readonly index: number; readonly time: number; readonly mayStart: boolean };

/**
 * Each step directly after the one before: any other event of the actor in between ends the attempt. Events of one
 * instant are taken in the order of their steps, those that are no step first.
 */
export function findStrict(track: Track, rules: FunnelRules, span: StartSpan): Attempt | undefined {
  const state: State = { open: [], isOpen: false, best: undefined };
  const { times } = track;
  let first = span.first;
  while (first < times.length) {
    const time = times[first] ?? 0;
    if (time - span.until >= rules.window) break;
    let end = first + 1;
    while (end < times.length && times[end] === time) end += 1;
    const mayStart = time < span.until;
    if (end - first === 1) takeEvent(state, track, rules, { index: first, time, mayStart });
    else
      for (const index of inStepOrder(track, first, end))
        takeEvent(state, track, rules, { index, time, mayStart });
    if (state.best?.step === rules.steps && !state.best.excluded) break;
    first = end;
  }
  return state.best;
}

function takeEvent(state: State, track: Track, rules: FunnelRules, position: Position): void {
  const mask = track.masks[position.index] ?? 0;
  const gaps = track.gaps[position.index] ?? 0;
  if (mask === 0 && gaps === 0 && !state.isOpen) return;
  const next: (Attempt | undefined)[] = [];
  let isOpen = false;
  for (let step = 0; mask !== 0 && step <= rules.steps; step += 1) {
    const attempt =
      step > 0 && (mask & (1 << (step - 1))) !== 0 ? reach(step, state, rules, position) : undefined;
    next.push(attempt);
    isOpen ||= attempt !== undefined;
  }
  if (gaps !== 0) excludeOpen(state.open, next, { ...rules, gaps, time: position.time, best: state.best });
  for (const attempt of next) {
    if (attempt !== undefined && isBetter(attempt, state.best)) state.best = attempt;
  }
  state.open = next;
  state.isOpen = isOpen;
}

function reach(step: number, { open }: State, rules: FunnelRules, position: Position): Attempt | undefined {
  const { time, index } = position;
  if (step === 1) return position.mayStart ? stepTo(undefined, time, index) : undefined;
  const previous = open[step - 1];
  const isInTime = previous !== undefined && time - previous.start <= rules.window;
  return isInTime ? stepTo(previous, time, index) : undefined;
}

function inStepOrder({ masks }: Track, from: number, end: number): readonly number[] {
  const indices = Array.from({ length: end - from }, (_, offset) => from + offset);
  return indices.sort((one, other) => firstStep(masks[one]) - firstStep(masks[other]) || one - other);
}

function firstStep(mask = 0): number {
  return mask === 0 ? -1 : 31 - Math.clz32(mask & -mask);
}
