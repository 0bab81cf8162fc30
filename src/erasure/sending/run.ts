import type { Context } from '../../cli/context.ts';
import { CliError, type ErrorKind, foreseen, Interruption, raceAbort, usageError } from '../../errors.ts';
import { inLanes } from '../../system/lanes.ts';
import type { LookUp } from '../people/sql.ts';
import { idToSend } from '../record/entry.ts';
import { digestOf } from '../record/ids-file.ts';
import {
  type BatchAnswer,
  type Failure,
  findAnswer,
  recordAnswer,
  recordFailure,
  type Stop,
  type StopReason,
} from '../record/journal.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { lastAnswer } from '../record/outcome.ts';
import { type Flags, surePerCall } from '../record/plan.ts';
import {
  failedIn,
  findPart,
  needsLookUp,
  type Part,
  partsOf,
  sendingOf,
  stateOf,
  type Task,
  tasksOf,
} from '../record/state.ts';
import { type Item, leaveOutGone, personMemberOf } from './look-again.ts';

/** What one call carries. */
export type Batch = { readonly ids: readonly string[]; readonly flags: Flags };

/** What a call tells while it is made: the service's clock (ISO). */
type Listeners = { readonly onTime: (time: string) => void };

/**
 * Sends one batch. Throws a CliError whose `outcome` says whether it may have run; without one it counts as unknown.
 * Waiting out a 429 and a connection that is refused belong in here.
 */
export type Send = (batch: Batch, listeners: Listeners) => Promise<BatchAnswer>;

export function wireFlags({ deleteEvents, deleteRecordings, keepPerson }: Flags) {
  return { delete_events: deleteEvents, delete_recordings: deleteRecordings, keep_person: keepPerson };
}

/** The settings, which lead to project and host of the run. Throws a usage error if they lead to others. */
export async function requireSameProject({ plan }: RunRecord, context: Pick<Context, 'settings'>) {
  const settings = await context.settings();
  const { project, host } = settings;
  if (project.id === plan.project.id && host.address === plan.host) return settings;
  throw usageError(
    `this run is for project ${plan.project.id} at ${plan.host}, not for ${project.id} at ${host.address}`,
    host.address === plan.host
      ? `choose it with --project ${plan.project.name}`
      : `choose it with --host ${plan.host} and --project ${plan.project.name}`,
  );
}

export type RunOptions = {
  readonly send: Send;
  /** How to look people up who are sent again, or later than planned; `onTime` is told the service's clock. */
  readonly lookUp: (onTime: (time: string) => void) => Promise<LookUp>;
  /** Ids of this session, as calls end. */
  readonly onProgress?: ((progress: Readonly<Progress>) => void) | undefined;
  /** Calls at the same time, and calls per minute. Without them those of the plan hold. */
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
};

type Progress = { answered: number; failed: number };

/** `signal`: finish what is in flight. `forcedSignal`: stop now. The settings must lead to the project of the plan. */
type Session = Pick<Context, 'now' | 'wait' | 'signal' | 'forcedSignal' | 'settings'>;

type Work = Readonly<ReturnType<typeof openSession>>;

/** A session of a run, with all that it needs to send. */
function openSession(run: Run, options: RunOptions, session: Session) {
  const { rate = run.plan.rate, onProgress } = options;
  const progress = { answered: 0, failed: 0 };
  const stopping = createStopping(session);
  let lookUp: Promise<LookUp> | undefined;
  let unlooked: CliError | undefined;
  // Times in ISO are in the order of their texts.
  let serviceTime = '';
  const hear = (time = '') => {
    if (time > serviceTime) serviceTime = time;
  };
  hear(run.plan.serviceTime);
  hear(lastAnswer(run.state())?.serviceTime);
  return {
    run,
    send: options.send,
    /** Most sessions never need it. */
    lookUp: () => (lookUp ??= options.lookUp(hear)),
    /** Without a look nobody is sent again. Throws a bug of ours. */
    cannotLook(error: unknown) {
      unlooked = foreseen(error);
      const { kind, status } = unlooked;
      stopFor(stopping, reasonToStop(kind, status) ?? 'look-up failed', unlooked);
    },
    unlooked: () => unlooked,
    now: session.now,
    forcedSignal: session.forcedSignal,
    stopping,
    pace: createPace(rate, session),
    /** The last that the service's clock said, and how to tell of a time that it says. */
    serviceTime: () => serviceTime || undefined,
    hear,
    onAnswer(count: number, result: keyof Progress) {
      progress[result] += count;
      onProgress?.({ ...progress });
    },
  };
}

/**
 * Sends all that is not known to be done, a new run as well as one that was interrupted. Throws a usage error before
 * anything is sent; `unavailable` or, after the first call, `partial` when the journal cannot be written. Failed batches
 * are no error here: they are in the outcome. Returns why nobody could be looked up, if that ended it.
 */
