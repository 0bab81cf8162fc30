import type { Context } from '../cli/context.ts';
import { counted } from '../errors.ts';
import { listRuns, type RunSummary, removeRun } from './find-run.ts';
import { openRun } from './run.ts';

/** Removes the ids of old runs that are done, and all that a crash left of runs that never began. */
export async function pruneRuns(
  { olderThan = 30 }: { readonly olderThan?: number | undefined },
  context: Context,
) {
  const before = context.now() - olderThan * 24 * 3_600_000;
  const runs = listRuns(context.stateDirectory(), { owner: context.owner });
  const old = runs.filter((run) => isDone(run) && Date.parse(run.plan?.createdAt ?? '') <= before);
  const unbegun = runs.filter(({ neverBegan }) => neverBegan);
  if (old.length + unbegun.length === 0) return context.note('No run has ids to remove.');
  const actions = [
    old.length > 0 ? `remove the ids from the records of ${old.length} runs` : '',
    unbegun.length > 0 ? `remove ${counted(unbegun.length, 'run')} that a crash kept from beginning` : '',
  ];
  await context.confirm({ action: actions.filter(Boolean).join(' and '), local: true });
  if (context.dryRun) return;
  const { now, random, owner } = context;
  for (const { path, id } of old) {
    const run = openRun(path, { now, random, owner });
    run.dropIds();
    run.close();
    context.report(`Removed the ids of run ${id}.`);
  }
  for (const { path, id } of unbegun) {
    removeRun(path, { now, random, owner });
    context.report(`Removed run ${id}, which never began.`);
  }
}

function isDone({ plan, hasIds, isOpen, atWork }: RunSummary): boolean {
  return plan !== undefined && hasIds === true && !isOpen && !atWork;
}
