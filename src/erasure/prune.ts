import type { Context } from '../cli/context.ts';
import { CliError, counted, usageError } from '../errors.ts';
import { listRuns, type RunSummary, removeRun, runPath } from './find-run.ts';
import { openRun } from './run.ts';
import { owedOf } from './verified.ts';

type Pruning = { readonly run?: string | undefined; readonly olderThan?: number | undefined };

/**
 * Removes the ids of old runs that owe nothing, and all that a crash left of runs that never began; or the ids of one
 * run that is named, whatever it owes.
 */
export async function pruneRuns({ run, olderThan }: Pruning, context: Context): Promise<void> {
  if (run !== undefined && olderThan !== undefined)
    throw usageError('--older-than chooses among all runs', 'leave it out, or the run');
  if (run !== undefined) return giveUpRun(run, context);
  const before = context.now() - (olderThan ?? 30) * 24 * 3_600_000;
  const runs = listRuns(context.stateDirectory(), { owner: context.owner });
  const rows = runs.flatMap((one) => toRow(one, before) ?? []);
  if (context.dryRun) return context.print(rows.map(({ path: _, ...row }) => row));
  const kept = rows.filter(({ action }) => action === 'keep').length;
  if (kept > 0)
    context.note(
      `${counted(kept, 'run')} ${kept === 1 ? 'keeps its ids, since it owes' : 'keep their ids, since they owe'} something; hogctl runs verify --due asks.`,
    );
  const old = rows.filter(({ action }) => action === 'remove ids');
  const unbegun = rows.filter(({ action }) => action === 'remove');
  if (old.length + unbegun.length === 0) return context.note('No run has ids to remove.');
  const actions = [
    old.length > 0 ? `remove the ids from the records of ${counted(old.length, 'run')}` : '',
    unbegun.length > 0 ? `remove ${counted(unbegun.length, 'run')} that a crash kept from beginning` : '',
  ];
  await context.confirm({ action: actions.filter(Boolean).join(' and '), local: true });
  for (const { path } of old) dropIds(path, context);
  const { now, random, owner } = context;
  for (const { path, run: id } of unbegun) {
    removeRun(path, { now, random, owner });
    context.report(`Removed run ${id}, which never began.`);
  }
}

type PruneRow = {
  readonly run: string;
  readonly action: 'remove ids' | 'remove' | 'keep';
  readonly reason: string;
  readonly planned_at: string | null;
  readonly path: string;
};

/** What is to be done with an old run; nothing for one that is not old, has no ids or is at work. */
function toRow(
  { id, path, plan, hasIds, isOpen, atWork, owed = [], neverBegan }: RunSummary,
  before: number,
) {
  const named = { run: id, planned_at: plan?.createdAt ?? null, path };
  const row = (action: PruneRow['action'], reason: string): PruneRow => ({ ...named, action, reason });
  if (neverBegan) return row('remove', 'a crash kept it from beginning');
  if (plan === undefined || !hasIds || atWork || Date.parse(plan.createdAt) > before) return undefined;
  if (isOpen) return row('keep', 'it can be resumed');
  return owed.length > 0 ? row('keep', `it owes ${owed.join(', ')}`) : row('remove ids', 'it owes nothing');
}

/** What it owes can be asked about no more, so the record says that it was owed. */
async function giveUpRun(name: string, context: Context): Promise<void> {
  const path = runPath(name, context);
  const { now, random, owner } = context;
  const run = openRun(path, { now, random, owner });
  try {
    if (!run.hasIds) throw new CliError('refused', `the ids of run ${run.id} were dropped before`);
    const owed = owedOf(run);
    const owing = owed.length === 0 ? '' : `, which still owes ${owed.join(', ')}`;
    if (context.dryRun) {
      const row = {
        run: run.id,
        action: 'remove ids',
        reason: owed.length === 0 ? 'it owes nothing' : `it owes ${owed.join(', ')}`,
      };
      return await context.print([{ ...row, planned_at: run.plan.createdAt }]);
    }
    await context.confirm({ action: `remove the ids from the record of run ${run.id}${owing}`, local: true });
    run.dropIds(owed);
    context.report(`Removed the ids of run ${run.id}.`);
  } finally {
    run.close();
  }
}

function dropIds(path: string, { now, random, owner, report }: Context): void {
  const run = openRun(path, { now, random, owner });
  try {
    run.dropIds();
    report(`Removed the ids of run ${run.id}.`);
  } finally {
    run.close();
  }
}
