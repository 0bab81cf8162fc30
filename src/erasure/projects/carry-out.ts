import type { OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, changed, foreseen } from '../../errors.ts';
import { persons } from '../../service/persons.ts';
import type { carryingOptions } from '../options.ts';
import { checkEvents, readEventDeletions } from '../proof/verdict.ts';
import { findAnswer, toBatchAnswer } from '../record/journal.ts';
import type { Run } from '../record/open.ts';
import { reconcile } from '../record/outcome.ts';
import { partsOf, stateOf, tasksOf } from '../record/state.ts';
import { showOutcome } from '../report/end.ts';
import { endWith } from '../report/error.ts';
import { type ReceiptInput, writeReceipt } from '../report/receipt.ts';
import { makeLookUpOfGone } from '../sending/look-again.ts';
import { type RunOptions, runPlan, type Send, wireFlags } from '../sending/run.ts';

export type CarryOutOptions = Omit<OptionsInput<typeof carryingOptions>, 'receipt'> & {
  /** What to call the run in hints: its id, or its path. */
  readonly name: string;
  readonly answered?: ReceiptInput | undefined;
  readonly isPart?: boolean | undefined;
};

/** Carries a run out to its end or as far as it goes, and shows what came of it. Throws what `endWith` throws. */
export async function carryOutAndShow(run: Run, options: CarryOutOptions, context: Context): Promise<void> {
  const { outcome, failure, unconfirmed } = await carryOut(run, options, context).catch((error: unknown) => {
    throw nameRun(error, options.name, context);
  });
  const isDone = outcome.verdict === 'done' && unconfirmed === undefined;
  await showOutcome(run, outcome, options, context);
  const { answered } = options;
  // The outcome comes first, so what stopped the receipt is told and kept.
  const unwritten = answered && (await failureOf(() => writeReceipt(answered, run, context)));
  if (unwritten) context.warn(`warning: ${unwritten.message}`);
  if (!isDone) endWith(outcome, { ...options, failure, unconfirmed, signal: context.signal });
  if (unwritten === undefined) return;
  throw new CliError('partial', `everything was sent, but ${unwritten.message}`, {
    hint: `hogctl runs resume ${options.name} writes it again, with --from, --as and --receipt`,
    cause: unwritten,
  });
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
  const progress = context.progress({ label: 'ids', total });
  const { send, failure } = await makeSend(context);
  let unlooked: CliError | undefined;
  try {
    const onProgress: RunOptions['onProgress'] = ({ answered, failed }) =>
      progress.update(answered + failed, { failed });
    const lookUp: RunOptions['lookUp'] = (onTime) => makeLookUpOfGone(context, onTime);
    unlooked = await runPlan(run, { ...carrying, send, lookUp, onProgress }, context);
  } finally {
    progress.end();
  }
  const confirms = dialect === 'live' && run.plan.flags.deleteEvents && tasksOf(run.state()).length === 0;
  // The deletions are done by now: a look that fails must not read as if they were not.
  const confirm = () => checkEvents(run, () => readEventDeletions(run, context));
  const unconfirmed = confirms ? await failureOf(confirm) : undefined;
  return { outcome: reconcile(run), failure: unlooked ?? failure(), unconfirmed };
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
  const send: Send = async ({ ids, flags }, listeners) => {
    const input = { ids, ...wireFlags(flags) };
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
 * What ended a run in its midst, with the name of the run and how to go on with it: nothing else has told of it by then.
 * A usage error comes before the first call and stays as it is, and so does a bug, beside which the name is told.
 */
export function nameRun(error: unknown, name: string, context: Context): unknown {
  const resume = `hogctl runs resume ${name} sends what is left`;
  if (!(error instanceof CliError)) {
    context.warn(`Run ${name}: ${resume}.`);
    return error;
  }
  if (error.kind === 'usage') return error;
  const hint = [error.hint, resume].filter(Boolean).join('; then ');
  return changed(error, { message: `run ${name}: ${error.message}`, hint });
}