export async function runPlan(
  run: Run,
  options: RunOptions,
  session: Session,
): Promise<CliError | undefined> {
  const { project, host, keyLabel } = await requireSameProject(run, session);
  // Before the first line of the session, if the record lost its ids.
  if (tasksOf(run.state()).length > 0) run.requireIds();
  const { concurrency = run.plan.concurrency ?? 1 } = options;
  const work = openSession(run, options, session);
  const resumed = run.state().sessions.length > 0;
  try {
    run.append({ type: 'started', host: host.address, project: project.id, key: keyLabel ?? null, resumed });
    await sendAll(work, concurrency, () => true);
    // One more time for answers that were lost.
    const isLost = ({ sending, retry = sending }: Part) =>
      [sending, retry].some((one) => stateOf(one) === 'unknown');
    await sendAll(work, concurrency, isLost);
    const isOpen = tasksOf(run.state()).length > 0;
    run.append({ type: 'ended', stopped: (isOpen ? work.stopping.stop() : undefined) ?? null });
    return work.unlooked();
  } catch (error) {
    throw toPartial(run, error);
  }
}

async function sendAll(work: Work, lanes: number, isWanted: (part: Part) => boolean): Promise<void> {
  const { run, stopping } = work;
  const open = new Set(tasksOf(run.state()).map(({ batch }) => batch));
  const wanted = [...open].filter((batch) => run.state().batches[batch - 1]?.some(isWanted));
  const sendOne = async (batch: number) => {
    try {
      await sendBatch(work, batch, isWanted);
    } catch (error) {
      stopping.request({ reason: 'journal', kind: 'unavailable' });
      throw error;
    }
  };
  await inLanes(wanted, sendOne, lanes);
}

async function sendBatch(work: Work, batch: number, isWanted: (part: Part) => boolean): Promise<void> {
  const { run, stopping } = work;
  const find = (part: number) => run.state().batches[batch - 1]?.[part - 1];
  for (let part = 1; stopping.stop() === undefined; part += 1) {
    const found = find(part);
    if (found === undefined) return;
    if (!isWanted(found)) continue;
    const task = { batch, part, retry: false };
    if (stateOf(found.sending) !== 'done' && (await sendPart(work, task)) === 'cut') {
      run.append({ type: 'cut', batch, limit: surePerCall });
      part = 0;
      continue;
    }
    const after = find(part);
    const hasErrors = after !== undefined && failedIn(after).size > 0;
    if (hasErrors && stopping.stop() === undefined) await sendPart(work, { ...task, retry: true });
  }
}

function toPartial(run: Run, error: unknown): unknown {
  const isNothingSent = partsOf(run.state()).every(({ sending }) => sending.attempts === 0);
  if (!(error instanceof CliError) || error.kind !== 'unavailable' || isNothingSent) return error;
  return new CliError('partial', error.message, { hint: error.hint, cause: error });
}

/** What keeps a run from sending more, as it was told first. */
function createStopping({ signal, forcedSignal }: Session) {
  let asked: Stop | undefined;
  let failures = 0;
  return {
    /** Why nothing more is sent, if so. */
    stop(): Stop | undefined {
      if (asked === undefined && (signal.aborted || forcedSignal.aborted))
        return { reason: 'interrupted', kind: 'interrupted' };
      return asked;
    },
    request(stop: Stop) {
      asked ??= stop;
    },
    succeeded() {
      failures = 0;
    },
    /** Three failures in a row, in the order they were told of, stop the run. */
    failed(failure: Omit<Stop, 'reason'>) {
      failures += 1;
      if (failures === FAILURES_IN_A_ROW) asked ??= { reason: 'three failures in a row', ...failure };
    },
  };
}

type Stopping = ReturnType<typeof createStopping>;

const FAILURES_IN_A_ROW = 3;

/** Spaces calls evenly: `rate` per minute, over all lanes together. Without a rate nothing is waited for. */
function createPace(rate: number | undefined, { now, wait, signal, forcedSignal }: Session) {
  const either = AbortSignal.any([signal, forcedSignal]);
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    if (rate === undefined) return;
    const turn = Math.max(now(), next);
    next = turn + 60_000 / rate;
    if (turn <= now()) return;
    try {
      await raceAbort(wait(turn - now(), either), either);
    } catch (error) {
      if (!either.aborted) throw error;
    }
  };
}

/**
 * Sends one part, or the errors of one: a synced line before, a synced line after. `cut` if the service takes no call of
 * this size. Throws when a line cannot be written, and then nothing was sent that is not written down.
 */
