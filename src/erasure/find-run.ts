import { join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError, changed, usageError } from '../errors.ts';
import { hasNeverBegun, runsDirectory } from './create-run.ts';
import { createMark } from './entries.ts';
import type { Owed } from './journal.ts';
import { type ForeignHolder, findForeignHolder, isLocked, type Owner, takeLock } from './lock.ts';
import { type Outcome, reconcile } from './outcome.ts';
import { eventsWord, isVerified, owedOf } from './outcome-lines.ts';
import type { People } from './people.ts';
import type { Plan } from './plan.ts';
import { openRun, type Run, type RunPlan, type RunRecord, readRun, refuseChangedIds } from './run.ts';
import { listDirectories, useRunDirectory } from './run-directory.ts';
import { tasksOf } from './tasks.ts';

export type RunSummary = {
  readonly id: string;
  readonly path: string;
  /** Why the run cannot be read; then there is no more of it. */
  readonly problem?: string;
  readonly plan?: RunPlan;
  readonly outcome?: Outcome;
  /** Whether a process works on it now. */
  readonly atWork?: boolean;
  /** Whether anything is left to send. */
  readonly isOpen?: boolean;
  readonly hasIds?: boolean;
  readonly verified?: boolean;
  readonly owed?: readonly Owed[];
  /** Somebody removed the ids although something was owed. */
  readonly isGivenUp?: boolean;
  /** How far the deletion of events is, in a word or two; absent where it was not asked for. */
  readonly events?: string | undefined;
  /** What a crash left before the first line of a journal: nothing was sent, but ids may be there. */
  readonly neverBegan?: boolean;
};

/** The runs of a state directory, oldest first; a damaged one is listed with its problem. */
export function listRuns(
  stateDirectory: string,
  { owner }: { readonly owner: Owner },
): readonly RunSummary[] {
  const parent = runsDirectory(stateDirectory);
  return oldestFirst(parent).map((name) => summarize(name, join(parent, name), owner));
}

/** The run in a directory of its own. Throws a usage error if there is none. */
export function summarizeRunAt(path: string, { owner }: { readonly owner: Owner }): RunSummary {
  if (!isRunDirectory(path)) throw usageError(`there is no run in ${path}`, 'name the directory of a run');
  return summarize(nameOfPath(path), path, owner);
}

/** The names of runs, of which those of one second differ in their chance letters only: their plans tell more. */
function oldestFirst(parent: string): readonly string[] {
  const secondOf = (name: string) => name.slice(0, '20261128T120000Z'.length);
  const names = listDirectories(parent);
  const times = new Map<string, number>();
  const timeOf = (name: string) => {
    const time =
      times.get(name) ?? tryRead(join(parent, name), ({ plan }) => Date.parse(plan.createdAt)) ?? 0;
    times.set(name, time);
    return time;
  };
  return names.toSorted((one, other) => {
    if (secondOf(one) !== secondOf(other)) return one < other ? -1 : 1;
    return timeOf(one) - timeOf(other);
  });
}

/** The newest run; one that is being written, or that a crash left unbegun, is none yet. */
export const newest = 'last';

/** The path of a run by its id, by the only id that begins so, `last`, or its directory. Throws `not-found`. */
export function findRun(stateDirectory: string, name: string): string {
  const parent = runsDirectory(stateDirectory);
  if (name === newest) return findNewest(parent);
  const names = listDirectories(parent);
  if (isRunDirectory(name)) return name;
  const fitting = names.includes(name) ? [name] : names.filter((one) => name !== '' && one.startsWith(name));
  const [only] = fitting;
  if (fitting.length === 1 && only !== undefined) return join(parent, only);
  const found = fitting.length === 0 ? 'there is no run' : `${fitting.length} runs begin with`;
  throw new CliError('not-found', `${found} "${name}"`, { hint: 'hogctl runs list shows the runs' });
}

function findNewest(parent: string): string {
  const last = oldestFirst(parent)
    .map((name) => join(parent, name))
    .findLast(isRunDirectory);
  if (last !== undefined) return last;
  throw new CliError('not-found', 'there is no run yet', { hint: 'hogctl runs list shows the runs' });
}

/** Whether a text is the path of a directory that holds a run. */
function isRunDirectory(path: string): boolean {
  return path !== '' && useRunDirectory(path).has('plan.json');
}

/**
 * An earlier run of the same project, flags and ids that is not done: the one that the same command, typed again,
 * carries on. The latest, if there are several.
 */
export function findSameRun(
  stateDirectory: string,
  { plan, people }: { readonly plan: Plan; readonly people: readonly People[] },
): string | undefined {
  const parent = runsDirectory(stateDirectory);
  return oldestFirst(parent)
    .map((name) => join(parent, name))
    .reverse()
    .find((path) => isSameRun(path, { plan, people }));
}

/** Whether the run in a directory is of the same project, flags and ids, and not done. */
export function isSameRun(
  path: string,
  { plan, people }: { readonly plan: Plan; readonly people: readonly People[] },
): boolean {
  return (
    tryRead(path, (run) => isSamePlan(run, plan) && markOf(run, people) === run.plan.members.mark) ?? false
  );
}

/** Removes a run with all it holds, evidence included. Throws a `refused` error while a process works on it. */
export function removeRun(
  path: string,
  tools: { readonly owner: Owner; readonly now: () => number; readonly random: () => number },
): void {
  const directory = useRunDirectory(path);
  takeLock(directory, tools);
  directory.removeAll();
}

