import type { Context } from '../cli/context.ts';
import { CliError, counted, foreseen, joinKinds, usageError } from '../errors.ts';
import { type Duration, inMilliseconds } from '../semantics/calendar.ts';
import { eachRun, type Step } from './projects/each-run.ts';
import { listRuns, type RunSummary } from './proof/summary.ts';
import { owedOf } from './proof/verdict.ts';
import { runPath } from './record/find.ts';
import type { Owed } from './record/journal.ts';
import { openRun, type Run } from './record/open.ts';
import { removeUnbegunRun } from './record/unreadable.ts';

type Pruning = { readonly run?: string | undefined; readonly olderThan?: Duration | undefined };

/**
 * Removes the ids of old runs that owe nothing, and all that a crash left of runs that never began; or the ids of one
 * run or request that is named, whatever it owes.
 */
export async function pruneRuns({ run, olderThan }: Pruning, context: Context): Promise<void> {
  if (run !== undefined && olderThan !== undefined)
    throw usageError(
      '--older-than chooses among all runs, so it does not go with one run',
      'leave one of them out',
    );
  if (run !== undefined) return giveUp(run, context);
  const before = context.now() - inMilliseconds(olderThan ?? { count: 30, unit: 'DAY' });
  const runs = listRuns(context.stateDirectory(), context);
  const unread = runs.filter(({ plan, neverBegan }) => plan === undefined && !neverBegan);
  for (const { id, problem } of unread) context.warn(`warning: run ${id} is ${problem}`);
  const rows = runs.flatMap((one) => toRow(one, before) ?? []);
  const failures = context.dryRun ? [] : await removeOld(rows, context);
  if (context.dryRun) await context.print(rows.map(({ path: _, ...row }) => row));
  const left = unread.length + failures.length;
  if (left === 0) return;
  const all = unread.length + rows.filter(({ action }) => action === 'remove ids').length;
  const keep = `${left} of ${counted(all, 'run')} ${left === 1 ? 'keeps its ids' : 'keep their ids'}`;
  throw new CliError(joinKinds(failures, { isAnyDone: unread.length > 0 || left < all }), keep, {
    hint: failures[0]?.hint ?? 'hogctl runs check <run> says what is wrong with it',
  });
}

/** Does what was found, after a question, and returns what kept runs from losing their ids. */
async function removeOld(rows: readonly PruneRow[], context: Context): Promise<readonly CliError[]> {
  const kept = rows.filter(({ action }) => action === 'keep').length;
  if (kept > 0)
    context.note(
      `${counted(kept, 'run')} ${kept === 1 ? 'keeps its ids, since it owes' : 'keep their ids, since they owe'} something; hogctl runs verify --due asks whether it is done.`,
    );
  const old = rows.filter(({ action }) => action === 'remove ids');
  const unbegun = rows.filter(({ action }) => action === 'remove');
  if (old.length + unbegun.length === 0) {
    context.note('No run has ids to remove.');
    return [];
  }
  const actions = listActions([
    [old.length, `remove the ids from the records of ${counted(old.length, 'run')}`],
    [
      unbegun.length,
      `remove ${counted(unbegun.length, 'run')} that crashed before ${unbegun.length === 1 ? 'it' : 'they'} began`,
    ],
  ]);
  await context.confirm({ action: actions.join(' and '), local: true });
  const failures = old.flatMap(({ path, run }) => dropIdsIn(path, run, context) ?? []);
  for (const { path, run: id } of unbegun) {
    const isRemoved = removeUnbegunRun(path, context);
    if (isRemoved) context.report(`Removed run ${id}, which never began.`);
    else context.warn(`warning: run ${id} has begun meanwhile, so it was kept`);
  }
  return failures;
}

/** What keeps one run from losing its ids must not keep the others. */
function dropIdsIn(path: string, name: string, context: Context): CliError | undefined {
  try {
    const run = openRun(path, context);
    try {
      dropIds(run, context);
    } finally {
      run.close();
    }
    return undefined;
  } catch (error) {
    const failure = foreseen(error);
    context.warn(`warning: run ${name}: ${failure.message}`);
    return failure;
  }
}

type PruneRow = NonNullable<ReturnType<typeof toRow>>;

/** What is to be done with an old run; nothing for one that is not old, has no ids or is at work. */
function toRow(
  { id, path, plan, hasIds, isOpen, atWork, owed = [], neverBegan }: RunSummary,
  before: number,
) {
  const named = { run: id, planned_at: plan?.createdAt ?? null, path };
  const row = (action: 'remove ids' | 'remove' | 'keep', reason: string) => ({ ...named, action, reason });
  if (neverBegan) return row('remove', 'it crashed before it began');
  if (plan === undefined || !hasIds || atWork || Date.parse(plan.createdAt) > before) return undefined;
  if (isOpen) return row('keep', 'it can be resumed');
  return row(owed.length > 0 ? 'keep' : 'remove ids', reasonOf(owed));
}

function reasonOf(owed: readonly Owed[]): string {
  return owed.length === 0 ? 'it owes nothing' : `it owes ${owed.join(', ')}`;
}

/**
 * Removes the ids of a run, or of each run of a request, whatever they owe: it can be asked about no more, so the record
 * says that it was owed. The locks are held until all questions are answered, and a no leaves every run as it is.
 */
async function giveUp(called: string, context: Context): Promise<void> {
  const opened = new Map<string, Run>();
  const ask: Step = async (name, there) => {
    const run = openRun(runPath(name, context), context);
    opened.set(name, run);
    const owed = owedOf(run);
    const isGivenUp = owed.length === 0 || run.state().droppedOwing.length > 0;
    if (!run.hasIds && isGivenUp)
      throw new CliError('refused', `the ids of run ${run.id} were already removed`);
    const owing = owed.length === 0 ? '' : `, which still owes ${owed.join(', ')}`;
    if (context.dryRun) {
      const named = { run: run.id, action: 'remove ids', reason: reasonOf(owed) };
      return there.print([{ ...named, planned_at: run.plan.createdAt }]);
    }
    await there.confirm({ action: `remove the ids from the record of run ${run.id}${owing}`, local: true });
  };
  const remove: Step = async (name, there) => {
    const run = opened.get(name);
    if (run !== undefined && !context.dryRun) dropIds(run, there);
  };
  try {
    const says = (share: string) => `the ids of ${share} were not removed`;
    await eachRun(called, [ask, remove], { says }, context);
  } finally {
    for (const run of opened.values()) run.close();
  }
}

/** What it owes by now is written down, whatever it owed when it was listed. */
function dropIds(run: Run, context: Context): void {
  run.dropIds(owedOf(run));
  context.report(`Removed the ids of run ${run.id}.`);
}

/** What is done to so many, unless there are none. */
function listActions(actions: readonly (readonly [count: number, text: string])[]): readonly string[] {
  return actions.flatMap(([count, text]) => (count > 0 ? text : []));
}
