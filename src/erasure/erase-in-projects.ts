import type { Context, OneOfSeveral } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import {
  type Case,
  createCase,
  endCase,
  failedPart,
  type Gathering,
  gatherOutput,
  type PartResult,
  placeText,
  refusePersonIds,
  stopsAll,
} from './case.ts';
import { createRun, type Planned, preparePlace } from './create-run.ts';
import { carryOutOne, deleteOne, findOrTell, type PersonErasure, planOne } from './erase-person.ts';
import { removeRun } from './find-run.ts';
import { reconcile } from './outcome.ts';
import { refuseSuspiciousName } from './people.ts';
import { countPersons, type Flags, flagsInQuestion, type Plan, readDeadline } from './plan.ts';
import { type ReceiptInput, writeReceipt } from './receipt.ts';
import { stopIfAsked } from './resolve.ts';
import type { Run } from './run.ts';
import { tellCase } from './show-outcome.ts';

export type Several = { readonly projects: readonly string[] };

/** What is to be done in one project, and what to call it in the question. */
export type Part = {
  readonly project: OneOfSeveral;
  /** The project's context, whose output is shown with that of the others. */
  readonly context: Context;
  /** Absent if no person is to be deleted there. */
  readonly planned?: Planned | undefined;
  readonly isExcepted?: boolean;
  readonly who: string;
  readonly mustName: boolean;
  /** The lines that a receipt answers. */
  readonly answered?: ReceiptInput | undefined;
  readonly carryOut: (run: Run, part: Part) => Promise<void>;
};

/** Finds one person in each project, asks once, and deletes them with a run in each. */
export async function erasePersonInProjects(
  { projects, ...erasure }: PersonErasure & Several,
  context: Context,
): Promise<void> {
  const { person, find, allowOddIds, ignoreMissing, ...flags } = erasure;
  if ('id' in person) refusePersonIds();
  refuseSuspiciousName(person, allowOddIds);
  readDeadline(flags, context.now());
  const opened = await context.forProjects(projects, { all: context.dryRun });
  context.requireConsent({ action: 'delete this person in several projects', local: true });
  if (!context.dryRun) preparePlace({ stateDirectory: context.stateDirectory() }, context);
  const gathering = gatherOutput(context);
  const found: Found[] = [];
  for (const project of opened) {
    const there = gathering.within(project.name, project.context);
    context.note(`Looking for the person in ${placeText(project.name, project)}:`);
    try {
      found.push({ project, there, id: await findOrTell({ person, find, ignoreMissing: true }, there) });
    } catch (error) {
      throw stopsAll(error, project);
    }
  }
  if (!context.dryRun) {
    const parts: Part[] = [];
    for (const one of found)
      parts.push(
        await planPerson(one, flags).catch((error: unknown) => {
          throw stopsAll(error, one.project);
        }),
      );
    return eraseInParts(parts, { ignoreMissing, gathering, isMissingFine: true }, context);
  }
  for (const { id, there } of found) if (id !== undefined) await deleteOne(id, flags, there);
  const results = found.map(
    ({ project, id }): PartResult => ({ name: project.name, state: id === undefined ? 'nobody' : 'done' }),
  );
  endCase(results, { hint: undefined, ignoreMissing }, context);
}

type DeletionFlags = Omit<PersonErasure, 'person' | 'find' | 'ignoreMissing' | 'allowOddIds'>;

type Found = { readonly project: OneOfSeveral; readonly there: Context; readonly id: string | undefined };

async function planPerson({ project, there, id }: Found, flags: DeletionFlags): Promise<Part> {
  const planned = id === undefined ? undefined : await planOne(id, flags, there);
  return {
    project,
    context: there,
    planned,
    who: id === undefined ? 'nobody' : `person ${id}`,
    mustName: false,
    carryOut: (run) => carryOutOne(run, { id: id ?? '', isPart: true }, there),
  };
}

type Erasing = {
  readonly gathering: Gathering;
  readonly planOnly?: boolean | undefined;
  readonly ignoreMissing?: boolean | undefined;
  /** Whether it is fine that some ids lead to no person in some of the projects. */
  readonly isMissingFine: boolean;
};