async function sendPart(work: Work, task: Task): Promise<'cut' | 'sent'> {
  const { run, stopping } = work;
  const part = findPart(run.state(), task);
  const { limit } = run.state();
  if (!task.retry && part.count > limit) return 'cut';
  const inDoubt = needsLookUp(run, task, work.now()) ? sendingOf(run.state(), task) : undefined;
  const own = loadPart(run, part);
  const planned = task.retry ? itemsOfFailed(run, part, own) : own;
  // Nobody of a retry may be known any more, who then stays written down as failed.
  if (planned.length === 0) return 'sent';
  const items = inDoubt === undefined ? planned : await leaveOutGone(work, task, { planned, inDoubt });
  if (items === undefined) return 'sent';
  // A retry is not cut: if the service takes fewer ids by now, its errors stay as they were told.
  if (items.length === 0 || items.length > limit) return 'sent';
  await work.pace();
  if (stopping.stop() !== undefined) return 'sent';
  const digest = digestOf(items.map(({ member }) => member));
  const about = { count: items.length, digest, serviceTime: work.serviceTime() };
  run.append({ type: 'sending', ...task, ...about });
  const result = await attempt(work, { ids: items.map(({ id }) => id), flags: run.plan.flags });
  if ('answer' in result) recordAnswered(work, { task, items }, result.answer);
  else if (recordFailed(work, { task, items }, result) === 'cut') return 'cut';
  work.onAnswer(task.retry ? 0 : items.length, 'answer' in result ? 'answered' : 'failed');
  return 'sent';
}

type Failed = { readonly failure: Failure; readonly error: unknown };

type Attempt = { readonly answer: BatchAnswer } | Failed;

async function attempt({ send, forcedSignal }: Work, batch: Batch): Promise<Attempt> {
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  const told = (answer: BatchAnswer) => ({ answer: { ...answer, serviceTime } });
  try {
    return told(await raceAbort(send(batch, { onTime }), forcedSignal));
  } catch (error) {
    // A summary in a failure is an answer: nobody of the batch could be deleted.
    const answer = findAnswer(error);
    if (answer !== undefined) return told(answer);
    const isInterrupted = error instanceof Interruption;
    return {
      failure: isInterrupted ? { outcome: 'unknown', kind: 'interrupted' } : recordFailure(error),
      error,
    };
  }
}

type Sent = { readonly task: Task; readonly items: readonly Item[] };

/** Persons among its errors whom the batch is not about are never sent. */
function recordAnswered(work: Work, { task, items }: Sent, answer: BatchAnswer): void {
  const { run } = work;
  const planned = new Set(items.map(({ entry }) => personMemberOf(run, entry)));
  const recorded = recordAnswer(answer, (uuid) => run.memberOf('ids', uuid), planned);
  run.append({ type: 'answered', ...task, answer: recorded });
  work.hear(answer.serviceTime);
  work.stopping.succeeded();
}

/** What follows from a failed batch. `cut`: send it in smaller pieces. */
function recordFailed(
  { run, stopping }: Work,
  { task, items }: Sent,
  { failure, error }: Failed,
): 'cut' | 'go on' {
  run.append({ type: 'failed', ...task, failure });
  const { kind, status } = failure;
  // A bug of ours is written down as unknown and then shown as what it is.
  if (kind === 'bug') throw error;
  if (status === 400 && items.length > surePerCall) return 'cut';
  const reason = reasonToStop(kind, status);
  if (reason === undefined) stopping.failed({ kind, status });
  else stopFor(stopping, reason, { kind, status });
  return 'go on';
}

function stopFor(stopping: Stopping, reason: StopReason, { kind, status }: Omit<Stop, 'reason'>): void {
  // A script takes `not-found` for persons that are gone already, and here no person was asked for.
  stopping.request({ reason, kind: reason === 'no such endpoint' ? 'refused' : kind, status });
}

/** Why a failure stops the run at once, if it does. */
function reasonToStop(kind: ErrorKind, status = 0): StopReason | undefined {
  if (kind === 'interrupted' || kind === 'terminated') return 'interrupted';
  if (status === 401 || status === 403 || kind === 'authentication') return 'authentication';
  if (status === 404) return 'no such endpoint';
  return status >= 300 && status < 400 ? 'redirect' : undefined;
}

function loadPart(run: Run, { from, count }: Part): readonly Item[] {
  const items = run.entries(from, count).map((entry) => ({
    id: idToSend(entry),
    member: run.memberOf(entry.kind, entry.id),
    entry,
  }));
  return items;
}

/** The persons of the plan whom the service could not delete, whatever ids lead to them by now. */
function itemsOfFailed(run: Run, part: Part, items: readonly Item[]): readonly Item[] {
  const failed = failedIn(part);
  return items.flatMap(({ id, entry: { person } }): Item | readonly [] => {
    if (person === null) return [];
    const member = run.memberOf('ids', person.uuid);
    return failed.has(member) ? { id, member, entry: { kind: 'ids', id: person.uuid, person } } : [];
  });
}
