import {
  type Attempt,
  exclude,
  type FunnelRules,
  isBetter,
  type StartSpan,
  stepTo,
  type Track,
} from './attempt.ts';

/**
 * Each step directly after the one before: any other event of the actor in between ends the attempt. Events of one
 * instant are taken in the order of their steps, those that are no step first.
 */
export function findStrict(track: Track, rules: FunnelRules, span: StartSpan): Attempt | undefined {
  let open: (Attempt | undefined)[] = [];
  let best: Attempt | undefined;
  for (const index of inStepOrder(track, span.first)) {
    const time = track.times[index] ?? 0;
    if (time - span.until >= rules.window) break;
    const next = continueAll(open, track, rules, { index, time, mayStart: time < span.until });
    excludeOpen(open, next, track, { ...rules, index, time, best });
    for (const attempt of next) if (attempt !== undefined && isBetter(attempt, best)) best = attempt;
    if (best?.step === rules.steps && !best.excluded) break;
    open = next;
  }
  return best;
}

type Position = { readonly index: number; readonly time: number };

function continueAll(
  open: readonly (Attempt | undefined)[],
  track: Track,
  rules: FunnelRules,
  { index, time, mayStart }: Position & { readonly mayStart: boolean },
): (Attempt | undefined)[] {
  const mask = track.masks[index] ?? 0;
  const next: (Attempt | undefined)[] = [];
  if (mask === 0) return next;
  for (let step = 1; step <= rules.steps; step += 1) {
    if ((mask & (1 << (step - 1))) === 0) continue;
    const previous = open[step - 1];
    const continues = previous !== undefined && time - previous.start <= rules.window;
    if (step === 1 ? mayStart : continues) next[step] = stepTo(previous, time, index);
  }
  return next;
}

type Moment = FunnelRules & Position & { readonly best: Attempt | undefined };

function excludeOpen(
  open: readonly (Attempt | undefined)[],
  next: readonly (Attempt | undefined)[],
  track: Track,
  { index, time, steps, window, best }: Moment,
): void {
  const gaps = track.gaps[index] ?? 0;
  for (let step = 1; gaps !== 0 && step < steps; step += 1) {
    const attempt = open[step];
    if ((gaps & (1 << (step - 1))) === 0 || attempt === undefined) continue;
    if (next[step + 1]?.start === attempt.start) continue;
    exclude(attempt, time, window);
    if (best?.step === step) exclude(best, time, window);
  }
}

function* inStepOrder({ times, masks }: Track, first: number): Generator<number> {
  let index = first;
  while (index < times.length) {
    let end = index + 1;
    while (end < times.length && times[end] === times[index]) end += 1;
    if (end - index === 1) yield index;
    else yield* sortedByStep(masks, index, end);
    index = end;
  }
}

function sortedByStep(masks: readonly number[], from: number, end: number): readonly number[] {
  const indices = Array.from({ length: end - from }, (_, offset) => from + offset);
  return indices.sort((one, other) => firstStep(masks[one]) - firstStep(masks[other]) || one - other);
}

function firstStep(mask = 0): number {
  return mask === 0 ? -1 : 31 - Math.clz32(mask & -mask);
}
