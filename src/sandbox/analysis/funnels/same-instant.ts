/** The steps to fill, counted from 0: `first` up to `end`, not included. */
type StepSpan = { readonly first: number; readonly end: number };

/**
 * Gives the events of one instant to steps, each event to one step: as many steps in a row as possible, from `first`
 * on. Answers, for each filled step, the position of its event in `masks`.
 */
export function assignSteps(masks: readonly number[], { first, end }: StepSpan): readonly number[] {
  const eventOfStep = new Map<number, number>();
  const stepOfEvent = new Map<number, number>();
  for (let step = first; step < end; step += 1) {
    if (!placeStep(step, { masks, eventOfStep, stepOfEvent, tried: new Set() })) break;
  }
  return [...eventOfStep].sort(([one], [other]) => one - other).map(([, event]) => event);
}

/** The greatest number of different steps that these events can be, each event one step. */
export function countSteps(masks: readonly number[], steps: number): number {
  const eventOfStep = new Map<number, number>();
  const stepOfEvent = new Map<number, number>();
  for (let step = 0; step < steps; step += 1)
    placeStep(step, { masks, eventOfStep, stepOfEvent, tried: new Set() });
  return eventOfStep.size;
}

type Assignment = {
  readonly masks: readonly number[];
  readonly eventOfStep: Map<number, number>;
  readonly stepOfEvent: Map<number, number>;
  readonly tried: Set<number>;
};

/** Finds an event for a step, moving steps that hold one to another where that helps. */
function placeStep(step: number, assignment: Assignment): boolean {
  const { masks, eventOfStep, stepOfEvent, tried } = assignment;
  for (const [event, mask] of masks.entries()) {
    if ((mask & (1 << step)) === 0 || tried.has(event)) continue;
    tried.add(event);
    const holder = stepOfEvent.get(event);
    if (holder === undefined || placeStep(holder, assignment)) {
      stepOfEvent.set(event, step);
      eventOfStep.set(step, event);
      return true;
    }
  }
  return false;
}
