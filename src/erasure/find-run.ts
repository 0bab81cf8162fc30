import { basename, join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import type { Owner } from '../system/lock.ts';
import { hasNeverBegun } from './broken-record.ts';
import { nameOfPath } from './carry-out.ts';
import type { Owed } from './journal.ts';
import { type Outcome, reconcile } from './outcome.ts';
import type { Entry } from './people.ts';
import { eventsWord, isVerified, owedOf } from './proof.ts';
import {
  findNewest,
  newest,
  oldestFirst,
  openRun,
  type Run,
  type RunPlan,
  type RunRecord,
  readRun,
  tryRead,
} from './run.ts';
import {
  type ForeignHolder,
  findForeignHolder,
  isLocked,
  isRunDirectory,
  listDirectories,
  type RunTools,
  runsDirectory,
  takeLock,
  useRunDirectory,
} from './run-directory.ts';
import { tasksOf } from './run-state.ts';

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
  /** How far the deletion of events is, in a word or two; absent if it was not asked for. */
  readonly events?: string | undefined;
  /** What a crash left before the first line of a journal: nothing was sent, but ids may be there. */
  readonly neverBegan?: boolean;
};

/** The runs of a state directory, oldest first; a damaged one is listed with its problem. */
export function listRuns(
  stateDirectory: string,
  { owner }: { readonly owner: Owner },
): readonly RunSummary[] {
  return oldestFirst(runsDirectory(stateDirectory)).map((path) => summarize(basename(path), path, owner));
}

/** The run in a directory of its own. Throws a usage error if there is none. */
export function summarizeRunAt(path: string, { owner }: { readonly owner: Owner }): RunSummary {
  if (!isRunDirectory(path)) throw usageError(`${path} holds no run`, 'name the directory of a run');
  return summarize(nameOfPath(path), path, owner);
}

/**
 * The path of a run by its id, by the only id that begins so, `last`, or its directory, for which no state directory is
 * needed. Throws `not-found`.
 */
export function runPath(name: string, { stateDirectory }: Pick<Context, 'stateDirectory'>): string {
  if (name !== newest && isRunDirectory(name)) return name;
  const parent = runsDirectory(stateDirectory());
  if (name === newest) return findNewest(parent);
  return join(parent, theOnly('run', name, listDirectories(parent), 'hogctl runs list shows the runs'));
}

/** Of some names the one that is given, or the only one that begins so. Throws `not-found`. */
export function theOnly(noun: string, name: string, names: readonly string[], hint: string): string {
  const fitting = names.includes(name) ? [name] : names.filter((one) => name !== '' && one.startsWith(name));
  const [only] = fitting;
  if (fitting.length === 1 && only !== undefined) return only;
  const found = fitting.length === 0 ? `no ${noun} begins` : `${fitting.length} ${noun}s begin`;
  throw new CliError('not-found', `${found} with "${name}"`, { hint });
}

/** Removes a run with all it holds, evidence included. Throws a `refused` error while a process works on it. */
export function removeRun(path: string, tools: RunTools): void {
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
        : { problem: 'incomplete or changed; hogctl runs check says more', neverBegan: false }),
    }
  );
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
 * a `check` error if the record holds other ids than were planned.
 */
export async function withRun<Value>(
  name: string,
  context: Context,
  use: (run: Run, called: string) => Promise<Value>,
  { takeOver = false }: { readonly takeOver?: boolean | undefined } = {},
): Promise<Value> {
  const path = runPath(name, context);
  const holder = takeOver ? await confirmTakeOver(path, context) : undefined;
  const run = openRun(path, { ...context, takeOver: holder !== undefined });
  try {
    refuseChangedIds(run);
    if (holder !== undefined) run.append({ type: 'taken-over', ...holder });
    context.preferProject({ ...run.plan.project, host: run.plan.host });
    return await use(run, name !== newest && isRunDirectory(name) ? nameOfPath(name) : run.id);
  } finally {
    run.close();
  }
}

/** Asks whether the process that holds a run elsewhere is gone; nothing if nothing has to be taken over, or may be. */
async function confirmTakeOver(path: string, context: Context): Promise<ForeignHolder | undefined> {
  const holder = findForeignHolder(useRunDirectory(path), context.owner);
  if (holder === undefined || context.dryRun) return undefined;
  const { pid, host, since } = holder;
  const action = `take the run over from process ${pid} on ${host}, which has held it since ${since}`;
  await context.confirm({ action, local: true });
  return holder;
}

/** The first line of its file `ids` that is another than was planned; nothing once the ids were dropped. */
export function findChangedLine(run: RunRecord): number | undefined {
  if (!run.hasIds) return undefined;
  const entries = listEntries(run);
  let number = 0;
  for (const { member, person, sentAs } of run.members()) {
    number += 1;
    const { value: entry } = entries.next();
    if (!entry || run.memberOf(entry.kind, entry.id) !== member) return number;
    const { person: planned } = entry;
    const sent = planned?.sendAs && run.memberOf('ids', planned.sendAs);
    if ((planned && run.memberOf('ids', planned.uuid)) !== person || sent !== sentAs) return number;
  }
  return undefined;
}

/** Throws a `check` error then: those ids were not agreed to, and the report would tell of others than were sent. */
export function refuseChangedIds(run: RunRecord): void {
  const line = findChangedLine(run);
  if (line === undefined) return;
  throw new CliError(
    'check',
    `the ids of this run are not those it was planned with, from line ${line} of the file ids on`,
    { hint: `nothing more is sent; keep ${run.path} as it is, and start afresh with --new-run` },
  );
}

const atOnce = 1024;

function* listEntries({ entries, plan }: RunRecord): Generator<Entry, undefined> {
  for (let from = 0; from < plan.members.count; from += atOnce) yield* entries(from, atOnce);
}
