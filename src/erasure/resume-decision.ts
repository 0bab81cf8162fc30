import type { RunRecord } from './run.ts';
import { type Part, partsOf, type RunState, type Sending, stateOf } from './run-state.ts';

/** How long after the first sending a lost answer is asked for again without looking. */
const trustMilliseconds = 15 * 60_000;

/** What a session has to send: a part of the plan, or the errors of one that was answered. */
export type Task = { readonly batch: number; readonly part: number; readonly retry: boolean };

export type ResumeDecision = {
  /** Sent as they are: never sent, known not to have run, or lost so lately that nobody can have come back. */
  readonly resend: readonly Task[];
  /** Lost long ago: the ids are looked up first, since somebody may have been created under them since. */
  readonly lookUp: readonly Task[];
  /** Ids in each. */
  readonly idsToResend: number;
  readonly idsToLookUp: number;
};

/** What `runs resume` would do at this time, in milliseconds since 1970. */
export function decideResume(run: RunRecord, now: number): ResumeDecision {
  const tasks = tasksOf(run.state());
  const late = (task: Task) => needsLookUp(sendingOf(run.state(), task), now);
  const lookUp = tasks.filter(late);
  const resend = tasks.filter((task) => !late(task));
  return {
    resend,
    lookUp,
    idsToResend: countIds(run.state(), resend),
    idsToLookUp: countIds(run.state(), lookUp),
  };
}

/** Everything that is not known to be done, in the order of the plan. */
export function tasksOf(state: RunState): readonly Task[] {
  return partsOf(state).flatMap((part) => {
    const { batch, part: number } = part;
    if (stateOf(part.sending) !== 'done') return { batch, part: number, retry: false };
    return part.errors.some(({ person }) => person !== null) ? { batch, part: number, retry: true } : [];
  });
}

/** How many ids are not known to be done. */
export function countOpen(state: RunState): number {
  return countIds(state, tasksOf(state));
}

export function needsLookUp(sending: Sending | undefined, now: number): boolean {
  if (sending?.firstSentAt === undefined || stateOf(sending) !== 'unknown') return false;
  const passed = now - Date.parse(sending.firstSentAt);
  // A clock that was set back does not tell how long ago it was.
  return passed < 0 || passed > trustMilliseconds;
}

export function sendingOf(state: RunState, task: Task): Sending | undefined {
  const part = findPart(state, task);
  return task.retry ? part.retry : part.sending;
}

/** The part that a task is about. Throws a `RangeError` for one that the run has not: nothing may be sent for it. */
export function findPart(state: RunState, { batch, part }: Pick<Task, 'batch' | 'part'>): Part {
  const found = state.batches[batch - 1]?.[part - 1];
  if (found === undefined) throw new RangeError(`The run has no part ${part} of a batch ${batch}`);
  return found;
}

function countIds(state: RunState, tasks: readonly Task[]): number {
  return tasks.reduce((total, task) => {
    const part = findPart(state, task);
    return total + (task.retry ? part.errors.length : part.count);
  }, 0);
}
