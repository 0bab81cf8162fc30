import { basename, join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError, counted, foreseen, usageError } from '../errors.ts';
import { readTogether } from './input/problems.ts';
import { tryFiles } from './input/written-files.ts';
import { resolveAll } from './people/exceptions.ts';
import { readHolds } from './people/holds.ts';
import { answerRequest } from './projects/answer-request.ts';
import {
  type CarryOutOptions,
  carryOutAndShow,
  exceptMore,
  failureOf,
  withoutReceipt,
} from './projects/carry-out.ts';
import { type AskedRow, confirmEach, endPart, isNobody } from './projects/parts.ts';
import {
  endRequest,
  failedPart,
  findRequest,
  gatherOutput,
  type PartResult,
  placeText,
  type Request,
  type RequestRun,
  refuseOneProject,
  runIsGone,
} from './projects/request.ts';
import { showUntrusted } from './projects/trust.ts';
import { countOpenBatches } from './record/batches.ts';
import { runsDirectory } from './record/directory.ts';
import { findNewest, newest, withRun, withRunRecord } from './record/find.ts';
import { type RunRecord, tryRead } from './record/open.ts';
import { countPersons, type Flags, withPace } from './record/plan.ts';
import { countOpen } from './record/state.ts';
import { showEnd, tellRequest } from './report/end.ts';
import { flagsInQuestion, planLines, verbInQuestion } from './report/plan-words.ts';
import { type AnsweredSources, NO_ANSWER, readAnswered } from './report/receipt.ts';
import { requireSameProject } from './sending/session.ts';

export async function resumeRunOrRequest(input: Resumption, context: Context): Promise<void> {
  const { run: called, ...options } = input;
  const request = findRequest(called, context);
  if (called === newest) refuseUnnamed(request, context);
  return request === undefined ? resume(input, context) : resumeRequest(request, options, context);
}

/** As with a run of the default project: another command may have begun what came last, or this one no run at all. */
function refuseUnnamed(request: Request | undefined, context: Context): void {
  const { options, dryRun, stateDirectory } = context;
  if (!options.yes || dryRun) return;
  const name = request?.request ?? basename(findNewest(runsDirectory(stateDirectory()), context));
  throw usageError(
    `--yes needs the name of a ${request === undefined ? 'run' : 'request'}, not ${newest}`,
    `the newest is ${name}; name it if that is the one`,
  );
}

function plannedAt({ createdAt }: Pick<Request, 'createdAt'>): string {
  return `of ${createdAt.slice(0, 16).replace('T', ' ')} UTC`;
}

type Resumption = AnsweredSources &
  Omit<CarryOutOptions, 'name'> & {
    readonly run: string;
    readonly takeOver?: boolean | undefined;
    readonly trustRecord?: boolean | undefined;
  };

/** Confirms and carries out what is left of a run. Throws a usage error before anything is sent. */
export async function resume(
  { run: called, takeOver, ...options }: Resumption,
  context: Context,
): Promise<void> {
  await tryFiles(options, context);
  await withRun(
    called,
    context,
    async (run, name) => {
      const { dialect } = await requireSameProject(run, context);
      const [answered, holds] = await readTogether([
        () => readAnswered(options, context),
        () => readHolds({}, context),
      ]);
      const calls = countOpenBatches(run);
      for (const line of planLines(withPace(run.plan, { ...options, dialect, calls }))) context.note(line);
      const held = calls > 0 ? await resolveAll(holds, context) : undefined;
      if (held !== undefined && !context.dryRun) exceptMore(run, held, context);
      const left = countOpen(run.tally());
      // The client answers a dry run itself, which would be written down as done.
      if (context.dryRun) return context.print([{ run: run.id, ids: left }]);
      if (left === 0) context.note('Nothing is left to send.');
      else {
        run.requireIds();
        await showUntrusted(run, options, context);
        await context.confirm({
          action: `${verbInQuestion(run.plan.flags)} the people behind ${left} of the ${counted(run.plan.unique, 'id')} of run ${run.id} ${plannedAt(run.plan)}${flagsInQuestion(run.plan.flags)}`,
          type: String(left),
        });
      }
      if (run.state().agreed === undefined)
        run.append({ type: 'agreed', persons: run.plan.resolved.persons });
      const ignoreMissing = options.ignoreMissing === true || run.plan.ignoreMissing;
      await carryOutAndShow(run, { ...options, ignoreMissing, name, answered }, context);
    },
    { takeOver },
  );
}