function summarize(id: string, path: string, owner: Owner): RunSummary {
  return (
    tryRead(path, (run) => ({
      id,
      path,
      plan: run.plan,
      outcome: reconcile(run),
      atWork: isLocked(useRunDirectory(path), owner),
      isOpen: tasksOf(run.state()).length > 0,
      hasIds: run.hasIds,
      verified: isVerified(run) ?? false,
      owed: owedOf(run),
      isGivenUp: run.state().droppedOwing.length > 0,
      events: eventsWord(run),
    })) ?? {
      id,
      path,
      ...(hasNeverBegun(path, owner)
        ? { problem: 'never began; hogctl runs prune removes it', neverBegan: true }
        : { problem: 'not complete or changed; hogctl runs check says more', neverBegan: false }),
    }
  );
}

/** One damaged run must not hide the others; `runs check` says what is wrong with it. */
function tryRead<Value>(path: string, read: (run: RunRecord) => Value): Value | undefined {
  let run: RunRecord | undefined;
  try {
    run = readRun(path);
    return read(run);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  } finally {
    run?.close();
  }
}

function isSamePlan(run: RunRecord, plan: Plan): boolean {
  const { project, host, flags, unique } = run.plan;
  return (
    project.id === plan.project.id &&
    host === plan.host &&
    unique === plan.unique &&
    flags.deleteEvents === plan.flags.deleteEvents &&
    flags.deleteRecordings === plan.flags.deleteRecordings &&
    flags.keepPerson === plan.flags.keepPerson &&
    run.hasIds &&
    tasksOf(run.state()).length > 0
  );
}

function markOf(run: RunRecord, people: readonly People[]): string {
  const mark = createMark();
  for (const { list } of people) {
    for (const id of list.ids) mark.add(run.memberOf(list.kind, id));
  }
  return mark.value();
}

/** The directory of a run by id, by the start of an id, or by its path, for which no state directory is needed. */
export function runPath(name: string, context: Context): string {
  return name !== newest && isRunDirectory(name) ? name : findRun(context.stateDirectory(), name);
}

/** Reads a run without its lock, and closes it again. */
export async function withRunRecord<Value>(
  name: string,
  context: Context,
  use: (run: RunRecord) => Promise<Value>,
): Promise<Value> {
  const run = readRun(runPath(name, context));
  try {
    return await use(run);
  } finally {
    run.close();
  }
}

/**
 * Opens a run to work on it, under its lock, and closes it again. `use` also gets what to call the run in hints. Throws
 * a `check` error where the record holds other ids than were planned.
 */
export async function withRun<Value>(
  name: string,
  context: Context,
  use: (run: Run, called: string) => Promise<Value>,
  { takeOver = false }: { readonly takeOver?: boolean | undefined } = {},
): Promise<Value> {
  const { now, random, owner } = context;
  const path = runPath(name, context);
  const holder = takeOver ? await confirmTakeOver(path, context) : undefined;
  const run = openRun(path, { now, random, owner, takeOver: holder !== undefined });
  try {
    refuseChangedIds(run);
    if (holder !== undefined) run.append({ type: 'taken-over', ...holder });
    context.preferProject({ ...run.plan.project, host: run.plan.host });
    return await use(run, name !== newest && isRunDirectory(name) ? nameOfPath(name) : run.id);
  } finally {
    run.close();
  }
}

/** Asks whether whoever holds a run elsewhere is gone; nothing if nothing has to be taken over, or may be. */
async function confirmTakeOver(path: string, context: Context): Promise<ForeignHolder | undefined> {
  const holder = findForeignHolder(useRunDirectory(path), context.owner);
  if (holder === undefined || context.dryRun) return undefined;
  const { pid, host, since } = holder;
  const action = `take the run over from process ${pid} on ${host}, which holds it since ${since}`;
  await context.confirm({ action, local: true });
  return holder;
}

/**
 * What ended a run in its midst, with the name of the run and how to go on with it: nothing else has told of it by then.
 * A usage error comes before the first call and stays as it is, and so does a bug, beside which the name is told.
 */
export function nameRun(error: unknown, name: string, context: Context): unknown {
  const resume = `hogctl runs resume ${name} sends what is left`;
  if (!(error instanceof CliError)) {
    context.warn(`Run ${name}: ${resume}.`);
    return error;
  }
  if (error.kind === 'usage') return error;
  const hint = [error.hint, resume].filter(Boolean).join('; then ');
  return changed(error, { message: `run ${name}: ${error.message}`, hint });
}

/** A path as it is typed in a shell, for hints that name a run by it. */
export function nameOfPath(path: string): string {
  return /^[\w./~:@%+=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Throws a usage error where the settings lead to another project or host than the run's. */
export async function refuseOtherProject({ plan }: RunRecord, context: Context): Promise<void> {
  const { project, host } = await context.settings();
  if (project.id === plan.project.id && host.address === plan.host) return;
  throw usageError(
    `this run is for project ${plan.project.id} at ${plan.host}, not for ${project.id} at ${host.address}`,
    host.address === plan.host
      ? `choose it with --project ${plan.project.name}`
      : `choose it with --host ${plan.host} and --project ${plan.project.name}`,
  );
}
