import type { Context } from '../../cli/context.ts';
import { refuseChangedIds } from '../../erasure/changed-ids.ts';
import { createRun, type RunPlace } from '../../erasure/create-run.ts';
import { findSameRun, isSameRun } from '../../erasure/list-runs.ts';
import { openRun } from '../../erasure/open-run.ts';
import type { Run } from '../../erasure/run.ts';
import { counted } from '../../errors.ts';
import { stopIfAsked } from '../runs/steps/stop-if-asked.ts';
import type { PlannedDeletion } from './plan-bulk-delete.ts';

export type BulkRunWish = {
  readonly planOnly?: boolean | undefined;
  readonly newRun?: boolean | undefined;
  readonly runDir?: string | undefined;
};

/**
 * Confirms a plan and writes it down, or goes on with the run that the same command began before.
 * Throws `cancelled` or `usage` like `context.confirm`, and `usage` where the record cannot be written.
 */
export async function openBulkRun(
  planned: PlannedDeletion,
  { place, planOnly, newRun }: BulkRunWish & { readonly place: RunPlace },
  context: Context,
): Promise<Run> {
  const { plan, people } = planned;
  const tools = { now: context.now, random: context.random, owner: context.owner };
  const same = newRun || planOnly ? undefined : findSame(place, planned);
  if (same !== undefined) {
    context.warn(
      `warning: the same deletion was begun before and is not done; this goes on with it (${same}), --new-run starts afresh`,
    );
    await context.confirm({ action: 'go on with that run' });
    return openUnchanged(same, tools);
  }
  if (!planOnly) await confirmPlan(planned, context);
  stopIfAsked(context);
  return createRun(place, { ...tools, plan, people });
}

/** The ids were compared already, but not whom they belong to. */
function openUnchanged(path: string, tools: Parameters<typeof openRun>[1]): Run {
  const run = openRun(path, tools);
  try {
    refuseChangedIds(run);
    return run;
  } catch (error) {
    run.close();
    throw error;
  }
}

function findSame(place: RunPlace, planned: PlannedDeletion): string | undefined {
  if ('stateDirectory' in place) return findSameRun(place.stateDirectory, planned);
  return isSameRun(place.directory, planned) ? place.directory : undefined;
}

async function confirmPlan({ plan, selected }: PlannedDeletion, context: Context): Promise<void> {
  const examples = selected ? `, for example ${selected.examples.join(', ')},` : '';
  const events = plan.flags.deleteEvents ? ' and request the deletion of their events' : '';
  const what = plan.flags.keepPerson
    ? `act on the persons of ${counted(plan.unique, 'id')}, keeping them`
    : `delete the persons of ${counted(plan.unique, 'id')}`;
  await context.confirm({
    action: `${what}${examples}${events}`,
    type: String(plan.unique),
    strict: selected?.isEverybody ?? false,
  });
}
