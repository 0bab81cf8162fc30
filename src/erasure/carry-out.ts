import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, foreseen, raceAbort } from '../errors.ts';
import { persons } from '../service/persons.ts';
import { nameRun } from './find-run.ts';
import type { Stop } from './journal.ts';
import type { carryingOptions } from './options.ts';
import { lastAnswer, type Outcome, reconcile } from './outcome.ts';
import { surePerCall } from './plan.ts';
import { checkEvents, readEventDeletions } from './proof.ts';
import { type ReceiptInput, writeFailed, writeReceipt } from './receipt.ts';
import { inLanes, makeLookUp } from './resolve.ts';
import type { Run } from './run.ts';
import { needsLookUp, type Part, partsOf, stateOf, tasksOf } from './run-state.ts';
import {
  type Destination,
  findAnswer,
  refuseOtherProject,
  type Send,
  sendPart,
  toBatchAnswer,
  type Work,
  wireFlags,
} from './send.ts';
import { endWith, showOutcome } from './show-outcome.ts';
import type { LookUp } from './sql-store.ts';

export type CarryOutOptions = Omit<OptionsInput<typeof carryingOptions>, 'receipt'> & {
  /** What to call the run in hints: its id, or its path. */
  readonly name: string;
  readonly answered?: ReceiptInput | undefined;
  readonly includeRecreated?: boolean | undefined;
  readonly isPart?: boolean | undefined;
};

/** Carries a run out to its end or as far as it goes, and shows what came of it. Throws what `endWith` throws. */
export async function carryOutAndShow(run: Run, options: CarryOutOptions, context: Context): Promise<void> {
  const { outcome, failure, unconfirmed } = await carryOut(run, options, context).catch((error: unknown) => {
    throw nameRun(error, options.name, context);
  });
  const isDone = outcome.verdict === 'done' && unconfirmed === undefined;
  const isDropping = isDone && options.dropIds === true;
  await showOutcome(run, outcome, { ...options, isDropping }, context);
  const { failed, answered } = options;
  const unwritten = [
    await tryToWrite(failed && (() => writeFailed(failed, run, context)), context),
    await tryToWrite(answered && (() => writeReceipt(answered, run, context)), context),
  ].find((error) => error !== undefined);
  if (isDropping) dropIds(run, options.name);
  endWith(outcome, { ...options, failure, unconfirmed, signal: context.signal });
  if (unwritten === undefined) return;
  throw new CliError('partial', `everything was sent, but ${unwritten.message}`, {
    hint: `hogctl runs show ${options.name} shows what came of the run`,
    cause: unwritten,
  });
}

/** All is done by then, so the code of what stopped it would say too little. */
function dropIds(run: Run, name: string): void {
  try {
    run.dropIds();
  } catch (error) {
    const { message } = foreseen(error);
    throw new CliError('partial', `everything was done, but the ids stay in the record: ${message}`, {
      hint: `make room on the disk, then run hogctl runs verify ${name}; it removes the ids once all is done`,
      cause: error,
    });
  }
}

/** After the run its own outcome comes first, so what stopped the file is told and kept. */
async function tryToWrite(
  write: '' | (() => Promise<void>) | undefined,
  context: Context,
): Promise<CliError | undefined> {
  if (!write) return undefined;
  try {
    return await write().then(() => undefined);
  } catch (error) {
    const failure = foreseen(error);
    context.warn(`warning: ${failure.message}`);
    return failure;
  }
}

type CarriedOut = {
  readonly outcome: Outcome;
  /** The last error that a call of this session ended with, its ids masked. */
  readonly failure: CliError | undefined;
  readonly unconfirmed: CliError | undefined;
};

/** Sends what is not known to be done, shows how far it is, and confirms event deletion if the service tells. */
async function carryOut(run: Run, carrying: CarryOutOptions, context: Context): Promise<CarriedOut> {
  const { dialect } = await context.settings();
  const unsent = partsOf(run.state()).filter(({ sending }) => stateOf(sending) !== 'done');
  const total = unsent.reduce((sum, { count }) => sum + count, 0);
  const progress = context.progress({ label: 'ids', total, kind: carrying.progress });
  const { send, failure } = await makeSend(context);
  try {
    const onProgress: RunOptions['onProgress'] = ({ answered, failed }) =>
      progress.update(answered + failed, { failed });
    const lookUp: RunOptions['lookUp'] = (onTime) => makeLookUp(context, onTime);
    await runPlan(run, { ...carrying, send, lookUp, onProgress }, context);
  } finally {
    progress.end();
  }
  const confirms = dialect === 'live' && run.plan.flags.deleteEvents && tasksOf(run.state()).length === 0;
  const unconfirmed = confirms ? await confirmEvents(run, context) : undefined;
  return { outcome: reconcile(run), failure: failure(), unconfirmed };
}

/** The deletions are done by now: a look that fails must not read as if they were not. */
async function confirmEvents(run: Run, context: Context): Promise<CliError | undefined> {
  try {
    await checkEvents(run, () => readEventDeletions(context));
    return undefined;
  } catch (failure) {
    return foreseen(failure);
  }
}

/** Milliseconds for one bulk deletion unless `--timeout` says otherwise: the service does the work in the request. */
const BULK_TIMEOUT = 300_000;

/**
 * Sends one batch as one bulk deletion, one list per call. The journal keeps kind and status of a failure only; what the
 * service said of the last one is kept for the person at the terminal.
 */
