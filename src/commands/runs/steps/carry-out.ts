import type { Context } from '../../../cli/context.ts';
import { findAnswer, type Send } from '../../../erasure/batch-answer.ts';
import { type Outcome, reconcile } from '../../../erasure/outcome.ts';
import { tasksOf } from '../../../erasure/resume-decision.ts';
import type { Run } from '../../../erasure/run.ts';
import { runPlan } from '../../../erasure/run-plan.ts';
import { partsOf, stateOf } from '../../../erasure/run-state.ts';
import { checkEvents } from '../../../erasure/verify-run.ts';
import { CliError } from '../../../errors.ts';
import { makeLookUp } from './look-up.ts';
import { maskIds } from './mask-ids.ts';
import { type ProgressWish, progressKind } from './progress-kind.ts';
import { readEventDeletions } from './read-event-deletions.ts';
import { makeSend } from './send-batch.ts';

export type Carrying = ProgressWish & {
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
  readonly includeRecreated?: boolean | undefined;
};

export type CarriedOut = {
  readonly outcome: Outcome;
  /** The last error that a call of this session ended with, its ids masked. */
  readonly failure: CliError | undefined;
  /** Why the deletion of events could not be confirmed, though all was sent. */
  readonly unconfirmed: CliError | undefined;
};

/** Sends what is not known to be done, shows how far it is, and confirms event deletion where the service tells. */
export async function carryOut(run: Run, carrying: Carrying, context: Context): Promise<CarriedOut> {
  const { project, host, keyLabel, dialect } = await context.settings();
  const { concurrency, rate, includeRecreated } = carrying;
  const { now, wait, signal, forcedSignal } = context;
  const total = idsToSend(run);
  const progress = context.progress({ label: 'ids', total, kind: progressKind(carrying, context) });
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
    await checkEvents(run, await readEventDeletions(context));
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
