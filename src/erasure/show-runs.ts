import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import { checkRun } from './check-run.ts';
import { listRuns, type RunSummary, runPath, withRunRecord } from './find-run.ts';
import { rowsOfPeople } from './given-ids.ts';
import { formatSeal, parseSeal } from './journal.ts';
import { reconcile } from './outcome.ts';
import { planLines, projectText } from './plan.ts';
import { type IdSources, readPeople } from './read-people.ts';
import { inPages, report, reportRows } from './report.ts';
import { reportMarkdown } from './report-markdown.ts';
import { printOutcome } from './show-outcome.ts';
import { verificationsOf, verificationTitle } from './verified.ts';

/** Prints the runs of this computer, oldest first. */
export async function showRuns(context: Context): Promise<void> {
  const runs = listRuns(context.stateDirectory(), { owner: context.owner });
  await context.print(runs.map(summaryRow), [
    { key: 'run', kind: 'id' },
    { key: 'project' },
    { key: 'ids' },
    { key: 'state' },
    { key: 'verified' },
    { key: 'events' },
    { key: 'owed' },
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

type Checking = { readonly run: string; readonly expect?: string | undefined };

/** Prints whether the record of a run holds. Throws `check` where it does not. */
export async function showCheck({ run, expect }: Checking, context: Context): Promise<void> {
  const seal = expect === undefined ? undefined : parseSeal(expect);
  if (expect !== undefined && seal === undefined) {
    throw usageError(
      `--expect cannot read "${expect}"`,
      'it takes what the end of the run printed, such as 12:9f86d0...',
    );
  }
  const checked = checkRun(runPath(run, context), { expect: seal });
  await context.print({
    journal: formatSeal(checked.seal),
    check_key: checked.checkKey ?? null,
    holds: checked.problems.length === 0,
    problems: checked.problems,
  });
  if (checked.problems.length === 0) return;
  throw new CliError('check', `the record of the run does not hold: ${checked.problems.join('; ')}`);
}

type Reporting = IdSources & { readonly run: string };

/** Writes the report of a run in the format that was asked for, or the rows of the ids that were given. */
export async function showReport({ run: name, ...sources }: Reporting, context: Context): Promise<void> {
  await withRunRecord(name, context, async (run) => {
    const { output } = context.options;
    const people = await readPeople(sources, context);
    if (people.length > 0) await context.print(rowsOfPeople(run, people));
    else if (output === 'csv' || output === 'tsv' || output === 'ndjson')
      await context.print(inPages(reportRows(run)));
    else if (output === 'json') await context.print(report(run));
    else await context.printRaw(reportMarkdown(run));
  });
}
