import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import { daysLeft, deadlineOf } from './input/deadline.ts';
import { listRuns, type RunSummary } from './proof/summary.ts';
import { projectText } from './record/plan.ts';

/** Prints the runs of this computer, oldest first, or those that owe something by their deadline. */
export async function showRuns(
  { due }: { readonly due?: boolean | undefined },
  context: Context,
): Promise<void> {
  const runs = listRuns(context.stateDirectory(), context);
  if (due) return showDue(runs, context);
  const rows = runs.map(summaryRow);
  await context.print(rows, [
    { key: 'run', kind: 'id' },
    { key: 'project' },
    { key: 'ids' },
    { key: 'state' },
    { key: 'verified', minor: true },
    { key: 'events', minor: true },
    { key: 'owed' },
    ...(rows.some((row) => row.request !== null) ? [{ key: 'request' }] : []),
    ...(rows.some((row) => row.made_here === false) ? [{ key: 'made_here' }] : []),
  ]);
}

function summaryRow({ id, path, problem, plan, outcome, atWork, isMadeHere, ...run }: RunSummary) {
  const { verified, events, owed, hasIds } = run;
  return {
    run: id,
    project: plan ? projectText(plan.project) : null,
    ids: plan?.unique ?? null,
    state: problem ?? (atWork ? 'at work' : (outcome?.verdict ?? null)),
    verified: verified ?? null,
    events: events ?? null,
    owed: owed === undefined || owed.length === 0 ? null : owed.join(', '),
    planned_at: plan?.createdAt ?? null,
    host: plan?.host ?? null,
    has_ids: hasIds ?? null,
    made_here: isMadeHere ?? null,
    request: plan?.request ?? null,
    directory: path,
  };
}

/** Throws `check` if a deadline has passed. A run that cannot be read is warned of, since nothing tells what it owes. */
async function showDue(runs: readonly RunSummary[], context: Context): Promise<void> {
  for (const { id, problem, neverBegan } of runs)
    if (problem !== undefined && !neverBegan) context.warn(`warning: run ${id} is ${problem}`);
  const rows = runs.flatMap((run) => toDueRow(run, context.now()) ?? []);
  await context.print(
    rows.toSorted((one, other) => one.days_left - other.days_left),
    [
      { key: 'run', kind: 'id' },
      { key: 'project' },
      { key: 'received', minor: true },
      { key: 'deadline' },
      { key: 'days_left' },
      { key: 'owed' },
    ],
  );
  const overdue = rows.filter((row) => row.days_left < 0);
  if (overdue.length === 0) return;
  const are = overdue.length === 1 ? 'is' : 'are';
  throw new CliError('check', `${overdue.length} of ${counted(rows.length, 'run')} ${are} overdue`, {
    hint: 'hogctl runs resume <run> sends what is left; hogctl runs verify --due asks what has gone',
  });
}

/** Nothing for a run that owes nothing or was given up. A plan that was not carried out owes all, if its day is known. */
function toDueRow(run: RunSummary, now: number) {
  const { plan, owed = [], isOpen, isGivenUp } = run;
  if (plan === undefined || isGivenUp) return undefined;
  const isUnsent = isOpen && owed.length === 0 && plan.received !== undefined;
  if (owed.length === 0 && !isUnsent) return undefined;
  const due = deadlineOf(plan);
  return {
    ...summaryRow(run),
    ...due,
    days_left: daysLeft(due, now),
    owed: isUnsent ? 'all, nothing was sent' : owed.join(', '),
  };
}
