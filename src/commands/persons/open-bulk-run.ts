import type { Context } from '../../cli/context.ts';
import { createRun } from '../../erasure/create-run.ts';
import { findSameRun } from '../../erasure/list-runs.ts';
import { openRun } from '../../erasure/open-run.ts';
import type { Run } from '../../erasure/run.ts';
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
  wish: BulkRunWish,
  context: Context,
): Promise<Run> {
  const { plan, people } = planned;
  const tools = { now: context.now, random: context.random, owner: context.owner };
  const place =
    wish.runDir === undefined ? { stateDirectory: context.stateDirectory() } : { directory: wish.runDir };
  const same =
    wish.newRun || wish.planOnly || wish.runDir !== undefined
      ? undefined
      : findSameRun(context.stateDirectory(), { plan, people });
  if (same !== undefined) {
    context.warn(
      `warning: the same deletion was begun before and is not done; this goes on with it (${same})`,
    );
    await context.confirm({ action: 'go on with that run' });
    return openRun(same, tools);
  }
  if (!wish.planOnly) await confirmPlan(planned, context);
  return createRun(place, { ...tools, plan, people });
}

async function confirmPlan({ plan, selected }: PlannedDeletion, context: Context): Promise<void> {
  const examples = selected ? `, for example ${selected.examples.join(', ')},` : '';
  const events = plan.flags.deleteEvents ? ' and request the deletion of their events' : '';
  const what = plan.flags.keepPerson
    ? `act on ${plan.unique} persons, keeping them`
    : `delete ${plan.unique} persons`;
  await context.confirm({
    action: `${what}${examples}${events}`,
    type: String(plan.unique),
    strict: selected?.isEverybody ?? false,
  });
}
