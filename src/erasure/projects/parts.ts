import type { Context, OneOfSeveral } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { stopIfAsked } from '../people/resolve.ts';
import { removeRun } from '../record/find.ts';
import { createRun, type Planned, type Run, type RunRecord } from '../record/open.ts';
import { reconcile } from '../record/outcome.ts';
import { countPersons, type Flags, flagsInQuestion, type Plan } from '../record/plan.ts';
import { beforeRecord } from '../record/unbegun.ts';
import { tellCase } from '../report/end.ts';
import { type ReceiptInput, writeReceipt } from '../report/receipt.ts';
import {
  type Case,
  type CaseRun,
  createCase,
  endCase,
  failedPart,
  type Gathering,
  type PartResult,
  placeText,
  stopsAll,
} from './case.ts';

export type Several = { readonly projects: readonly string[] };

/** What is to be done in one project, and what to call it in the question. */
export type ProjectPart = {
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

/** Asks once for all parts, writes all runs and their case down, and carries them out one after the other. */
export async function eraseInParts(
  parts: readonly ProjectPart[],
  erasing: Erasing,
  context: Context,
): Promise<void> {
  const { gathering, planOnly, ignoreMissing, isMissingFine } = erasing;
  const results: PartResult[] = [];
  await beforeRecord(async () => {
    if (!planOnly) await confirmParts(parts, context);
    stopIfAsked(context);
  });
  const runs = new Map<ProjectPart, Run>();
  try {
    const held = createRuns(parts, { runs, isMissingFine }, context);
    if (!planOnly)
      for (const run of runs.values()) run.append({ type: 'agreed', persons: countPersons(run.plan) });
    if (planOnly) return await showPlanned(held, context);
    for (const part of parts) results.push(await carryOutPart(part, runs.get(part), { ...erasing, context }));
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

async function confirmParts(parts: readonly ProjectPart[], context: Context): Promise<void> {
  const rows = await Promise.all(
    parts.map(async ({ project, context: there, planned, who, mustName }) => ({
      project: project.name,
      place: project,
      what: who,
      count: planned && countPersons(planned.plan),
      mustName: mustName || (await there.settings()).project.protected,
    })),
  );
  const flags = parts.find(({ planned }) => planned)?.planned?.plan.flags;
  if (flags === undefined) return;
  await confirmEach(`${flags.keepPerson ? 'keep' : 'delete'} these persons`, { rows, flags }, context);
}

/** What a question says of one project: nothing is sent there without a count. */
export type AskedRow = {
  readonly project: string;
  readonly place: Pick<CaseRun, 'id' | 'host'>;
  readonly what: string;
  readonly count: number | undefined;
  readonly mustName: boolean;
};

/** Asks once for all projects; not if nothing is to be sent in any. */
export async function confirmEach(
  action: string,
  { rows, flags }: { readonly rows: readonly AskedRow[]; readonly flags: Flags },
  context: Context,
): Promise<void> {
  const asked = rows.filter(({ count }) => count !== undefined);
  const total = asked.reduce((sum, { count = 0 }) => sum + count, 0);
  if (total === 0) return;
  const lines = rows.map(({ project, place, what }) => `  ${placeText(project, place)}: ${what}`);
  const several = asked.map(({ project: name, mustName }) => ({ name, mustName }));
  await context.confirm({
    action: `${action}${flagsInQuestion(flags)}:\n${lines.join('\n')}`,
    type: String(total),
    several,
  });
}

/** All or none, with the case that holds them: nothing is sent before each is written down. */
function createRuns(
  parts: readonly ProjectPart[],
  { runs, isMissingFine }: { readonly runs: Map<ProjectPart, Run>; readonly isMissingFine: boolean },
  context: Context,
): Case | undefined {
  const place = { stateDirectory: context.stateDirectory() };
  try {
    for (const part of parts)
      if (part.planned !== undefined) runs.set(part, createRun(place, part.planned, context));
    if (runs.size === 0) return undefined;
    const held = parts.map((part) => {
      const { name, id, host } = part.project;
      return { project: name, id, host, run: runs.get(part)?.id ?? null };
    });
    return createCase({ runs: held, ignore_missing: isMissingFine }, context);
  } catch (error) {
    for (const run of runs.values()) {
      run.close();
      removeRun(run.path, context);
    }
    runs.clear();
    throw error;
  }
}

async function carryOutPart(
  part: ProjectPart,
  run: Run | undefined,
  { gathering, isMissingFine, context }: Erasing & { readonly context: Context },
): Promise<PartResult> {
  const { name } = part.project;
  const work = async (begun: Run) => {
    context.note(`Deletion in ${placeText(name, part.project)}:`);
    await part.carryOut(begun, { ignoreMissing: isMissingFine });
  };
  const result: PartResult = run
    ? await endPart(name, { work: () => work(run), isNobody: async () => isNobody(run) }, context)
    : { name, state: part.isExcepted ? 'excepted' : 'nobody' };
  // A receipt tells of each project, also of one that was broken off before its lines were answered.
  if (part.answered === undefined || gathering.hasWritten(name)) return result;
  try {
    await writeReceipt(part.answered, run, part.context);
    return result;
  } catch (error) {
    return failedPart(name, error, context);
  }
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
