import { CliError, raceAbort, usageError } from '../errors.ts';
import type { Stop } from './journal.ts';
import { lastAnswer, type Outcome, reconcile } from './outcome.ts';
import { surePerCall } from './plan.ts';
import type { LookUp } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import {
  countIds,
  findPart,
  needsLookUp,
  type Part,
  partsOf,
  sendingOf,
  stateOf,
  tasksOf,
} from './run-state.ts';
import { type Send, type Stopping, sendPart, type Work } from './send.ts';

/** Ids to send in this session, and those that were answered and that failed so far. */
export type Progress = { readonly ids: number; readonly answered: number; readonly failed: number };

/** `signal`: finish what is in flight. `forcedSignal`: stop now. */
type Signals = { readonly signal: AbortSignal; readonly forcedSignal: AbortSignal };

export type RunOptions = Signals & {
  readonly send: Send;
  readonly now: () => number;
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Where this session sends to, and the label of its key. Must be the host and the project of the plan. */
  readonly session: {
    readonly host: string;
    readonly projectId: string;
    readonly keyLabel?: string | undefined;
  };
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Calls at the same time: 1 if absent, at most 8. */
  readonly concurrency?: number | undefined;
  /** Calls per minute. Without it, or the one above, those of the plan hold. */
  readonly rate?: number | undefined;
  /** Needed if an answer was lost more than 15 minutes ago. */
  readonly lookUp?: LookUp | undefined;
  /** What the service's clock said in the last look-up of this session. */
  readonly serviceTime?: (() => string | undefined) | undefined;
  readonly includeRecreated?: boolean | undefined;
};

/**
 * Sends all that is not known to be done, a new run as well as one that was interrupted, and says what came of it.
 * Throws a usage error before anything is sent; `unavailable` or, after the first call, `partial` when the journal
 * cannot be written. Failed batches are no error here: they are in the outcome.
 */
export async function runPlan(run: Run, given: RunOptions): Promise<Outcome> {
  const { rate = run.plan.rate, concurrency = run.plan.concurrency ?? 1 } = given;
  const options = { ...given, rate, concurrency };
  checkOptions(run, options);
  const stopping = createStopping(options);
  const work = prepare(run, options, stopping);
  const { host, projectId, keyLabel } = options.session;
  const resumed = run.state().sessions.length > 0;
  try {
    run.append({ type: 'started', host, project: projectId, key: keyLabel ?? null, resumed });
    await sendAll(work, options.concurrency, () => true);
    // One more time for answers that were lost just now; anything older waits for `runs resume`.
    const isLost = (part: Part) =>
      stateOf(part.sending) === 'unknown' && !needsLookUp(part.sending, options.now());
    if (stopping.stop() === undefined) await sendAll(work, options.concurrency, isLost);
    const isOpen = tasksOf(run.state()).length > 0;
    run.append({ type: 'ended', stopped: (isOpen ? stopping.stop() : undefined) ?? null });
  } catch (error) {
    throw toPartial(run, error);
  }
  return reconcile(run);
}

function checkOptions(run: Run, options: RunOptions): void {
  const { plan } = run;
  const { session } = options;
  if (session.host !== plan.host || session.projectId !== plan.project.id) {
    throw usageError(
      `this run is for project ${plan.project.id} on ${plan.host}, not for ${session.projectId} on ${session.host}`,
      `choose the project it was planned for (${plan.project.name}); another key for it is fine`,
    );
  }
  if (!run.hasIds && tasksOf(run.state()).length > 0) run.entries(0, 1);
  const { idsToLookUp } = decideResume(run, options.now());
  if (idsToLookUp > 0 && options.lookUp === undefined) {
    throw usageError(
      `the answer for ${idsToLookUp} ids was lost more than 15 minutes ago, so they have to be looked up first`,
      'use a key that may read persons (person:read)',
    );
  }
}

function prepare(run: Run, options: RunOptions, stopping: Work['stopping']): Work {
  const { send, now, forcedSignal, lookUp, rate, onProgress } = options;
  const ids = tasksOf(run.state()).reduce(
    (total, task) => total + (task.retry ? 0 : findPart(run.state(), task).count),
    0,
  );
  const progress = { ids, answered: 0, failed: 0 };
  const either = AbortSignal.any([options.signal, forcedSignal]);
  const wait = (milliseconds: number) => waitUntil(options.wait(milliseconds, either), either);
  const serviceTimes = [run.plan.serviceTime, lastAnswer(run.state())?.serviceTime];
  const named = new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid]));
  return {
    run,
    send,
    now,
    forcedSignal,
    stopping,
    lookUp,
    pace: createPace({ rate, now, wait }),
    includeRecreated: options.includeRecreated ?? false,
    named,
    serviceTime: () => latest([...serviceTimes, options.serviceTime?.()]),
    tellTime: (time) => void serviceTimes.splice(0, serviceTimes.length, latest([...serviceTimes, time])),
    onAnswer(count, result) {
      progress[result] += count;
      onProgress?.({ ...progress });
    },
  };
}

