import type { Context } from '../../cli/context.ts';
import { CliError, counted, type ErrorKind, foreseen, joinKinds } from '../../errors.ts';
import { type Case, findCase, gatherOutput, placeText } from './case.ts';
/** What is done to a run, by what it was called. */
export type Step = (run: string, there: Context) => Promise<void>;

type Failing = {
  /** What did not come about for a share of the projects. */
  readonly says: (share: string) => string;
  readonly kind?: ErrorKind;
};

/**
 * Does steps to a run, or to each run of a case: one step to all of them before the next. What stops one run must not
 * hide the others; a no, a signal and a wrong option are about all of them.
 */
export async function eachRun(
  called: string,
  steps: readonly Step[],
  failing: Failing,
  context: Context,
): Promise<void> {
  const held = findCase(called, context);
  if (held === undefined) {
    for (const step of steps) await step(called, context);
    return;
  }
  const gathering = gatherOutput(context);
  const failures = new Map<string, CliError>();
  for (const [index, step] of steps.entries()) {
    for (const { run, ...place } of held.runs) {
      const there = gathering.within(place.project, context);
      const what = run === null ? 'no person to delete was found there' : `run ${run}`;
      if (index === 0) context.note(`${placeText(place.project, place)}: ${what}`);
      if (run === null || failures.has(run)) continue;
      try {
        await step(run, there);
      } catch (error) {
        const failure = foreseen(error);
        if (context.signal.aborted || failure.kind === 'cancelled' || failure.kind === 'usage') throw failure;
        there.warn(`warning: ${failure.message}`);
        failures.set(run, failure);
      }
    }
  }
  await gathering.flush();
  if (failures.size > 0) throw joined(held, [...failures.values()], failing);
}

function joined({ runs }: Case, failures: readonly CliError[], { says, kind }: Failing): CliError {
  const share = `${failures.length} of ${counted(runs.length, 'project')}`;
  const hint = failures.find((one) => one.hint !== undefined)?.hint;
  const isAnyDone = failures.length < runs.length;
  return new CliError(kind ?? joinKinds(failures, { isAnyDone }), says(share), { hint });
}
