import type { Context, OneOfSeveral } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import type { GivenPeople, Listed } from '../input/given.ts';
import type { ListCounts } from '../input/list-counts.ts';
import { NO_EXCEPTIONS, type Spared } from '../people/exceptions.ts';
import { resolvePeople, stopIfAsked } from '../people/resolve.ts';
import { reconcile } from '../proof/outcome.ts';
import { createRun, type Planned } from '../record/create.ts';
import { removeRun } from '../record/find.ts';
import type { Run, RunRecord } from '../record/open.ts';
import {
  countPersons,
  type DeletionFlags,
  type Flags,
  makePlan,
  type Plan,
  planningOf,
  sum,
} from '../record/plan.ts';
import { countOpen } from '../record/state.ts';
import { beforeRecord } from '../record/unreadable.ts';
import { answersOf } from '../report/answers.ts';
import { showEnd, tellRequest } from '../report/end.ts';
import { flagsInQuestion, verbInQuestion } from '../report/plan-words.ts';
import { type ReceiptInput, writeReceipt } from '../report/receipt.ts';
import { failureOf, withoutReceipt } from './carry-out.ts';
import {
  createRequestName,
  endRequest,
  failedPart,
  type Gathering,
  type PartResult,
  placeText,
  type RequestRun,
  stopsAll,
} from './request.ts';

export type Several = { readonly projects: readonly string[] };

/** What is to be done in one project, and what to call it in the question. */
export type ProjectPart = {
  readonly project: OneOfSeveral;
  /** The project's context, whose output is shown with that of the others. */
  readonly context: Context;
  /** Absent if no person is to be deleted there. */
  readonly planned?: Planned | undefined;
  /** The plan without a person that is written down then, if one of the others has persons. */
  readonly planNobody: () => Promise<Planned>;
  readonly isExcepted?: boolean;
  readonly who: string;
  readonly mustName: boolean;
  /** The lines that a receipt answers. */
  readonly answered?: ReceiptInput | undefined;
  readonly carryOut: (run: Run, how: { readonly ignoreMissing: boolean }) => Promise<void>;
};

/** Does one work in each project before anything is deleted; what fails in one stops all. */
export function inEach<Value>(
  opened: readonly OneOfSeveral[],
  gathering: Gathering,
  work: (there: Context, project: OneOfSeveral) => Promise<Value>,
): Promise<readonly Value[]> {
  return beforeRecord(async () => {
    const values: Value[] = [];
    for (const project of opened) {
      try {
        values.push(await work(gathering.within(project.name, project.context), project));
      } catch (error) {
        throw stopsAll(error, project);
      }
      stopIfAsked(project.context);
    }
    return values;
  });
}

type Erasing = {
  readonly gathering: Gathering;
  readonly planOnly?: boolean | undefined;
  readonly ignoreMissing?: boolean | undefined;
  /** Whether it is fine that some ids lead to no person in some of the projects. */
  readonly isMissingFine: boolean;
};

/** Asks once for all parts, writes all runs down with the name of the request, and carries them out one after the other. */
export async function eraseInParts(
  parts: readonly ProjectPart[],
  erasing: Erasing,
  context: Context,
): Promise<void> {
  const { gathering, planOnly, ignoreMissing, isMissingFine } = erasing;
  const plans = await beforeRecord(async () => {
    const made = await planAll(parts);
    if (!planOnly) await confirmParts(parts, context);
    stopIfAsked(context);
    return made;
  });
  const request = createRequestName(context);
  const runs = createRuns(plans, { request, isMissingFine }, context);
  try {
    if (!planOnly)
      for (const run of runs.values()) run.append({ type: 'agreed', persons: countPersons(run.plan) });
    if (planOnly) return await showPlanned(request, runs, context);
    const results: PartResult[] = [];
    for (const part of parts) results.push(await carryOutPart(part, runs.get(part), { ...erasing, context }));
    const unwritten = await failureOf(() => answerParts(parts, runs, context));
    if (unwritten !== undefined) context.warn(`warning: ${unwritten.message}`);
    const unshown = await showEnd(request, gathering.flush);
    if (runs.size > 0) tellRequest(request, context);
    const isOpen = [...runs.values()].some((run) => countOpen(run.tally()) > 0);
    const hint = isOpen ? `hogctl runs resume ${request} sends what is left in each` : undefined;
    endRequest(results, { hint, ignoreMissing }, context);
    if (unshown !== undefined) throw unshown;
    if (unwritten !== undefined) throw withoutReceipt(unwritten, request);
  } finally {
    for (const run of runs.values()) run.close();
  }
}

type Plans = ReadonlyMap<ProjectPart, Planned>;
type Runs = ReadonlyMap<ProjectPart, Run>;

/** A plan for each part, also for one in which nobody was found; none if that is so in all of them. */
async function planAll(parts: readonly ProjectPart[]): Promise<Plans> {
  const plans = new Map<ProjectPart, Planned>();
  if (parts.every(({ planned }) => planned === undefined)) return plans;
  for (const part of parts) {
    try {
      plans.set(part, part.planned ?? (await part.planNobody()));
    } catch (error) {
      throw stopsAll(error, part.project);
    }
  }
  return plans;
}