/** Asks once for all of them. What keeps one from going on must not keep the others. */
async function resumeRequest(
  request: Request,
  options: Omit<Resumption, 'run'>,
  context: Context,
): Promise<void> {
  refuseOneProject(context);
  await tryFiles(options, context);
  const answered = await readAnswered(options, context);
  const agreed = await confirmRuns(request, context);
  const gathering = gatherOutput(context);
  const results: PartResult[] = [];
  for (const part of request.runs) {
    const { project: name, id, host, run } = part;
    if (run === undefined) {
      results.push(failedPart(name, runIsGone(part), context));
      continue;
    }
    const stored = context.projects.one({ id, name, host });
    const there = onlyAgreed(gathering.within(name, stored), agreed.get(run) ?? 0);
    context.note(`${placeText(name, part)}:`);
    const work = () => resume({ ...options, ...NO_ANSWER, run, isPart: true }, there);
    const isNone = () => withRunRecord(run, there, async (record) => isNobody(record));
    results.push(await endPart(name, { work, isNobody: isNone }, context));
  }
  let unknown: CliError | undefined;
  const unwritten =
    answered &&
    !context.dryRun &&
    (await failureOf(async () => {
      unknown = await answerRequest(request, answered, {}, context);
    }));
  if (unwritten) context.warn(`warning: ${unwritten.message}`);
  const unshown = await showEnd(request.request, gathering.flush);
  if (!context.dryRun) tellRequest(request.request, context);
  const hint = `hogctl runs resume ${request.request} sends what is left in each`;
  endRequest(results, { hint, ignoreMissing: options.ignoreMissing }, context);
  const last = unknown ?? unshown ?? (unwritten && withoutReceipt(unwritten, request.request));
  if (last) throw last;
}

/** The context of a run of which no more ids are sent than the question told: its record may have changed since. */
function onlyAgreed(there: Context, ids: number): Context {
  return {
    ...there,
    confirm: async (question) => {
      if (question.local || Number(question.type) <= ids) return there.confirm(question);
      throw new CliError('refused', 'more ids are left than you agreed to, so nothing was sent', {
        hint: 'run the command again to see the new number',
      });
    },
  };
}

/** Tells what is left in each, and returns it by run; nothing is asked if nothing is left. */
async function confirmRuns(request: Request, context: Context): Promise<ReadonlyMap<string, number>> {
  const agreed = new Map<string, number>();
  // The runs of a request have the same.
  let flags: Flags | undefined;
  const rows: AskedRow[] = [];
  for (const { run, project, ...place } of request.runs) {
    const one = run === undefined ? undefined : leftOf(run, context);
    const { left = 0, persons = 0 } = one ?? {};
    const what = one === undefined ? 'cannot be read' : `${counted(left, 'id')} left`;
    const mustName = left > 0 && (await isProtected({ ...place, project }, context));
    rows.push({ project, place, what: one && persons === 0 ? 'nobody' : what, count: left, mustName });
    if (run === undefined || one === undefined || left === 0) continue;
    flags = one.flags;
    agreed.set(run, left);
  }
  if (flags === undefined || context.dryRun) return agreed;
  await confirmEach(
    `${verbInQuestion(flags)} the people who are left of ${request.request} ${plannedAt(request)}`,
    { rows, flags },
    context,
  );
  return agreed;
}

/** Nothing for a record that cannot be read, which is told when it is its turn. */
function leftOf(name: string, context: Context) {
  const read = ({ plan, state, tally }: RunRecord) => ({
    flags: plan.flags,
    persons: countPersons(plan),
    left: countOpen(state().tally ?? tally()),
  });
  return tryRead(join(runsDirectory(context.stateDirectory()), name), context, read);
}

/** A project whose key is gone is sent nothing, so that it need not be named. */
async function isProtected({ id, project: name, host }: Omit<RequestRun, 'run'>, context: Context) {
  try {
    return (await context.projects.one({ id, name, host }).settings()).project.protected;
  } catch (error) {
    foreseen(error);
    return false;
  }
}
