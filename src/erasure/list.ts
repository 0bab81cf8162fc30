import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import { daysLeft, deadlineIn, deadlineOf } from './input/deadline.ts';
import { listRuns, type RunSummary } from './proof/summary.ts';
import { tryRead } from './record/open.ts';
import { sum } from './record/plan.ts';
import { countOpen, countOwed } from './record/state.ts';
import { owedByDay } from './report/members.ts';
import { projectText } from './report/plan-words.ts';

type Listing = { readonly due?: boolean | undefined; readonly overdue?: boolean | undefined };

/** Prints the runs of this computer, oldest first, or those that owe something by their deadline. */
export async function showRuns({ due, overdue }: Listing, context: Context): Promise<void> {
  const runs = listRuns(context.stateDirectory(), context);
  if (due || overdue) return showDue(runs, { isOverdueOnly: overdue === true }, context);
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

function summaryRow(summary: RunSummary) {
  const { id, path, problem, plan, outcome, atWork, isMadeHere, verified, events, hasIds } = summary;
  return {
    run: id,
    project: plan ? projectText(plan.project) : null,
    ids: plan?.unique ?? null,
    state: problem ?? (atWork ? 'at work' : (outcome?.verdict ?? null)),
    verified: verified ?? null,
    events: events ?? null,
    owed: owedText(summary),
    planned_at: plan?.createdAt ?? null,
    host: plan?.host ?? null,
    has_ids: hasIds ?? null,
    made_here: isMadeHere ?? null,
    request: plan?.request ?? null,
    directory: path,
  };
}

/** A plan that waits for its confirmation owes all, people included of whom nobody was found. */
function owedText({ owed = [], isWaiting }: RunSummary): string | null {
  return isWaiting ? 'all, not confirmed' : owed.join(', ') || null;
}

/** Throws `check` if a deadline has passed. A run that cannot be read is warned of, since nothing tells what it owes. */
async function showDue(
  runs: readonly RunSummary[],
  { isOverdueOnly }: { readonly isOverdueOnly: boolean },
  context: Context,
): Promise<void> {
  for (const { id, problem, neverBegan } of runs)
    if (problem !== undefined && !neverBegan) context.warn(`warning: run ${id} is ${problem}`);
  const due = runs.flatMap((run) => toDueRow(run, context) ?? []);
  const overdue = due.filter(({ row }) => row.days_left < 0);
  const rows = (isOverdueOnly ? overdue : due).map(({ row }) => row);
  await context.print(
    rows.toSorted((one, other) => one.days_left - other.days_left),
    [
      { key: 'run', kind: 'id' },
      { key: 'project' },
      { key: 'received', minor: true },
      { key: 'deadline' },
      { key: 'days_left' },
      { key: 'late' },
      { key: 'owed' },
    ],
  );
  if (overdue.length === 0) return;
  const are = overdue.length === 1 ? 'is' : 'are';
  const late = counted(sum(overdue.map(({ row }) => row.late)), 'line');
  const resume = overdue.some(({ isOpen }) => isOpen) ? 'hogctl runs resume <run> sends what is left; ' : '';
  throw new CliError(
    'check',
    `${overdue.length} of ${counted(due.length, 'run')} ${are} overdue, with ${late}`,
    {
      hint: `${resume}hogctl runs verify --due asks what has gone`,
    },
  );
}

/** Nothing for a run that owes nothing or was given up. Its day is that of the first line that is owed. */
function toDueRow(run: RunSummary, context: Context) {
  const { plan, outcome, isGivenUp } = run;
  if (plan === undefined || outcome === undefined || isGivenUp || owedText(run) === null) return undefined;
  const whole = deadlineOf(plan);
  const days = plan.byLine ? (tryRead(run.path, context, owedByDay) ?? new Map<string, number>()) : undefined;
  const [first] = [...(days?.keys() ?? [])].sort();
  const due = first === undefined ? whole : deadlineIn(first, whole);
  const isLate = (received: string) => daysLeft(deadlineIn(received, whole), context.now()) < 0;
  const owing =
    days ?? new Map([[whole.received, run.isWaiting ? plan.lines.all : countOwed(outcome.tally)]]);
  const late = sum([...owing].map(([received, lines]) => (isLate(received) ? lines : 0)));
  const row = { ...summaryRow(run), ...due, days_left: daysLeft(due, context.now()), late };
  return { row, isOpen: countOpen(outcome.tally) > 0 };
}
