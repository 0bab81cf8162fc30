import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import { digestOf, type Entry, type IdKind, idToSend, isUuid, type MemberLine } from './entries.ts';
import type { People } from './people.ts';
import { type ProgressOptions, resolvePeople } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { type Part, partsOf, type RunState, type Sending, stateOf } from './run-state.ts';

/** How long after the first sending a lost answer is asked for again without looking. */
const trustMilliseconds = 15 * 60_000;

/** What a session has to send: a part of the plan, or the errors of one that was answered. */
export type Task = { readonly batch: number; readonly part: number; readonly retry: boolean };

type ResumeDecision = {
  /** Sent as they are: never sent, known not to have run, or lost so lately that nobody can have come back. */
  readonly resend: readonly Task[];
  /** Lost long ago: the ids are looked up first, since somebody may have been created under them since. */
  readonly lookUp: readonly Task[];
  /** Ids in each. */
  readonly idsToResend: number;
  readonly idsToLookUp: number;
};

/** What `runs resume` would do at this time, in milliseconds since 1970. */
export function decideResume(run: RunRecord, now: number): ResumeDecision {
  const tasks = tasksOf(run.state());
  const late = (task: Task) => needsLookUp(sendingOf(run.state(), task), now);
  const lookUp = tasks.filter(late);
  const resend = tasks.filter((task) => !late(task));
  return {
    resend,
    lookUp,
    idsToResend: countIds(run.state(), resend),
    idsToLookUp: countIds(run.state(), lookUp),
  };
}

/** Everything that is not known to be done, in the order of the plan. */
export function tasksOf(state: RunState): readonly Task[] {
  return partsOf(state).flatMap((part) => {
    const { batch, part: number } = part;
    if (stateOf(part.sending) !== 'done') return { batch, part: number, retry: false };
    return part.errors.some(({ person }) => person !== null) ? { batch, part: number, retry: true } : [];
  });
}

/** How many ids are not known to be done. */
export function countOpen(state: RunState): number {
  return countIds(state, tasksOf(state));
}

export function needsLookUp(sending: Sending | undefined, now: number): boolean {
  if (sending?.firstSentAt === undefined || stateOf(sending) !== 'unknown') return false;
  const passed = now - Date.parse(sending.firstSentAt);
  // A clock that was set back does not tell how long ago it was.
  return passed < 0 || passed > trustMilliseconds;
}

export function sendingOf(state: RunState, task: Task): Sending | undefined {
  const part = findPart(state, task);
  return task.retry ? part.retry : part.sending;
}

/** The part that a task is about. Throws a `RangeError` for one that the run has not: nothing may be sent for it. */
export function findPart(state: RunState, { batch, part }: Pick<Task, 'batch' | 'part'>): Part {
  const found = state.batches[batch - 1]?.[part - 1];
  if (found === undefined) throw new RangeError(`The run has no part ${part} of a batch ${batch}`);
  return found;
}

function countIds(state: RunState, tasks: readonly Task[]): number {
  return tasks.reduce((total, task) => {
    const part = findPart(state, task);
    return total + (task.retry ? part.errors.length : part.count);
  }, 0);
}

export type Item = { readonly id: string; readonly member: string; readonly entry: Entry };

/** What one call is about to carry, and the digest that stands for it in the journal. */
export type Load = {
  readonly kind: IdKind;
  readonly items: readonly Item[];
  readonly digest: string;
  /** The people that a retry is about, if it carries all ids of its part. */
  readonly people?: number | undefined;
};

/** The ids of a task. `named`: uuids that the service named among its errors, by their members. */
export function loadTask(run: Run, task: Task, named: ReadonlyMap<string, string>): Load {
  const part = findPart(run.state(), task);
  return task.retry ? loadRetry(run, part, named) : toLoad(part.kind, listPart(run, part));
}

export function toLoad(kind: IdKind, items: readonly Item[], people?: number): Load {
  return { kind, items, digest: digestOf(items.map(({ member }) => member)), people };
}

/** How the person of an id appears in the record: null for nobody, undefined if nobody looked. */
export function personMemberOf(run: RunRecord, { kind, id, person, personMember }: Entry) {
  if (personMember !== undefined) return personMember;
  if (person) return run.memberOf('ids', person.uuid);
  if (kind === 'ids' && isUuid(id)) return run.memberOf('ids', id);
  return person;
}

/** Whether the record tells whose the ids are, so that a UUID in an answer can be compared with them. */
function isResolved(run: RunRecord, entries: readonly Entry[]): boolean {
  return entries.every((entry) => personMemberOf(run, entry) !== undefined);
}

/** Tells the persons of some ids by UUID; nothing if somebody did not resolve them. */
export function plannedPersons(
  run: RunRecord,
  entries: readonly Entry[],
): ((uuid: string) => boolean) | undefined {
  const members = new Set(entries.map((entry) => personMemberOf(run, entry)));
  return members.has(undefined) ? undefined : (uuid) => members.has(run.memberOf('ids', uuid));
}

function listPart(run: Run, { from, count }: Part): readonly Item[] {
  return run.entries(from, count).map((entry) => ({
    id: idToSend(entry),
    member: run.memberOf(entry.kind, entry.id),
    entry,
  }));
}

/**
 * The people of the errors of a part, as uuids that the plan resolved. If it resolved none, the ids of the part
 * themselves: a UUID that only an answer names is never sent.
 */
function loadRetry(run: Run, part: Part, named: ReadonlyMap<string, string>): Load {
  const members = new Set(part.errors.flatMap(({ person }) => person ?? []));
  const own = listPart(run, part);
  const entries = own.map(({ entry }) => entry);
  const isPlanned = plannedPersons(run, entries);
  if (isPlanned === undefined) return toLoad(part.kind, own, members.size);
  // Ids that were given again may lack some of a part; their uuids were compared with the plan when they were given.
  const isWhole = entries.length === part.count;
  const planned = new Map(own.map(({ id, entry }) => [personMemberOf(run, entry), id]));
  const items = [...members].flatMap((member): Item | readonly [] => {
    const uuid = named.get(member);
    if (uuid === undefined || (isWhole && !isPlanned(uuid))) return [];
    return { id: planned.get(member) ?? uuid, member, entry: { kind: 'ids', id: uuid } };
  });
  return toLoad('ids', items);
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
  refuseNotInRun(given.size - named.onlyNamed(given), total);
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

/** Throws a usage error if any of the ids that were given does not belong to the run. */
export function refuseNotInRun(notInRun: number, given: number): void {
  if (notInRun === 0) return;
  throw usageError(
    `${notInRun} of the ${given} ids that were given ${notInRun === 1 ? 'does' : 'do'} not belong to this run`,
    'leave them out; --distinct-ids and --as say of which kind an id is',
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
 * The run with the ids that were given again, if any: those that belong to it, looked up where the live service needs it.
 * Throws a usage error where others are among them, or where the record still holds its ids.
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