async function makeSend(context: Context): Promise<{ send: Send; failure: () => CliError | undefined }> {
  const client = await context.client();
  const timeout = context.options.timeout === undefined ? BULK_TIMEOUT : undefined;
  let failure: CliError | undefined;
  const send: Send = async ({ kind, ids, flags }, listeners) => {
    const list = kind === 'ids' ? { ids } : { distinct_ids: ids };
    const input = { ...list, ...wireFlags(flags) };
    try {
      return toBatchAnswer(await client.call(persons.bulkDelete, input, { timeout, ...listeners }));
    } catch (thrown) {
      if (thrown instanceof CliError && findAnswer(thrown) === undefined) failure = maskIds(thrown, ids);
      throw thrown;
    }
  };
  return { send, failure: () => failure };
}

/** The same error, with each of the ids in its message replaced: the service may quote the ones that it refuses. */
function maskIds(error: CliError, ids: readonly string[]): CliError {
  const { kind, hint, status, code, outcome, cause } = error;
  let message = error.message;
  // The longest first, so that an id within another one leaves nothing of it behind.
  for (const id of [...ids].sort((left, right) => right.length - left.length)) {
    if (id === String(status) || !message.includes(id)) continue;
    const pattern = id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'gu');
    message = message.replace(whole, '(an id)');
  }
  return new CliError(kind, message, { hint, status, code, outcome, cause });
}

export type RunOptions = {
  readonly send: Send;
  /** How to look people up, if an answer was lost more than 15 minutes ago; `onTime` is told the service's clock. */
  readonly lookUp: (onTime: (time: string) => void) => Promise<LookUp>;
  /** Ids of this session, as calls end. */
  readonly onProgress?: ((progress: Readonly<Progress>) => void) | undefined;
  /** Calls at the same time, and calls per minute. Without them those of the plan hold. */
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
  readonly includeRecreated?: boolean | undefined;
};

type Progress = { answered: number; failed: number };

/** `signal`: finish what is in flight. `forcedSignal`: stop now. The settings must lead to the project of the plan. */
type Session = Pick<Context, 'now' | 'wait' | 'signal' | 'forcedSignal'> & Destination;

/**
 * Sends all that is not known to be done, a new run as well as one that was interrupted. Throws a usage error before
 * anything is sent; `unavailable` or, after the first call, `partial` when the journal cannot be written. Failed batches
 * are no error here: they are in the outcome.
 */
export async function runPlan(run: Run, options: RunOptions, session: Session): Promise<void> {
  await refuseOtherProject(run, session);
  // Before the first line of the session, if the record lost its ids.
  if (!run.hasIds && tasksOf(run.state()).length > 0) run.entries(0, 1);
  const { project, host, keyLabel } = await session.settings();
  const { concurrency = run.plan.concurrency ?? 1 } = options;
  const work = await prepare(run, options, session);
  const resumed = run.state().sessions.length > 0;
  try {
    run.append({ type: 'started', host: host.address, project: project.id, key: keyLabel ?? null, resumed });
    await sendAll(work, concurrency, () => true);
    // One more time for answers that were lost just now; anything older waits for `runs resume`.
    const isLost = ({ sending }: Part) =>
      stateOf(sending) === 'unknown' && !needsLookUp(sending, session.now());
    await sendAll(work, concurrency, isLost);
    const isOpen = tasksOf(run.state()).length > 0;
    run.append({ type: 'ended', stopped: (isOpen ? work.stopping.stop() : undefined) ?? null });
  } catch (error) {
    throw toPartial(run, error);
  }
}

async function prepare(run: Run, options: RunOptions, session: Session): Promise<Work> {
  const { rate = run.plan.rate, onProgress, includeRecreated = false } = options;
  const progress = { answered: 0, failed: 0 };
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
    lookUp: await options.lookUp(hear),
    includeRecreated,
    now: session.now,
    forcedSignal: session.forcedSignal,
    stopping: createStopping(session),
    pace: createPace(rate, session),
    hear,
    serviceTime: () => serviceTime || undefined,
    named: new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid])),
    onAnswer(count, result) {
      progress[result] += count;
      onProgress?.({ ...progress });
    },
  };
}

/** What keeps a run from sending more, as it was told first. */
function createStopping({ signal, forcedSignal }: Session): Work['stopping'] {
  let asked: Stop | undefined;
  let failures = 0;
  return {
    stop() {
      if (asked === undefined && (signal.aborted || forcedSignal.aborted))
        return { reason: 'interrupted', kind: 'interrupted' };
      return asked;
    },
    request(stop) {
      asked ??= stop;
    },
    succeeded() {
      failures = 0;
    },
    failed(failure) {
      failures += 1;
      if (failures === FAILURES_IN_A_ROW) asked ??= { reason: 'three failures in a row', ...failure };
    },
  };
}

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
    const hasErrors = find(part)?.errors.some(({ person }) => person !== null) === true;
    if (hasErrors && stopping.stop() === undefined) await sendPart(work, { ...task, retry: true });
  }
}

function toPartial(run: Run, error: unknown): unknown {
  const isNothingSent = partsOf(run.state()).every(({ sending }) => sending.attempts === 0);
  if (!(error instanceof CliError) || error.kind !== 'unavailable' || isNothingSent) return error;
  return new CliError('partial', error.message, { hint: error.hint, cause: error });
}
