import {
  type Attempt,
  exclude,
  type FunnelRules,
  isBetter,
  type StartSpan,
  stepTo,
  type Track,
} from './attempt.ts';
import { assignSteps } from './same-instant.ts';

/** The open attempts by the step they reached (entry 0 stays empty), and the best so far. */
type State = { open: (Attempt | undefined)[]; best: Attempt | undefined };

/**
 * Steps in their order, with anything in between. Each step keeps the attempt with the latest start that reached it:
 * no other start leaves more time. Of one instant all events count, each for one step.
 */
export function findOrdered(track: Track, rules: FunnelRules, span: StartSpan): Attempt | undefined {
  const state: State = { open: new Array(rules.steps + 1).fill(undefined), best: undefined };
  const { times } = track;
  let index = span.first;
  while (index < times.length) {
    const time = times[index] ?? 0;
    if (time - span.until >= rules.window) break;
    let end = index + 1;
    while (end < times.length && times[end] === time) end += 1;
    takeInstant(state, track, rules, { from: index, end, time, mayStart: time < span.until });
    if (state.best?.step === rules.steps && !state.best.excluded) break;
    index = end;
  }
  return state.best;
}

type Instant = {
  readonly from: number;
  readonly end: number;
  readonly time: number;
  readonly mayStart: boolean;
};

function takeInstant(state: State, track: Track, rules: FunnelRules, instant: Instant): void {
  let gaps = 0;
  for (let index = instant.from; index < instant.end; index += 1) gaps |= track.gaps[index] ?? 0;
  const before = gaps === 0 ? state.open : [...state.open];
  const furthest =
    instant.end - instant.from === 1
      ? takeOne(state, track.masks[instant.from] ?? 0, rules, instant)
      : takeSeveral(state, track, rules, instant);
  if (gaps !== 0) excludeOpen(state, before, gaps, { ...rules, time: instant.time });
  if (furthest !== undefined && isBetter(furthest, state.best)) state.best = furthest;
}

/** From the last step back, so that one event never serves two steps of an attempt. */
function takeOne(state: State, mask: number, rules: FunnelRules, instant: Instant): Attempt | undefined {
  const { open } = state;
  let furthest: Attempt | undefined;
  for (let step = rules.steps; step >= 1; step -= 1) {
    if ((mask & (1 << (step - 1))) === 0) continue;
    const previous = open[step - 1];
    if (!canContinue(step, previous, rules, instant) || isKnown(open[step], previous, instant.time)) continue;
    const attempt = stepTo(previous, instant.time, instant.from);
    open[step] = attempt;
    furthest = pick(attempt, furthest);
  }
  return furthest;
}

/** Of the attempts of one instant the furthest, and the clean one of equally far ones. */
function pick(attempt: Attempt, furthest: Attempt | undefined): Attempt {
  return furthest === undefined || isBetter(attempt, furthest) ? attempt : furthest;
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

function takeSeveral(state: State, track: Track, rules: FunnelRules, instant: Instant): Attempt | undefined {
  const before = [...state.open];
  const masks = track.masks.slice(instant.from, instant.end);
  let furthest: Attempt | undefined;
  for (let reached = rules.steps - 1; reached >= 0; reached -= 1) {
    if (!canContinue(reached + 1, before[reached], rules, instant)) continue;
    let attempt = before[reached];
    for (const event of assignSteps(masks, { first: reached, end: rules.steps })) {
      attempt = stepTo(attempt, instant.time, instant.from + event);
      if (isKnown(state.open[attempt.step], attempt.previous, instant.time)) continue;
      state.open[attempt.step] = attempt;
      furthest = pick(attempt, furthest);
    }
  }
  return furthest;
}

type Moment = FunnelRules & { readonly time: number };

/** An exclusion hits an attempt that stands before the gap and is not taken further at this very instant. */
function excludeOpen(
  state: State,
  before: readonly (Attempt | undefined)[],
  gaps: number,
  moment: Moment,
): void {
  for (let step = 1; step < moment.steps; step += 1) {
    const attempt = before[step];
    if ((gaps & (1 << (step - 1))) === 0 || attempt === undefined) continue;
    if (moment.time - attempt.start > moment.window || state.open[step + 1]?.start === attempt.start)
      continue;
    exclude(attempt, moment.time, moment.window);
    if (state.best?.step === step) exclude(state.best, moment.time, moment.window);
  }
}
