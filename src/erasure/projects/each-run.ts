import type { Context } from '../../cli/context.ts';
import { CliError, counted, type ErrorKind, foreseen, joinKinds } from '../../errors.ts';
import { findRequest, gatherOutput, placeText, type Request, type RequestRun, runIsGone } from './request.ts';

/** What is done to a run, by what it was called. */
export type Step = (run: string, there: Context) => Promise<void>;

type Failing = {
  /** What did not come about for a share of the projects. */
  readonly says: (share: string) => string;
  readonly kind?: ErrorKind;
};

/**
 * Does steps to a run, or to each run of a request: one step to all of them before the next. What stops one run must not
 * hide the others; a no, a signal and a wrong option are about all of them.
 */
export async function eachRun(
  called: string,
  steps: readonly Step[],
  failing: Failing,
  context: Context,
): Promise<void> {
  const request = findRequest(called, context);
  if (request === undefined) {
    for (const step of steps) await step(called, context);
    return;
  }
  const gathering = gatherOutput(context);
  const failures = new Map<RequestRun, CliError>();
  for (const [index, step] of steps.entries()) {
    for (const part of request.runs) {
      const { run, project } = part;
      if (failures.has(part)) continue;
      const there = gathering.within(project, context);
      if (index === 0 && run !== undefined) context.note(`${placeText(project, part)}: run ${run}`);
      try {
        if (run === undefined) throw runIsGone(part);
        await step(run, there);
      } catch (error) {
        const failure = foreseen(error);
        if (context.signal.aborted || failure.kind === 'cancelled' || failure.kind === 'usage') throw failure;
        there.warn(`warning: ${failure.message}`);
        failures.set(part, failure);
      }
    }
  }
  await gathering.flush();
  if (failures.size > 0) throw joined(request, [...failures.values()], failing);
}

function joined({ runs }: Request, failures: readonly CliError[], { says, kind }: Failing): CliError {
  const share = `${failures.length} of ${counted(runs.length, 'project')}`;
  const hint = failures.find((one) => one.hint !== undefined)?.hint;
  const isAnyDone = failures.length < runs.length;
  return new CliError(kind ?? joinKinds(failures, { isAnyDone }), says(share), { hint });
}
