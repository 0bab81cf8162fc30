import { basename, join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import type { Holder, Owner } from '../../system/lock.ts';
import { nameOfPath } from '../../system/text.ts';
import type { People } from '../input/given.ts';
import { toPerson } from '../people/look.ts';
import { createMark } from './digest.ts';
import {
  findForeignHolder,
  isLocked,
  isPath,
  isRunDirectory,
  isSameDirectory,
  listRuns,
  type RunPlace,
  type RunTools,
  runsDirectory,
  takeLock,
  useRunDirectory,
} from './directory.ts';
import type { Entry } from './entry.ts';
import type { Happening } from './journal.ts';
import type { MemberLine } from './members.ts';
import {
  findLeftHolder,
  hasEndedSince,
  openRun,
  type Reading,
  type Run,
  type RunRecord,
  readRun,
  tryRead,
} from './open.ts';
import type { Plan } from './plan.ts';
import { isUnfinished } from './state.ts';
import { unfinishedMark } from './unreadable.ts';

/**
 * The path of a run by its id, by the only id that begins so, `last`, or a path, for which no state directory is needed.
 * Throws `not-found`. A run in the working directory never takes the place of one that is named, and is told.
 */
export function runPath(
  name: string,
  { stateDirectory, warn, records }: Pick<Context, 'stateDirectory' | 'warn'> & Reading,
): string {
  if (isPath(name)) return runAt(name);
  const isBeside = isRunDirectory(name);
  const hint = isBeside ? `write ${besideName(name)} for the run in that folder` : seeRuns;
  const parent = runsDirectory(stateDirectory());
  const path =
    name === newest
      ? findNewest(parent, { records })
      : join(parent, theOnly('run', name, listRuns(parent, records.key.uid), hint));
  if (isBeside && !isSameDirectory(path, name))
    warn(`warning: ${name} is run ${basename(path)}; the run in the folder ${name} is ${besideName(name)}`);
  return path;
}

const seeRuns = 'hogctl runs list shows the runs';

function runAt(path: string): string {
  if (isRunDirectory(path)) return path;
  throw new CliError('not-found', `there is no run in ${path}`, { hint: seeRuns });
}

function besideName(folder: string): string {
  return nameOfPath(`./${folder}`);
}

/** Of some names the one that is given, or the only one that begins so. Throws `not-found`. */
export function theOnly(noun: string, name: string, names: readonly string[], hint: string): string {
  const fitting = names.includes(name) ? [name] : names.filter((one) => name !== '' && one.startsWith(name));
  const [only] = fitting;
  if (fitting.length === 1 && only !== undefined) return only;
  const found = fitting.length === 0 ? `no ${noun} begins` : `${fitting.length} ${noun}s begin`;
  throw new CliError('not-found', `${found} with "${name}"`, { hint });
}

/** Whether a process works on a run now, as far as this machine can tell. */
export function isAtWork(run: RunRecord, owner: Owner): boolean {
  const directory = useRunDirectory(run.path);
  const holder = findForeignHolder(directory, owner);
  return holder === undefined ? isLocked(directory, owner) : !hasEndedSince(run, holder);
}

/** Removes a run with all it holds, evidence included. Throws a `refused` error while a process works on it. */
export function removeRun(path: string, tools: RunTools): void {
  const directory = useRunDirectory(path);
  takeLock(directory, tools);
  directory.removeAll();
}

/** Reads a run without its lock, and closes it again. */
export async function withRunRecord<Value>(
  name: string,
  context: Context,
  use: (run: RunRecord) => Promise<Value>,
): Promise<Value> {
  const run = readRun(runPath(name, context), context);
  try {
    tellOrigin(run, context);
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
  const run = openRun(path, { ...context, takeOver: holder });
  try {
    tellOrigin(run, context);
    refuseChangedIds(run);
    if (holder !== undefined) run.append(toTakenOver(holder));
    context.projects.prefer({ ...run.plan.project, host: run.plan.host });
    return await use(run, isPath(name) ? nameOfPath(name) : run.id);
  } finally {
    run.close();
  }
}

/** Its people were never shown here, and somebody else may have written it. */
export const MADE_ELSEWHERE = 'the record of this run was not made by this user on this computer';

export function tellOrigin({ isMadeHere }: RunRecord, { warn }: Pick<Context, 'warn'>): void {
  if (!isMadeHere) warn(`warning: ${MADE_ELSEWHERE}`);
}

function toTakenOver({ pid, host, at }: Holder): Happening {
  return { type: 'taken-over', pid, host, since: at ?? '' };
}

/** Asks whether the process that holds a run elsewhere is gone; nothing if nothing has to be taken over, or may be. */
async function confirmTakeOver(path: string, context: Context): Promise<Holder | undefined> {
  const holder = findForeignHolder(useRunDirectory(path), context.records.owner);
  if (holder === undefined || context.dryRun || findLeftHolder(path, context)) return undefined;
  const { pid, host, at } = holder;
  const action = `take the run over from process ${pid} on ${host}, which has held it since ${at}`;
  await context.confirm({ action, local: true });
  return holder;
}

/** The first line of its file `ids` that is another than was planned; nothing once the ids were dropped. */
export function findChangedLine(run: RunRecord): number | undefined {
  if (!run.hasIds) return undefined;
  const entries = listEntries(run);
  let number = 0;
  for (const { member, person, other, sentAs } of run.members()) {
    number += 1;
    const { value: entry } = entries.next();
    if (!entry || run.memberOf(entry.kind, entry.id) !== member) return number;
    const sent = entry.person?.sendAs && run.memberOf('ids', entry.person.sendAs);
    const isSame = isPerson(run, entry.person, person) && isPerson(run, entry.other, other);
    if (!isSame || sent !== sentAs) return number;
  }
  return undefined;
}

/** Whether somebody in the private file is who was planned, with each of their distinct ids. */
function isPerson(
  run: RunRecord,
  known: Entry['other'] | null,
  planned: MemberLine['person'] | undefined,
): boolean {
  if (!known || !planned) return !known && !planned;
  const { uuid, ids } = toPerson(known, run.memberOf);
  return (
    uuid === planned.uuid &&
    ids.length === planned.ids.length &&
    ids.every((id, at) => id === planned.ids[at])
  );
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

/** The newest run; one that is being written, or that a crash left unbegun, is none yet. */
export const newest = 'last';

/** The paths of runs, of which those of one second differ in their chance letters only: their plans tell more. */
function* newestFirst(parent: string, tools: Reading): Generator<string, undefined> {
  const bySecond = new Map<string, string[]>();
  for (const name of listRuns(parent, tools.records.key.uid).toSorted()) {
    const second = name.slice(0, '20261128T120000Z'.length);
    bySecond.set(second, [...(bySecond.get(second) ?? []), join(parent, name)]);
  }
  const timeOf = (path: string) => tryRead(path, tools, ({ plan }) => Date.parse(plan.createdAt)) ?? 0;
  for (const paths of [...bySecond.values()].reverse()) {
    const [only] = paths;
    if (paths.length === 1 && only !== undefined) yield only;
    else {
      const timed = paths.map((path) => ({ path, time: timeOf(path) }));
      for (const { path } of timed.toSorted((one, other) => one.time - other.time).reverse()) yield path;
    }
  }
}

export function oldestFirst(parent: string, tools: Reading): readonly string[] {
  return [...newestFirst(parent, tools)].reverse();
}

export function findNewest(parent: string, tools: Reading): string {
  for (const path of newestFirst(parent, tools)) if (isRunDirectory(path) || hasLostPlan(path)) return path;
  throw new CliError('not-found', 'no run is kept here yet', {
    hint: 'hogctl persons bulk-delete begins one',
  });
}

/** An older run in its place would be carried out, or proved, instead of the one that is meant. */
function hasLostPlan(path: string): boolean {
  const names = useRunDirectory(path).names();
  const isLeft = ['journal.ndjson', 'members.ndjson', 'check-key'].some((name) => names.includes(name));
  return isLeft && !names.includes(unfinishedMark);
}

/** The latest run of the same project, flags and ids that is not done: the same command, typed again, goes on with it. */
export function findSameRun(
  { stateDirectory }: RunPlace,
  { plan, people }: { readonly plan: Plan; readonly people: readonly People[] },
  tools: Reading,
): string | undefined {
  const isSame = (run: RunRecord) =>
    isSamePlan(run.plan, plan) &&
    run.hasIds &&
    isUnfinished(run.state()) &&
    markOf(run, people) === run.plan.members.mark;
  for (const path of newestFirst(runsDirectory(stateDirectory), tools))
    if (tryRead(path, tools, isSame)) return path;
  return undefined;
}

function isSamePlan(one: Plan, other: Plan): boolean {
  const flags = ['deleteEvents', 'deleteRecordings', 'keepPerson'] as const;
  return (
    one.project.id === other.project.id &&
    one.host === other.host &&
    one.unique === other.unique &&
    flags.every((flag) => one.flags[flag] === other.flags[flag])
  );
}

function markOf(run: RunRecord, people: readonly People[]): string {
  const mark = createMark();
  for (const { list } of people) for (const id of list.ids) mark.add(run.memberOf(list.kind, id));
  return mark.value();
}
