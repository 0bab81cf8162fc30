/** The open attempts by the step they reached (entry 0 stays empty), and the best so far. */
type State = { open: (Attempt | undefined)[]; best: Attempt | undefined };

/**
 * Steps in their order, with anything in between. Each step keeps the attempt with the latest start that reached it:
 * no other start leaves more time. Of one instant all events count, each for one step.
 */
export function findOrdered(track: Track, rules: FunnelRules, span: StartSpan): Attempt | undefined {
  const state: State = { open: new Array(rules.steps + 1).fill(undefined), best: undefined };
  for (const instant of instantsOf(track, rules, span)) {
    takeInstant(state, track, rules, instant);
    if (state.best?.step === rules.steps && !state.best.excluded) break;
  }
  return state.best;
}

type Instant = {
  readonly from: number;
  readonly end: number;
  readonly time: number;
  readonly mayStart: boolean;
};

/** The events of a track by their time, as long as an attempt can be under way. */
function* instantsOf({ times }: Track, rules: FunnelRules, span: StartSpan): Generator<Instant> {
  let from = span.first;
  while (from < times.length) {
    const time = times[from] ?? 0;
    if (time - span.until >= rules.window) return;
    let end = from + 1;
    while (end < times.length && times[end] === time) end += 1;
    yield { from, end, time, mayStart: time < span.until };
    from = end;
  }
}

/** From the furthest step back, so that no event serves two steps of an attempt. */
function takeInstant(state: State, track: Track, rules: FunnelRules, instant: Instant): void {
  const { from, end, time } = instant;
  const before = [...state.open];
  const masks = track.masks.slice(from, end);
  let furthest: Attempt | undefined;
  for (let reached = rules.steps - 1; reached >= 0; reached -= 1) {
    let attempt = before[reached];
    if (!canContinue(reached + 1, attempt, rules, instant)) continue;
    for (const event of assignSteps(masks, { first: reached, end: rules.steps })) {
      attempt = stepTo(attempt, time, from + event);
      if (isKnown(state.open[attempt.step], attempt.previous, time)) continue;
      state.open[attempt.step] = attempt;
      if (isBetter(attempt, furthest)) furthest = attempt;
    }
  }
  const gaps = track.gaps.slice(from, end).reduce((all, own) => all | own, 0);
  if (gaps !== 0) excludeOpen(before, state.open, { ...rules, gaps, time, best: state.best });
  if (furthest !== undefined && isBetter(furthest, state.best)) state.best = furthest;
}

function canContinue(
  step: number,
  previous: Attempt | undefined,
  rules: FunnelRules,
  instant: Instant,
): boolean {
  if (step === 1) return instant.mayStart;
  return previous !== undefined && instant.time - previous.start <= rules.window;
}

/** The first occurrence of a step counts: an attempt that was there already, from the same start, stays. */
function isKnown(there: Attempt | undefined, previous: Attempt | undefined, time: number): boolean {
  return there !== undefined && there.start >= (previous?.start ?? time);
}

type Exclusions = FunnelRules & {
  readonly gaps: number;
  readonly time: number;
  readonly best: Attempt | undefined;
};

/** An exclusion hits an attempt that stands before the gap and is not taken further at this very instant. */
function excludeOpen(
  before: readonly (Attempt | undefined)[],
  after: readonly (Attempt | undefined)[],
  { gaps, time, best, steps, window }: Exclusions,
): void {
  for (let step = 1; step < steps; step += 1) {
    const attempt = before[step];
    if ((gaps & (1 << (step - 1))) === 0 || attempt === undefined) continue;
    if (time - attempt.start > window || after[step + 1]?.start === attempt.start) continue;
    attempt.excluded = true;
    if (best?.step === step && time - best.start <= window) best.excluded = true;
  }
}

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

/** Whether an attempt is the better answer: further, or as far if the earlier one was excluded. */
function isBetter(attempt: Attempt, best: Attempt | undefined): boolean {
  if (best === undefined || attempt.step > best.step) return true;
  return attempt.step === best.step && best.excluded && !attempt.excluded;
}

