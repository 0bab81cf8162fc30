import type { Context } from '../cli/context.ts';
import { type CarryOutOptions, carryOutAndShow } from './carry-out.ts';
import { refuseOtherProject, withRun } from './find-run.ts';
import { requireOpenIds, withPeople } from './given-ids.ts';
import { flagsInQuestion, liveDeletionLimits, planLines, withPace } from './plan.ts';
import { type AnsweredSources, readAnswered } from './receipt.ts';
import { decideResume } from './tasks.ts';

type Resumption = AnsweredSources &
  Omit<CarryOutOptions, 'name'> & { readonly run: string; readonly takeOver?: boolean | undefined };

/** Confirms and carries out what is left of a run. Throws a usage error before anything is sent. */
export async function resume(
  { run: called, takeOver, ...options }: Resumption,
  context: Context,
): Promise<void> {
  for (const file of [options.failed, options.receipt])
    if (file !== undefined && !context.dryRun) await context.files.tryPrivate(file);
  await withRun(
    called,
    context,
    async (opened, name) => {
      await refuseOtherProject(opened, context);
      const { people, answered } = await readAnswered(opened, options, context);
      const run = await withPeople(opened, people, options, context);
      const { dialect } = await context.settings();
      const limits = dialect === 'live' ? liveDeletionLimits : undefined;
      for (const line of planLines(withPace(run.plan, { ...options, limits }))) context.note(line);
      const { idsToResend, idsToLookUp } = decideResume(run, context.now());
      const left = idsToResend + idsToLookUp;
      // The client answers a dry run itself, which would be written down as done.
      if (context.dryRun) return context.print([{ run: run.id, ids: left, looked_up_first: idsToLookUp }]);
      if (left === 0) context.note('Nothing is left to send.');
      else {
        requireOpenIds(run);
        await context.confirm({
          action: `send the ${left} ids of run ${run.id} that are left${flagsInQuestion(run.plan.flags)}`,
          type: String(left),
        });
      }
      await carryOutAndShow(run, { ...options, name, answered }, context);
    },
    { takeOver },
  );
}