/** Asks once for all parts, writes all runs and their case down, and carries them out one after the other. */
export async function eraseInParts(
  parts: readonly Part[],
  erasing: Erasing,
  context: Context,
): Promise<void> {
  const { gathering, planOnly, ignoreMissing, isMissingFine } = erasing;
  const results: PartResult[] = [];
  if (!planOnly) await confirmParts(parts, context);
  stopIfAsked(context);
  const runs = createRuns(parts, context);
  try {
    const held = runs.size === 0 ? undefined : writeCase(parts, { runs, isMissingFine }, context);
    if (planOnly) return await showPlanned(held, context);
    for (const part of parts) results.push(await carryOutPart(part, runs.get(part), { gathering, context }));
    await gathering.flush();
    if (held !== undefined) tellCase(held.case, context);
    const hint = held && `hogctl runs resume ${held.case} sends what is left in each`;
    endCase(results, { hint, ignoreMissing }, context);
  } finally {
    for (const run of runs.values()) run.close();
  }
}

async function showPlanned(held: Case | undefined, context: Context): Promise<void> {
  if (held === undefined) return context.note('No person is to be deleted in any of the projects.');
  await context.print(held.runs.map((row) => ({ case: held.case, ...row })));
  context.note(`Nothing was sent. hogctl runs resume ${held.case} carries out exactly these plans.`);
}

async function confirmParts(parts: readonly Part[], context: Context): Promise<void> {
  const planned = parts.flatMap((part) =>
    part.planned === undefined ? [] : { ...part, plan: part.planned.plan },
  );
  const count = planned.reduce((sum, { plan }) => sum + countPersons(plan), 0);
  const [first] = planned;
  if (first === undefined || count === 0) return;
  const { flags } = first.plan;
  const lines = parts.map(({ project, who }) => `  ${placeText(project.name, project)}: ${who}`);
  const several = await Promise.all(
    planned.map(async ({ project, context: there, mustName }) => {
      const settings = await there.settings();
      return { name: project.name, mustName: mustName || settings.project.protected };
    }),
  );
  await context.confirm({ action: `${verbOf(flags)}:\n${lines.join('\n')}`, type: String(count), several });
}

function verbOf(flags: Flags): string {
  return `${flags.keepPerson ? 'keep' : 'delete'} these persons${flagsInQuestion(flags)}`;
}

/** All or none: nothing is sent before each is written down. */
function createRuns(parts: readonly Part[], context: Context): Map<Part, Run> {
  const runs = new Map<Part, Run>();
  try {
    for (const part of parts)
      if (part.planned !== undefined)
        runs.set(part, createRun({ stateDirectory: context.stateDirectory() }, part.planned, context));
    return runs;
  } catch (error) {
    removeRuns(runs, context);
    throw error;
  }
}

function removeRuns(runs: Map<Part, Run>, context: Context): void {
  for (const run of runs.values()) {
    run.close();
    removeRun(run.path, context);
  }
  runs.clear();
}

function writeCase(
  parts: readonly Part[],
  { runs, isMissingFine }: { readonly runs: Map<Part, Run>; readonly isMissingFine: boolean },
  context: Context,
): Case {
  const held = parts.map((part) => {
    const { name, id, host } = part.project;
    return { project: name, id, host, run: runs.get(part)?.id ?? null };
  });
  try {
    return createCase({ runs: held, ignore_missing: isMissingFine }, context);
  } catch (error) {
    removeRuns(runs, context);
    throw error;
  }
}

async function carryOutPart(
  part: Part,
  run: Run | undefined,
  { gathering, context }: { readonly gathering: Gathering; readonly context: Context },
): Promise<PartResult> {
  const { name } = part.project;
  const result = await sendPart(part, run, context);
  // A receipt tells of each project, also of one that was broken off before its lines were answered.
  if (part.answered === undefined || gathering.hasWritten(name)) return result;
  try {
    await writeReceipt(part.answered, run, part.context);
    return result;
  } catch (error) {
    return failedPart(name, error, context);
  }
}

async function sendPart(part: Part, run: Run | undefined, context: Context): Promise<PartResult> {
  const { name } = part.project;
  if (run === undefined) return { name, state: part.isExcepted ? 'excepted' : 'nobody' };
  if (context.signal.aborted) return { name, state: 'not begun' };
  context.note(`Deletion in ${placeText(name, part.project)}:`);
  try {
    await part.carryOut(run, part);
    return { name, state: isNobody(run) ? 'nobody' : 'done' };
  } catch (error) {
    const isMissing = error instanceof CliError && error.kind === 'not-found' && isNobody(run);
    return isMissing ? { name, state: 'nobody' } : failedPart(name, error, context);
  }
}

function isNobody(run: Run): boolean {
  return reconcile(run).verdict === 'nobody found';
}

/** Whether a look-up found no person; without one, only the deletion tells. */
export function isOfNobody(plan: Plan): boolean {
  return plan.resolved !== undefined && countPersons(plan) === 0;
}
