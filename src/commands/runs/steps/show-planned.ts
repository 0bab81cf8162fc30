import type { Context } from '../../../cli/context.ts';
import type { Plan } from '../../../erasure/make-plan.ts';
import type { RunRecord } from '../../../erasure/run.ts';

/** Says where a plan was written down, for somebody else to read and carry out. */
export async function showPlanned(run: RunRecord, plan: Plan, context: Context): Promise<void> {
  await context.print({ run: run.id, directory: run.path, ids: plan.unique, calls: plan.calls });
  context.note(`Nothing was sent. hogctl runs resume ${run.id} carries out exactly this plan.`);
}
