import type { Context } from '../../../cli/context.ts';
import type { ProgressKind } from '../../../cli/outside/progress.ts';
import { type Outcome, reconcile } from '../../../erasure/outcome.ts';
import { tasksOf } from '../../../erasure/resume-decision.ts';
import type { Run } from '../../../erasure/run.ts';
import { runPlan } from '../../../erasure/run-plan.ts';
import { partsOf } from '../../../erasure/run-state.ts';
import { checkEvents } from '../../../erasure/verify-run.ts';
import { findEventDeletions } from './find-event-deletions.ts';
import { makeLookUp } from './look-up.ts';
import { makeSend } from './send-batch.ts';

export type Carrying = {
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
  readonly includeRecreated?: boolean | undefined;
  readonly progress?: 'auto' | 'json' | 'none' | undefined;
};

/** Sends what is not known to be done, shows how far it is, and confirms event deletion where the service tells. */
export async function carryOut(run: Run, carrying: Carrying, context: Context): Promise<Outcome> {
  const { project, host, keyLabel, dialect } = await context.settings();
  const total = idsToSend(run);
  const progress = context.progress({ label: 'ids', total, kind: progressKind(carrying, context) });
  try {
    await runPlan(run, {
      send: await makeSend(context),
      lookUp: await makeLookUp(context),
      session: { host: host.address, projectId: project.id, keyLabel },
      now: context.now,
      wait: context.wait,
      signal: context.signal,
      forcedSignal: context.forcedSignal,
      concurrency: carrying.concurrency,
      rate: carrying.rate,
      includeRecreated: carrying.includeRecreated,
      onProgress: ({ answered, failed }) => progress.update(answered + failed, { failed }),
    });
  } finally {
    progress.end();
  }
  const confirms = dialect === 'live' && run.plan.flags.deleteEvents && tasksOf(run.state()).length === 0;
  if (confirms) await checkEvents(run, { findEventDeletions: await findEventDeletions(context) });
  return reconcile(run);
}

function idsToSend(run: Run): number {
  return partsOf(run.state())
    .filter(({ sending }) => sending.answer === undefined)
    .reduce((sum, { count }) => sum + count, 0);
}

function progressKind({ progress }: Carrying, { options }: Context): ProgressKind {
  return progress ?? (options.quiet ? 'none' : 'auto');
}
