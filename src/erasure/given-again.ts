import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import type { MemberLine } from './entries.ts';
import { type Entry, lineText, type People } from './people.ts';
import { type ProgressOptions, resolvePeople } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { findPart, partsOf, tasksOf } from './run-state.ts';
import { isResolved } from './send-again.ts';

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

/** Throws a usage error unless the run has the ids of all that is left to send. */
export function requireOpenIds(run: RunRecord): void {
  const state = run.state();
  const named = new Set(run.named().map((uuid) => run.memberOf('ids', uuid)));
  let missing = 0;
  for (const task of tasksOf(state)) {
    const part = findPart(state, task);
    const entries = run.entries(part.from, part.count);
    const isByIds = !task.retry || !isResolved(run, entries);
    if (isByIds) missing += part.count - entries.length;
    else missing += part.errors.filter(({ person }) => person !== null && !named.has(person)).length;
  }
  if (missing === 0) return;
  throw usageError(
    `${missing} of the ids that are left to send were not given`,
    'a run is carried out as it was planned: give all of them, or start a new run with --new-run',
  );
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
