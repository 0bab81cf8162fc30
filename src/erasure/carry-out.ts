import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import { persons } from '../service/persons.ts';
import { nameRun } from './find-run.ts';
import type { carryingOptions } from './options.ts';
import { type Outcome, reconcile } from './outcome.ts';
import { checkEvents, readEventDeletions } from './proof.ts';
import { type ReceiptInput, writeFailed, writeReceipt } from './receipt.ts';
import { makeLookUp } from './resolve.ts';
import type { Run } from './run.ts';
import { runPlan } from './run-plan.ts';
import { partsOf, stateOf, tasksOf } from './run-state.ts';
import { findAnswer, type Send, toBatchAnswer } from './send.ts';
import { endWith, showOutcome } from './show-outcome.ts';

export type CarryOutOptions = Omit<OptionsInput<typeof carryingOptions>, 'receipt'> & {
  /** What to call the run in hints: its id, or its path. */
  readonly name: string;
  readonly answered?: ReceiptInput | undefined;
  readonly includeRecreated?: boolean | undefined;
};

/** Carries a run out to its end or as far as it goes, and shows what came of it. Throws what `endWith` throws. */
export async function carryOutAndShow(run: Run, options: CarryOutOptions, context: Context): Promise<void> {
  const { outcome, failure, unconfirmed } = await carryOut(run, options, context).catch((error: unknown) => {
    throw nameRun(error, options.name, context);
  });
  const isDone = outcome.verdict === 'done' && unconfirmed === undefined;
  const isDropping = isDone && options.dropIds === true;
  await showOutcome(run, outcome, { name: options.name, isDropping }, context);
  const { failed, answered } = options;
  const unwritten = [
    await tryToWrite(failed && (() => writeFailed(failed, run, context)), context),
    await tryToWrite(answered && (() => writeReceipt(answered, run, context)), context),
  ].find((error) => error !== undefined);
  if (isDropping) dropIds(run, options.name);
  endWith(outcome, { ...options, failure, unconfirmed, signal: context.signal });
  if (unwritten !== undefined) throw notWritten(unwritten, options.name);
}

/** All is done by then, so the code of what stopped it would say too little. */
function dropIds(run: Run, name: string): void {
  try {
    run.dropIds();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('partial', `everything was done, but the ids stay in the record: ${error.message}`, {
      hint: `make room on the disk; hogctl runs verify ${name} removes them when it holds`,
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
    if (!(error instanceof CliError)) throw error;
    context.warn(`warning: ${error.message}`);
    return error;
  }
}

function notWritten(cause: CliError, name: string): CliError {
  return new CliError('partial', `everything was sent, but ${cause.message}`, {
    hint: `hogctl runs show ${name} shows what came of the run`,
    cause,
  });
}

type CarriedOut = {
  readonly outcome: Outcome;
  /** The last error that a call of this session ended with, its ids masked. */
  readonly failure: CliError | undefined;
  /** Why the deletion of events could not be confirmed, though all was sent. */
  readonly unconfirmed: CliError | undefined;
};

/** Sends what is not known to be done, shows how far it is, and confirms event deletion where the service tells. */
async function carryOut(run: Run, carrying: CarryOutOptions, context: Context): Promise<CarriedOut> {
  const { project, host, keyLabel, dialect } = await context.settings();
  const { concurrency, rate, includeRecreated } = carrying;
  const { now, wait, signal, forcedSignal } = context;
  const total = idsToSend(run);
  const progress = context.progress({ label: 'ids', total, kind: carrying.progress });
  let serviceTime: string | undefined;
  const keepTime = (time: string) => {
    serviceTime = time;
  };
  const { send, failure } = keepFailure(await makeSend(context));
  try {
    await runPlan(run, {
      send,
      lookUp: await makeLookUp(context, keepTime),
      serviceTime: () => serviceTime,
      session: { host: host.address, projectId: project.id, keyLabel },
      now,
      wait,
      signal,
      forcedSignal,
      concurrency,
      rate,
      includeRecreated,
      onProgress: ({ answered, failed }) => progress.update(answered + failed, { failed }),
    });
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
    if (failure instanceof CliError) return failure;
    throw failure;
  }
}

/** The journal keeps kind and status alone; what the service said is for whoever sits there. */
function keepFailure(send: Send): { readonly send: Send; readonly failure: () => CliError | undefined } {
  let last: CliError | undefined;
  return {
    failure: () => last,
    send: async (batch, options) => {
      try {
        return await send(batch, options);
      } catch (thrown) {
        const isFailure = thrown instanceof CliError && findAnswer(thrown) === undefined;
        if (isFailure) last = maskIds(thrown, batch.ids);
        throw thrown;
      }
    },
  };
}

function idsToSend(run: Run): number {
  return partsOf(run.state())
    .filter(({ sending }) => stateOf(sending) !== 'done')
    .reduce((sum, { count }) => sum + count, 0);
}

/** Milliseconds for one bulk deletion unless `--timeout` says otherwise: the service does the work in the request. */
const BULK_TIMEOUT = 300_000;

/** Sends one batch as one bulk deletion, one list per call. */
async function makeSend(context: Context): Promise<Send> {
  const client = await context.client();
  const timeout = context.options.timeout === undefined ? BULK_TIMEOUT : undefined;
  return async ({ kind, ids, flags }) => {
    let lost = 0;
    let serviceTime: string | undefined;
    const summary = await client.call(
      persons.bulkDelete,
      {
        ...(kind === 'ids' ? { ids } : { distinct_ids: ids }),
        delete_events: flags.deleteEvents,
        delete_recordings: flags.deleteRecordings,
        keep_person: flags.keepPerson,
      },
      {
        timeout,
        onLost: () => {
          lost += 1;
        },
        onTime: (time) => {
          serviceTime = time;
        },
      },
    );
    return { ...toBatchAnswer(summary), lost, serviceTime };
  };
}

/** The same error, with each of the ids in its message replaced: the service may quote the ones that it refuses. */
function maskIds(error: CliError, ids: readonly string[]): CliError {
  const { kind, hint, status, code, outcome, cause } = error;
  let message = error.message;
  // The longest first, so that an id within another one leaves nothing of it behind.
  for (const id of [...ids].sort((left, right) => right.length - left.length)) {
    if (id !== String(status) && message.includes(id)) message = replaceWhole(message, id);
  }
  return new CliError(kind, message, { hint, status, code, outcome, cause });
}

function replaceWhole(text: string, id: string): string {
  const pattern = id.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'gu'), '(an id)');
}
