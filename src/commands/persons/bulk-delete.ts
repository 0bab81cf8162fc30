import type { Context } from '../../cli/context.ts';
import { type CarryingWish, carryOutAndShow } from '../runs/steps/carry-out-and-show.ts';
import { planLines, planRecord } from '../runs/steps/plan-text.ts';
import { showPlanned } from '../runs/steps/show-planned.ts';
import { type BulkRunWish, openBulkRun } from './open-bulk-run.ts';
import { type BulkDeleteInput, planBulkDelete } from './plan-bulk-delete.ts';

/**
 * Plans a bulk deletion, has it confirmed, writes it down and carries it out, or stops before one of these where the
 * input says so. Throws a usage error before anything is sent, and what came of the run unless all was done.
 */
export async function bulkDelete(
  input: BulkDeleteInput & BulkRunWish & CarryingWish,
  context: Context,
): Promise<void> {
  if (!input.planOnly) context.requireConsent({ action: 'delete persons' });
  const planned = await planBulkDelete(input, context);
  if (context.dryRun) return context.print(planRecord(planned.plan));
  for (const line of planLines(planned.plan)) context.note(line);
  const run = await openBulkRun(planned, input, context);
  try {
    if (input.planOnly) await showPlanned(run, planned.plan, context);
    else await carryOutAndShow(run, input, context);
  } finally {
    run.close();
  }
}
