import type { Context } from '../cli/context.ts';
import { eachRun } from './projects/each-run.ts';
import { printPeople } from './projects/trust.ts';
import { reconcile } from './proof/outcome.ts';
import { verificationTitle } from './proof/verdict.ts';
import { withRunRecord } from './record/find.ts';
import { formatSeal } from './record/journal.ts';
import { printOutcome } from './report/end.ts';
import { planLines } from './report/plan-words.ts';
import { requireSameProject } from './sending/session.ts';

/** Prints what a run, or each run of a request, was to do, and what came of it so far. */
export async function showRunOrRequest(called: string, context: Context): Promise<void> {
  await eachRun(called, [showRun], { says: (share) => `${share} cannot be shown` }, context);
}

async function showRun(name: string, context: Context): Promise<void> {
  await withRunRecord(name, context, async (run) => {
    for (const line of planLines(run.plan)) context.note(line);
    const outcome = reconcile(run);
    context.note(`State: ${outcome.verdict}`);
    const verification = run.state().verifications.at(-1);
    if (verification !== undefined) context.note(verificationTitle(verification));
    context.note(`Journal: ${formatSeal(run.seal())}`);
    if (!context.options.showIds) return printOutcome(run, outcome, context);
    context.projects.prefer({ ...run.plan.project, host: run.plan.host });
    await requireSameProject(run, context);
    await printPeople(run, context);
  });
}
