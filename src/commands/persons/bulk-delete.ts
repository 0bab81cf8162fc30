import type { Context } from '../../cli/context.ts';
import { checkPlace, type RunPlace } from '../../erasure/create-run.ts';
import type { Run } from '../../erasure/run.ts';
import { printKnown } from '../print-known.ts';
import { type CarryingWish, carryOutAndShow } from '../runs/steps/carry-out-and-show.ts';
import { planLines, planRecord } from '../runs/steps/plan-text.ts';
import { nameOfPath } from '../runs/steps/run-name.ts';
import { showPlanned } from '../runs/steps/show-planned.ts';
import { type BulkRunWish, openBulkRun } from './open-bulk-run.ts';
import { type BulkDeleteInput, planBulkDelete } from './plan-bulk-delete.ts';

type BulkDeletion = BulkDeleteInput & BulkRunWish & Omit<CarryingWish, 'name'>;

/**
 * Plans a bulk deletion, has it confirmed, writes it down and carries it out, or stops before one of these where the
 * input says so. Throws a usage error before anything is sent, and what came of the run unless all was done.
 */
export async function bulkDelete(input: BulkDeletion, context: Context): Promise<void> {
  if (!input.planOnly) context.requireConsent({ action: 'delete persons' });
  if (context.dryRun) {
    const planned = await planBulkDelete(input, context);
    return planned && printKnown(planRecord(planned.plan), context);
  }
  if (input.failed !== undefined) await context.files.tryPrivate(input.failed);
  const run = await startRun(input, context);
  if (run === undefined) return;
  const name = input.runDir === undefined ? run.id : nameOfPath(input.runDir);
  try {
    if (input.planOnly) await showPlanned(run, name, context);
    else await carryOutAndShow(run, { ...input, name }, context);
  } finally {
    run.close();
  }
}

/** The ids in memory end with this function: a run reads them from its record, and there may be a million. */
async function startRun(input: BulkDeletion, context: Context): Promise<Run | undefined> {
  const { now, random, owner } = context;
  const place: RunPlace =
    input.runDir === undefined ? { stateDirectory: context.stateDirectory() } : { directory: input.runDir };
  checkPlace(place, { now, random, owner });
  const planned = await planBulkDelete(input, context);
  if (planned === undefined) return undefined;
  for (const line of planLines(planned.plan)) context.note(line);
  return openBulkRun(planned, { ...input, place }, context);
}
