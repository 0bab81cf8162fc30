import { basename, join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import { nameOfPath } from '../../system/text.ts';
import { lineText, type People } from '../input/given.ts';
import { type ProgressOptions, resolvePeople } from '../people/resolve.ts';
import {
  type ForeignHolder,
  findForeignHolder,
  isPath,
  isRunDirectory,
  isSameDirectory,
  listDirectories,
  type RunTools,
  runsDirectory,
  takeLock,
  useRunDirectory,
} from './directory.ts';
import type { Entry } from './entry.ts';
import type { MemberLine } from './ids-file.ts';
import { findNewest, newest, openRun, type Run, type RunRecord, readRun } from './open.ts';
import { partsOf } from './state.ts';

/**
 * The path of a run by its id, by the only id that begins so, `last`, or a path, for which no state directory is needed.
 * Throws `not-found`. A run in the working directory never takes the place of one that is named, and is told.
 */
export function runPath(
  name: string,
  { stateDirectory, warn }: Pick<Context, 'stateDirectory' | 'warn'>,
): string {
  if (isPath(name)) return runAt(name);
  const isBeside = isRunDirectory(name);
  const hint = isBeside ? `hogctl runs takes ${besideName(name)} for the run in that folder` : seeRuns;
  const parent = runsDirectory(stateDirectory());
  const path =
    name === newest ? findNewest(parent) : join(parent, theOnly('run', name, listDirectories(parent), hint));
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
    return await use(run, isPath(name) ? nameOfPath(name) : run.id);
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

/**
 * A run whose record lost its ids, with ids that were given again: only those that belong to it, by HMAC. `entries` then
 * gives back the ones that were given. Throws a usage error that counts the others, and one if the record has its ids.
 */
export function giveIds(run: Run, people: readonly People[]): Run {
  if (run.hasIds) {
    throw usageError(
      'the record of this run still holds its ids',
      'leave --ids, --distinct-ids and --from out',
    );
  }
  const given = listGiven(run, people);
  const total = given.size;
  const named = takeNamed(run, given);
  const entries = new Map<number, Entry>();
  let position = 0;
  for (const line of run.members()) {
    const entry = given.get(line.member);
    if (entry !== undefined) entries.set(position, asPlanned(run, entry, line));
    given.delete(line.member);
    position += 1;
  }
  const notInRun = given.size - named.onlyNamed(given);
  refuseNotInRun(notInRun, total, notInRun === given.size ? placesOf(run, people, given) : []);
  return {
    ...run,
    hasIds: true,
    entries: (from, count) =>
      Array.from({ length: count }, (_, index) => entries.get(from + index)).flatMap((entry) => entry ?? []),
    named: () => named.uuids,
    // The record holds no ids any more, so those that the service names are not put back into it either.
    keepNamed: (uuids) => void named.uuids.push(...uuids),
  };
}

/** The lines of files on which some of the ids stand. */
function placesOf(run: Run, people: readonly People[], ids: ReadonlyMap<string, Entry>): readonly string[] {
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  return lines.flatMap((line) =>
    line.line !== null && ids.has(run.memberOf(line.kind, line.id)) ? lineText(line) : [],
  );
}

/** Places that are told. */
const MOST_TOLD = 20;

/** Throws a usage error if any of the ids that were given does not belong to the run. */
export function refuseNotInRun(notInRun: number, given: number, places: readonly string[] = []): void {
  if (notInRun === 0) return;
  const more = places.length > MOST_TOLD ? ` and ${places.length - MOST_TOLD} more` : '';
  const where = places.length === 0 ? '' : `: ${places.slice(0, MOST_TOLD).join(', ')}${more}`;
  throw usageError(
    `${notInRun} of the ${given} ids that were given ${notInRun === 1 ? 'does' : 'do'} not belong to this run${where}`,
    'leave them out, or say with --distinct-ids or --as of which kind they are',
  );
}

/** The ids that were given, by how they appear in the record. */
export function listGiven(run: RunRecord, people: readonly People[]): Map<string, Entry> {
  const given = new Map<string, Entry>();
  for (const { list, resolution } of people) {
    for (const [index, id] of list.ids.entries()) {
      const person = resolution?.at(index);
      given.set(run.memberOf(list.kind, id), { kind: list.kind, id, ...(person ? { person } : {}) });
    }
  }
  return given;
}

/** Uuids of the plan that the service named among its errors: `--failed` writes them, so they may come back. */
function takeNamed(run: RunRecord, given: ReadonlyMap<string, Entry>) {
  const failed = new Set(
    partsOf(run.state()).flatMap(({ errors }) => errors.flatMap(({ person }) => person ?? [])),
  );
  const people = new Set<string>();
  // A person that the plan did not resolve is sent by the ids of the run only.
  for (const { member, kind, person } of failed.size === 0 ? [] : run.members()) {
    const owner = person ?? (kind === 'ids' ? member : undefined);
    if (owner !== undefined && failed.has(owner)) people.add(owner);
  }
  const uuids = [...people].flatMap((person) => given.get(person)?.id ?? []);
  const onlyNamed = (left: ReadonlyMap<string, Entry>) =>
    [...people].filter((person) => left.has(person)).length;
  return { uuids, onlyNamed };
}

/** Whom the id belonged to counts only as far as the record confirms it. */
function asPlanned(run: RunRecord, { kind, id, person }: Entry, line: MemberLine): Entry {
  if (line.person === undefined) return { kind, id };
  if (line.person === null) return { kind, id, person: null };
  const isConfirmed = person && run.memberOf('ids', person.uuid) === line.person;
  if (isConfirmed) return { kind, id, person };
  if (line.person === line.member) return { kind, id, person: { uuid: id, distinctIds: [] } };
  return { kind, id, personMember: line.person };
}

/**
 * The run with the ids that were given again, if any: those that belong to it, looked up if the live service needs it.
 * Throws a usage error if others are among them, or if the record still holds its ids.
 */
export async function withPeople(
  run: Run,
  people: readonly People[],
  { progress }: ProgressOptions,
  context: Context,
): Promise<Run> {
  if (people.length === 0) return run;
  // Before any look-up, since people who are not in this run are none of its business.
  const plain = giveIds(run, people);
  if (run.plan.resolved === undefined) return plain;
  const resolved = await resolvePeople(people, { isOptional: true, progress }, context);
  return giveIds(run, resolved.people);
}