/** ISO times are in the order of their texts. */
function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .flatMap((time) => time ?? [])
    .toSorted()
    .at(-1);
}

/** A wait that rejects on the signal has ended as well. */
async function waitUntil(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await raceAbort(waiting, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function sendAll(work: Work, lanes: number, isWanted: (part: Part) => boolean): Promise<void> {
  const open = new Set(tasksOf(work.run.state()).map(({ batch }) => batch));
  const waiting = [...open].filter((batch) => work.run.state().batches[batch - 1]?.some(isWanted));
  const lane = async () => {
    while (work.stopping.stop() === undefined) {
      const batch = waiting.shift();
      if (batch === undefined) return;
      await sendBatch(work, batch, isWanted);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, () => stopOthers(work, lane)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function stopOthers(work: Work, lane: () => Promise<void>): Promise<void> {
  try {
    await lane();
  } catch (error) {
    work.stopping.request({ reason: 'journal', kind: 'unavailable' });
    throw error;
  }
}

async function sendBatch(work: Work, batch: number, isWanted: (part: Part) => boolean): Promise<void> {
  const { run, stopping } = work;
  const parts = () => run.state().batches[batch - 1] ?? [];
  for (let index = 0; index < parts().length && stopping.stop() === undefined; index += 1) {
    const part = parts()[index];
    if (part === undefined || !isWanted(part)) continue;
    const task = { batch, part: part.part, retry: false };
    const isTooLarge =
      stateOf(part.sending) !== 'done' && parts().length === 1 && part.count > run.state().limit;
    if (isTooLarge || (stateOf(part.sending) !== 'done' && (await sendPart(work, task)) === 'cut')) {
      run.append({ type: 'cut', batch, limit: surePerCall });
      index = -1;
      continue;
    }
    const hasErrors = parts()[index]?.errors.some(({ person }) => person !== null) === true;
    if (hasErrors && stopping.stop() === undefined) await sendPart(work, { ...task, retry: true });
  }
}

function toPartial(run: Run, error: unknown): unknown {
  const isNothingSent = partsOf(run.state()).every(({ sending }) => sending.attempts === 0);
  if (!(error instanceof CliError) || error.kind !== 'unavailable' || isNothingSent) return error;
  return new CliError('partial', error.message, { hint: error.hint, cause: error });
}

const failuresInARow = 3;

export function createStopping({ signal, forcedSignal }: Signals): Stopping {
  let asked: Stop | undefined;
  let failures = 0;
  const interrupted: Stop = { reason: 'interrupted', kind: 'interrupted' };
  return {
    stop: () => asked ?? (signal.aborted || forcedSignal.aborted ? interrupted : undefined),
    request(stop) {
      asked ??= stop;
    },
    succeeded() {
      failures = 0;
    },
    failed({ kind, status }) {
      failures += 1;
      if (failures < failuresInARow) return;
      const known = kind === 'bug' ? 'unavailable' : kind;
      asked ??= {
        reason: 'three failures in a row',
        kind: known,
        ...(status === undefined ? {} : { status }),
      };
    },
    race: (work) => raceAbort(work, forcedSignal),
  };
}

/** Spaces calls evenly: `rate` per minute, over all lanes together. Without a rate nothing is waited for. */
function createPace({ rate, now, wait }: Pick<RunOptions, 'rate' | 'now' | 'wait'>): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    if (rate === undefined) return;
    const turn = Math.max(now(), next);
    next = turn + 60_000 / rate;
    if (turn > now()) await wait(turn - now());
  };
}

/** How many ids `runs resume` would send as they are, and how many it would look up first: their answers were lost long ago. */
export function decideResume(run: RunRecord, now: number) {
  const state = run.state();
  const tasks = tasksOf(state);
  const late = tasks.filter((task) => needsLookUp(sendingOf(state, task), now));
  const idsToLookUp = countIds(state, late);
  return { idsToResend: countIds(state, tasks) - idsToLookUp, idsToLookUp };
}
