import type { Context } from '../../../cli/context.ts';
import type { RunRecord } from '../../../erasure/run.ts';

/** Says where a plan was written down, for somebody else to read and carry out; `name` is what to call the run. */
export async function showPlanned(run: RunRecord, name: string, context: Context): Promise<void> {
  const { unique, calls } = run.plan;
  await context.print({ run: run.id, directory: run.path, ids: unique, calls });
  context.note(`Nothing was sent. hogctl runs resume ${name} carries out exactly this plan.`);
}