/** The attempt's steps, first to last. */
export function stepsOf(attempt: Attempt): readonly Attempt[] {
  const steps: Attempt[] = [];
  for (let step: Attempt | undefined = attempt; step !== undefined; step = step.previous) steps.push(step);
  return steps.reverse();
}

/** The steps to fill, counted from 0: `first` up to `end`, not included. */
type StepSpan = { readonly first: number; readonly end: number };

/**
 * Gives the events of one instant to steps, each event to one step: as many steps in a row as possible, from `first`
 * on. Answers, for each filled step, the position of its event in `masks`.
 */
export function assignSteps(masks: readonly number[], { first, end }: StepSpan): readonly number[] {
  // Most events are alone in their instant.
  if (masks.length === 1) return ((masks[0] ?? 0) & (1 << first)) === 0 ? NO_EVENT : ONLY_EVENT;
  const assign = assigner(masks);
  let step = first;
  while (step < end && assign.place(step)) step += 1;
  return [...assign.eventOfStep].sort(([one], [other]) => one - other).map(([, event]) => event);
}

const NO_EVENT: readonly number[] = [];

const ONLY_EVENT: readonly number[] = [0];

/** The greatest number of different steps that these events can be, each event one step. */
export function countSteps(masks: readonly number[], steps: number): number {
  const assign = assigner(masks);
  for (let step = 0; step < steps; step += 1) assign.place(step);
  return assign.eventOfStep.size;
}

function assigner(masks: readonly number[]) {
  const eventOfStep = new Map<number, number>();
  const stepOfEvent = new Map<number, number>();
  /** Finds an event for a step, moving a held event to another step if that helps. */
  const place = (step: number, tried = new Set<number>()): boolean => {
    for (const [event, mask] of masks.entries()) {
      if ((mask & (1 << step)) === 0 || tried.has(event)) continue;
      tried.add(event);
      const holder = stepOfEvent.get(event);
      if (holder !== undefined && !place(holder, tried)) continue;
      stepOfEvent.set(event, step);
      eventOfStep.set(step, event);
      return true;
    }
    return false;
  };
  return { eventOfStep, place };
}

/**
 * Each step directly after the one before: any other event of the actor in between ends the attempt. Events of one
 * instant are taken in the order of their steps, those that are no step first.
 */
export function findStrict(track: Track, rules: FunnelRules, span: StartSpan): Attempt | undefined {
  const state: State = { open: [], best: undefined };
  for (const instant of instantsOf(track, rules, span)) {
    for (const from of inStepOrder(track, instant)) takeStrictly(state, track, rules, { ...instant, from });
    if (state.best?.step === rules.steps && !state.best.excluded) break;
  }
  return state.best;
}

/** Only the attempts that this event takes further stay open. */
function takeStrictly(state: State, track: Track, rules: FunnelRules, instant: Instant): void {
  const mask = track.masks[instant.from] ?? 0;
  const gaps = track.gaps[instant.from] ?? 0;
  const before = state.open;
  if (mask === 0 && gaps === 0 && before.length === 0) return;
  state.open = [];
  for (let step = 1; mask !== 0 && step <= rules.steps; step += 1) {
    const previous = before[step - 1];
    if ((mask & (1 << (step - 1))) === 0 || !canContinue(step, previous, rules, instant)) continue;
    state.open[step] = stepTo(previous, instant.time, instant.from);
  }
  if (gaps !== 0) excludeOpen(before, state.open, { ...rules, gaps, time: instant.time, best: state.best });
  for (const attempt of state.open) {
    if (attempt !== undefined && isBetter(attempt, state.best)) state.best = attempt;
  }
}

function inStepOrder({ masks }: Track, { from, end }: Instant): readonly number[] {
  const indices = Array.from({ length: end - from }, (_, offset) => from + offset);
  return indices.sort((one, other) => firstStep(masks[one]) - firstStep(masks[other]) || one - other);
}

function firstStep(mask = 0): number {
  return mask === 0 ? -1 : 31 - Math.clz32(mask & -mask);
}
