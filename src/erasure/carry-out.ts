import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, foreseen } from '../errors.ts';
import { persons } from '../service/persons.ts';
import { nameRun } from './find-run.ts';
import { findAnswer, toBatchAnswer } from './journal.ts';
import type { carryingOptions } from './options.ts';
import { reconcile } from './outcome.ts';
import { surePerCall } from './plan.ts';
import { checkEvents, readEventDeletions } from './proof.ts';
import { type ReceiptInput, writeFailed, writeReceipt } from './receipt.ts';
import { inLanes, makeLookUp } from './resolve.ts';
import type { Run } from './run.ts';
import { needsLookUp, type Part, partsOf, stateOf, tasksOf } from './run-state.ts';
import {
  openSession,
  type RunOptions,
  requireSameProject,
  type Send,
  type Session,
  sendPart,
  type Work,
  wireFlags,
} from './send.ts';
import { endWith, showOutcome } from './show-outcome.ts';

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
  // The outcome comes first, so what stopped a file is told and kept.
  const unwritten = [
    failed ? await failureOf(() => writeFailed(failed, run, context)) : undefined,
    answered && (await failureOf(() => writeReceipt(answered, run, context))),
  ].flatMap((error) => error ?? []);
  for (const { message } of unwritten) context.warn(`warning: ${message}`);
  if (isDropping) dropIds(run, options.name);
  endWith(outcome, { ...options, failure, unconfirmed, signal: context.signal });
  const [first] = unwritten;
  if (first === undefined) return;
  throw new CliError('partial', `everything was sent, but ${first.message}`, {
    hint: `hogctl runs resume ${options.name} writes it again, with --failed, or with --from, --as and --receipt`,
    cause: first,
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

/** What is no bug of ours, if a work ends with it. */
async function failureOf(work: () => Promise<unknown>): Promise<CliError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return foreseen(error);
  }
}

/** Sends what is not known to be done, shows how far it is, and confirms event deletion if the service tells. */
async function carryOut(run: Run, carrying: CarryOutOptions, context: Context) {
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
  // The deletions are done by now: a look that fails must not read as if they were not.
  const confirm = () => checkEvents(run, () => readEventDeletions(context));
  const unconfirmed = confirms ? await failureOf(confirm) : undefined;
  return { outcome: reconcile(run), failure: failure(), unconfirmed };
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

/**
 * Sends all that is not known to be done, a new run as well as one that was interrupted. Throws a usage error before
 * anything is sent; `unavailable` or, after the first call, `partial` when the journal cannot be written. Failed batches
 * are no error here: they are in the outcome.
 */
export async function runPlan(run: Run, options: RunOptions, session: Session): Promise<void> {
  const { project, host, keyLabel } = await requireSameProject(run, session);
  // Before the first line of the session, if the record lost its ids.
  if (!run.hasIds && tasksOf(run.state()).length > 0) run.entries(0, 1);
  const { concurrency = run.plan.concurrency ?? 1 } = options;
  const work = await openSession(run, options, session);
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