/** A plan of people of whom none is there, or all are excepted: its record says that hogctl looked. */
export async function planNobody(
  { people, spared = NO_EXCEPTIONS, list }: Nobody,
  flags: DeletionFlags,
  there: Context,
): Promise<Planned> {
  const planning = await planningOf(flags, there);
  const listed = people.map(
    ({ list, resolution }): GivenPeople => ({
      list: { ...list, kind: list.kind === 'emails' ? 'ids' : list.kind },
      resolution,
    }),
  );
  const found = await resolvePeople(listed, {}, there);
  if (found.people.every(({ resolution }) => resolution.found === 0))
    return { plan: makePlan({ ...planning, ...found, spared, list }), people: found.people, spared };
  throw new CliError('refused', 'the service showed no person at first, and one when it was asked again', {
    hint: 'run the command again',
  });
}

type Nobody = {
  readonly people: readonly Listed[];
  readonly spared?: Spared | undefined;
  readonly list?: ListCounts | undefined;
};

async function showPlanned(request: string, runs: Runs, context: Context): Promise<void> {
  if (runs.size === 0) return context.note('No person is to be deleted in any of the projects.');
  const rows = [...runs].map(
    ([
      {
        project: { name, id, host },
      },
      run,
    ]) => ({
      request,
      project: name,
      id,
      host,
      run: run.id,
    }),
  );
  await context.print(rows);
  context.note(`Nothing was sent. hogctl runs resume ${request} carries out exactly these plans.`);
}

async function confirmParts(parts: readonly ProjectPart[], context: Context): Promise<void> {
  const rows = await Promise.all(
    parts.map(async ({ project, context: there, planned, who, mustName }) => ({
      project: project.name,
      place: project,
      what: who,
      count: planned === undefined ? 0 : countPersons(planned.plan),
      mustName: mustName || (await there.settings()).project.protected,
    })),
  );
  const flags = parts.find(({ planned }) => planned)?.planned?.plan.flags;
  if (flags === undefined) return;
  await confirmEach(`${verbInQuestion(flags)} these persons`, { rows, flags }, context);
}

/** What a question says of one project, and how many are sent there. */
export type AskedRow = {
  readonly project: string;
  readonly place: Pick<RequestRun, 'id' | 'host'>;
  readonly what: string;
  readonly count: number;
  readonly mustName: boolean;
};

/** Asks once for all projects; not if nothing is to be sent in any. */
export async function confirmEach(
  action: string,
  { rows, flags }: { readonly rows: readonly AskedRow[]; readonly flags: Flags },
  context: Context,
): Promise<void> {
  const asked = rows.filter(({ count }) => count > 0);
  const total = sum(asked.map(({ count }) => count));
  if (total === 0) return;
  const lines = rows.map(({ project, place, what }) => `  ${placeText(project, place)}: ${what}`);
  const several = asked.map(({ project: name, mustName }) => ({ name, mustName }));
  await context.confirm({
    action: `${action}${flagsInQuestion(flags)}:\n${lines.join('\n')}`,
    type: String(total),
    several,
  });
}

/** All or none: nothing is sent before each is written down. */
function createRuns(
  plans: Plans,
  { request, isMissingFine }: { readonly request: string; readonly isMissingFine: boolean },
  context: Context,
): Runs {
  const place = { stateDirectory: context.stateDirectory() };
  const projects = [...plans.keys()].map(({ project: { id, name, host } }) => ({ id, name, host }));
  const runs = new Map<ProjectPart, Run>();
  try {
    for (const [part, planned] of plans) {
      const plan: Plan = { ...planned.plan, request, projects, ignoreMissing: isMissingFine };
      runs.set(part, createRun(place, { ...planned, plan }, context));
    }
    return runs;
  } catch (error) {
    for (const run of runs.values()) {
      run.close();
      removeRun(run.path, context);
    }
    throw error;
  }
}

async function carryOutPart(
  part: ProjectPart,
  run: Run | undefined,
  { isMissingFine, context }: Erasing & { readonly context: Context },
): Promise<PartResult> {
  const { name } = part.project;
  const work = async (begun: Run) => {
    context.note(`Deletion in ${placeText(name, part.project)}:`);
    await part.carryOut(begun, { ignoreMissing: isMissingFine });
  };
  const ended: PartResult = run
    ? await endPart(name, { work: () => work(run), isNobody: async () => isNobody(run) }, context)
    : { name, state: 'nobody' };
  const isExcepted = part.isExcepted === true && ['done', 'nobody'].includes(ended.state);
  return isExcepted ? { name, state: 'excepted' } : ended;
}

/** One receipt tells of all projects, also of one that was broken off. */
async function answerParts(parts: readonly ProjectPart[], runs: Runs, context: Context): Promise<void> {
  const answered = parts.find((part) => part.answered !== undefined)?.answered;
  if (answered === undefined) return;
  const answers = parts.flatMap((part) => {
    const { id, name, host } = part.project;
    const told = { run: runs.get(part), place: { id, host }, project: name };
    return part.answered === undefined ? [] : answersOf(part.answered, told, context);
  });
  await writeReceipt(answered, answers, context);
}

type PartWork = { readonly work: () => Promise<void>; readonly isNobody: () => Promise<boolean> };

/** What came of the work in one project: what keeps it from being done is told, and keeps no other. */
export async function endPart(
  name: string,
  { work, isNobody }: PartWork,
  context: Context,
): Promise<PartResult> {
  if (context.signal.aborted) return { name, state: 'not begun' };
  try {
    await work();
    return { name, state: (await isNobody()) ? 'nobody' : 'done' };
  } catch (error) {
    const isMissing = error instanceof CliError && error.kind === 'not-found' && (await isNobody());
    return isMissing ? { name, state: 'nobody' } : failedPart(name, error, context);
  }
}

export function isNobody(run: RunRecord): boolean {
  return reconcile(run).verdict === 'nobody found';
}

export function isOfNobody(plan: Plan): boolean {
  return countPersons(plan) === 0;
}
