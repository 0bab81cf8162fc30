import type { Context } from '../cli/context.ts';
import { CliError, counted, foreseen, usageError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import { type Duration, inMilliseconds } from '../service/calendar.ts';
import { casesByRun, findCase, listGoneCases, removeCase } from './case.ts';
import { removeUnbegunRun } from './create-run.ts';
import { digestMembers, type KeyState, keyProblem, readCheckKey, sha256 } from './entries.ts';
import { listGiven, listRuns, type RunSummary, refuseNotInRun, runPath, withRunRecord } from './find-run.ts';
import { checkChain, formatSeal, type Owed, parseSeal, type Seal, splitJournal } from './journal.ts';
import { reconcile } from './outcome.ts';
import { type IdSources, readPeople } from './people.ts';
import { daysLeft, deadlineOf, planLines, projectText } from './plan.ts';
import { owedOf, verificationsOf, verificationTitle } from './proof.ts';
import { inPages, report, reportRows } from './report.ts';
import { reportMarkdown, reportPage } from './report-text.ts';
import type { People } from './resolve.ts';
import {
  doesNotHold,
  findChangedLine,
  missingFiles,
  NO_WHOLE_LINE,
  openRun,
  type RunPlan,
  type RunRecord,
  readRun,
} from './run.ts';
import { type RunDirectory, useRunDirectory } from './run-directory.ts';
import { replay } from './run-state.ts';
import { printOutcome } from './show-outcome.ts';

/** Prints the runs of this computer, oldest first, or those that owe something by their deadline. */
export async function showRuns(
  { case: called, due }: { readonly case?: string | undefined; readonly due?: boolean | undefined },
  context: Context,
): Promise<void> {
  const all = listRuns(context.stateDirectory(), context);
  const cases = casesByRun(context);
  const held = called === undefined ? undefined : findCase(called, context);
  if (called !== undefined && held === undefined)
    throw usageError(
      `"${called}" is not a case`,
      'the name of a case begins with case-; hogctl runs show takes a run',
    );
  const runs = held === undefined ? all : all.filter(({ id }) => cases.get(id) === held.case);
  if (due) return showDue(runs, context);
  const rows = runs.map((run) => ({ ...summaryRow(run), case: cases.get(run.id) ?? null }));
  await context.print(rows, [
    { key: 'run', kind: 'id' },
    { key: 'project' },
    { key: 'ids' },
    { key: 'state' },
    { key: 'verified', minor: true },
    { key: 'events', minor: true },
    { key: 'owed' },
    ...(cases.size > 0 ? [{ key: 'case' }] : []),
  ]);
}

function summaryRow({ id, path, problem, plan, outcome, atWork, ...run }: RunSummary) {
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

/** Prints what a run was to do, and what came of it so far. */
export async function showRun(name: string, context: Context): Promise<void> {
  await withRunRecord(name, context, async (run) => {
    for (const line of planLines(run.plan)) context.note(line);
    const outcome = reconcile(run);
    context.note(`State: ${outcome.verdict}`);
    const { whole, partial } = verificationsOf(run);
    for (const one of [...(whole ? [whole] : []), ...partial]) context.note(verificationTitle(run, one));
    await printOutcome(run, outcome, context);
  });
}

export type Checking = { readonly run: string; readonly expect?: string | undefined };

/** Prints whether the record of a run holds. Throws `check` if it does not. */
export async function showCheck({ run, expect }: Checking, context: Context): Promise<void> {
  const seal = expect === undefined ? undefined : parseSeal(expect);
  if (expect !== undefined && seal === undefined) {
    throw usageError(
      `--expect cannot read "${expect}"`,
      'it takes what the end of the run printed, such as 12:9f86d0...',
    );
  }
  const path = runPath(run, context);
  const checked = checkRun(path, { expect: seal });
  await context.print({
    journal: checked.seal === undefined ? null : formatSeal(checked.seal),
    check_key: checked.checkKey ?? null,
    holds: checked.problems.length === 0,
    problems: checked.problems,
  });
  if (checked.problems.length === 0) return;
  throw doesNotHold(checked.problems, useRunDirectory(path));
}

type Reporting = IdSources & { readonly run: string };

/** Writes the report of a run in the format that was asked for, or the rows of the ids that were given. */
export async function showReport({ run: name, ...sources }: Reporting, context: Context): Promise<void> {
  await withRunRecord(name, context, async (run) => {
    const { output, save = '' } = context.options;
    const people = await readPeople(sources, context);
    if (people.length > 0) await context.print(rowsOfPeople(run, people));
    else if (output === 'csv' || output === 'tsv' || output === 'ndjson')
      await context.print(inPages(reportRows(run)));
    else if (output === 'json') await context.print(report(run));
    else if (output === undefined && /\.html?$/i.test(save)) await context.printRaw(reportPage(run));
    else await context.printRaw(reportMarkdown(run));
  });
}

export type RunCheck = {
  /** What `--expect` of a later check takes; absent without a journal. */
  readonly seal?: Seal;
  /** Sentences, none if all holds. */
  readonly problems: readonly string[];
  /** Absent if the record is damaged so far that nothing can be said of its key. */
  readonly checkKey?: KeyState | undefined;
  /** Bytes that a crash left behind the last whole line; resuming cuts them off. */
  readonly torn: number;
};

/** Checks journal, plan and members of a run against their hashes. */
export function checkRun(path: string, { expect }: { readonly expect?: Seal | undefined } = {}): RunCheck {
  const directory = useRunDirectory(path);
  const missing = missingFiles(directory);
  if (missing.length > 0) return { problems: missing, torn: 0 };
  const planText = directory.readText('plan.json');
  const { lines, torn } = splitJournal(directory.readText('journal.ndjson'));
  const chain = checkChain(lines, { origin: sha256(planText), expect });
  const problems = chain.problems.map(({ line, problem }) => `line ${line} of the journal ${problem}`);
  if (lines.length === 0) problems.push(NO_WHOLE_LINE);
  if (torn !== '') problems.push(`the journal ends in ${torn.length} bytes that are no whole line`);
  const content =
    chain.problems.length === 0 && lines.length > 0
      ? checkContent(directory, planText, chain.lines)
      : { problems: [] };
  return {
    seal: { lines: chain.lines.length, hash: chain.hash },
    problems: [...problems, ...content.problems],
    checkKey: content.checkKey,
    torn: torn.length,
  };
}

type Content = { readonly problems: readonly string[]; readonly checkKey?: KeyState };

function checkContent(
  directory: RunDirectory,
  planText: string,
  lines: ReturnType<typeof checkChain>['lines'],
): Content {
  // Cast: the chain begins with the hash of this text, so it is what was written with the run.
  const plan = JSON.parse(planText) as RunPlan;
  const problems: string[] = [];
  if (!directory.has('members.ndjson')) problems.push('members.ndjson is missing');
  else if (digestMembers(directory) !== plan.members.sha256) problems.push('members.ndjson was changed');
  const { keyState: checkKey } = readCheckKey(directory, plan.keyFingerprint);
  const keyFault = keyProblem(checkKey);
  if (keyFault !== undefined) problems.push(keyFault);
  let run: RunRecord | undefined;
  try {
    replay(lines);
    if (problems.length > 0) return { problems, checkKey };
    run = readRun(directory.path);
    const isChanged = findChangedLine(run) !== undefined;
    if (isChanged) problems.push('the ids, or the check key, are not those of the plan');
    // The ids tell of the key, too, if the plan does not.
    const isTold = run.hasIds && !isChanged && checkKey === 'cannot be told';
    return { problems, checkKey: isTold ? 'holds' : checkKey };
  } catch (error) {
    return { problems: [...problems, foreseen(error).message], checkKey };
  } finally {
    run?.close();
  }
}

export type Pruning = { readonly run?: string | undefined; readonly olderThan?: Duration | undefined };

/**
 * Removes the ids of old runs that owe nothing, and all that a crash left of runs that never began; or the ids of one
 * run that is named, whatever it owes.
 */
export async function pruneRuns({ run, olderThan }: Pruning, context: Context): Promise<void> {
  if (run !== undefined && olderThan !== undefined)
    throw usageError(
      '--older-than chooses among all runs, so it does not go with one run',
      'leave one of them out',
    );
  if (run !== undefined) return giveUpRun(run, context);
  const before = context.now() - inMilliseconds(olderThan ?? { count: 30, unit: 'DAY' });
  const runs = listRuns(context.stateDirectory(), context);
  const gone = listGoneCases(context).filter(({ planned_at }) => Date.parse(planned_at) <= before);
  const rows = [...runs.flatMap((one) => toRow(one, before) ?? []), ...gone];
  if (context.dryRun) return context.print(rows.map(({ path: _, ...row }) => row));
  const kept = rows.filter(({ action }) => action === 'keep').length;
  if (kept > 0)
    context.note(
      `${counted(kept, 'run')} ${kept === 1 ? 'keeps its ids, since it owes' : 'keep their ids, since they owe'} something; hogctl runs verify --due asks whether it is done.`,
    );
  const old = rows.filter(({ action }) => action === 'remove ids');
  const unbegun = rows.filter(({ action }) => action === 'remove');
  if (old.length + unbegun.length + gone.length === 0) return context.note('No run has ids to remove.');
  const actions = [
    old.length > 0 ? `remove the ids from the records of ${counted(old.length, 'run')}` : '',
    unbegun.length > 0 ? `remove ${counted(unbegun.length, 'run')} that a crash kept from beginning` : '',
    gone.length > 0 ? `remove the ${counted(gone.length, 'case')} whose runs are gone` : '',
  ];
  await context.confirm({ action: actions.filter(Boolean).join(' and '), local: true });
  for (const { path } of old) dropIds(path, context);
  for (const { path, run: id } of unbegun) {
    const isRemoved = removeUnbegunRun(path, context, { withDirectory: true });
    if (isRemoved) context.report(`Removed run ${id}, which never began.`);
    else context.warn(`warning: run ${id} has begun meanwhile, and stays`);
  }
  for (const { run: name } of gone) removeCase(name, context);
}

/** What is to be done with an old run; nothing for one that is not old, has no ids or is at work. */
function toRow(
  { id, path, plan, hasIds, isOpen, atWork, owed = [], neverBegan }: RunSummary,
  before: number,
) {
  const named = { run: id, planned_at: plan?.createdAt ?? null, path };
  const row = (action: 'remove ids' | 'remove' | 'keep', reason: string) => ({ ...named, action, reason });
  if (neverBegan) return row('remove', 'a crash kept it from beginning');
  if (plan === undefined || !hasIds || atWork || Date.parse(plan.createdAt) > before) return undefined;
  if (isOpen) return row('keep', 'it can be resumed');
  return row(owed.length > 0 ? 'keep' : 'remove ids', reasonOf(owed));
}

function reasonOf(owed: readonly Owed[]): string {
  return owed.length === 0 ? 'it owes nothing' : `it owes ${owed.join(', ')}`;
}

/** What it owes can be asked about no more, so the record says that it was owed. */
async function giveUpRun(name: string, context: Context): Promise<void> {
  const run = openRun(runPath(name, context), context);
  try {
    if (!run.hasIds) throw new CliError('refused', `the ids of run ${run.id} were removed before`);
    const owed = owedOf(run);
    const owing = owed.length === 0 ? '' : `, which still owes ${owed.join(', ')}`;
    if (context.dryRun) {
      const named = { run: run.id, action: 'remove ids', reason: reasonOf(owed) };
      return await context.print([{ ...named, planned_at: run.plan.createdAt }]);
    }
    await context.confirm({ action: `remove the ids from the record of run ${run.id}${owing}`, local: true });
    run.dropIds(owed);
    context.report(`Removed the ids of run ${run.id}.`);
  } finally {
    run.close();
  }
}

function dropIds(path: string, context: Context): void {
  const run = openRun(path, context);
  try {
    run.dropIds();
    context.report(`Removed the ids of run ${run.id}.`);
  } finally {
    run.close();
  }
}

/** The rows of a report that are about these ids, in the order they were given. Throws a usage error for others. */
export function rowsOfPeople(run: RunRecord, people: readonly People[]): readonly JsonObject[] {
  const wanted = new Map<string, JsonObject | undefined>();
  for (const member of listGiven(run, people).keys()) wanted.set(member, undefined);
  for (const row of reportRows(run)) {
    const member = String(row.member);
    if (wanted.has(member)) wanted.set(member, row);
  }
  const rows = [...wanted.values()].filter((row) => row !== undefined);
  refuseNotInRun(wanted.size - rows.length, wanted.size);
  return rows;
}
