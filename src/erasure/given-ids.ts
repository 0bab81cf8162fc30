import type { Context } from '../cli/context.ts';
import { counted, usageError } from '../errors.ts';
import type { JsonObject } from '../json/kinds.ts';
import type { Entry, IdKind } from './entries.ts';
import type { MemberLine } from './members.ts';
import type { People } from './people.ts';
import { reportRows } from './report.ts';
import { type ProgressOptions, resolvePeople } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import { type Part, partsOf, stateOf } from './run-state.ts';
import { findPart, isResolved, plannedPersons, tasksOf } from './tasks.ts';

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
function refuseNotInRun(notInRun: number, given: number): void {
  if (notInRun === 0) return;
  throw usageError(
    `${notInRun} of the ${given} ids that were given ${notInRun === 1 ? 'does' : 'do'} not belong to this run`,
    'leave them out; --distinct-ids and --as say of which kind an id is',
  );
}

/** The ids that were given, by how they appear in the record. */
function listGiven(run: RunRecord, people: readonly People[]): Map<string, Entry> {
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

/** The rows of a report that are about these ids, in the order they were given. Throws a usage error for others. */
export function rowsOfPeople(run: RunRecord, people: readonly People[]): readonly JsonObject[] {
  const wanted = new Map<string, JsonObject | undefined>();
  for (const member of listGiven(run, people).keys()) wanted.set(member, undefined);
  for (const row of reportRows(run)) {
    const member = String(row.member);
    if (wanted.has(member)) wanted.set(member, row);
  }
  const rows = [...wanted.values()].filter((row) => row !== undefined);
  refuseNotInRun(wanted.size - rows.length, wanted.size);
  return rows;
}

type FailedId = {
  readonly kind: IdKind;
  readonly id: string;
  readonly reason: 'failed' | 'unknown' | 'not sent' | 'refused' | 'withheld';
};

/**
 * The ids that a further run would have to be given: those not known to be done, and the people that the service could
 * not delete. With `withheld` also those created since, whom a resumed run spared. They are personal
 * data. Throws a `refused` error once the ids of the run were dropped.
 */
export function* failedIds(
  run: RunRecord,
  { withheld = false }: { readonly withheld?: boolean } = {},
): Generator<FailedId> {
  let uuids: ReadonlyMap<string, string> | undefined;
  for (const part of partsOf(run.state())) {
    const state = stateOf(part.sending);
    if (state !== 'done') yield* entriesOf(run, part, state === 'failed' ? 'refused' : state);
    else if (withheld && part.sending.withheld.length > 0) yield* withheldOf(run, part);
    if (part.errors.length === 0) continue;
    uuids ??= new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid]));
    yield* failedOf(run, part, uuids);
  }
}

/** As they are sent again: by uuid if the plan resolved them, else all ids of the part. */
function* failedOf(run: RunRecord, part: Part, uuids: ReadonlyMap<string, string>): Generator<FailedId> {
  const named = part.errors.flatMap(({ person }) => person ?? []);
  const isPlanned = named.length === 0 ? undefined : plannedPersons(run, run.entries(part.from, part.count));
  if (isPlanned === undefined) {
    if (named.length > 0) yield* entriesOf(run, part, 'failed');
    return;
  }
  for (const person of named) {
    const id = uuids.get(person);
    if (id !== undefined && isPlanned(id)) yield { kind: 'ids', id, reason: 'failed' };
  }
}

function* entriesOf(run: RunRecord, part: Part, reason: FailedId['reason']): Generator<FailedId> {
  for (const { kind, id } of run.entries(part.from, part.count)) yield { kind, id, reason };
}

function* withheldOf(run: RunRecord, part: Part): Generator<FailedId> {
  const members = new Set(part.sending.withheld);
  for (const { kind, id } of run.entries(part.from, part.count)) {
    if (members.has(run.memberOf(kind, id))) yield { kind, id, reason: 'withheld' };
  }
}

/**
 * Writes the ids to feed back in, readable by their owner only: CSV that `--from --as` takes again, a file for each kind
 * if there are several. Where nothing failed the file holds its heading alone, so that an older one is not taken for it.
 */
export async function writeFailed(file: string, run: RunRecord, context: Context): Promise<void> {
  const kinds = new Map<IdKind, string[]>();
  for (const { kind, id } of failedIds(run)) {
    const ids = kinds.get(kind) ?? [];
    ids.push(id);
    kinds.set(kind, ids);
  }
  const [first = 'ids'] = run.plan.groups.map(({ kind }) => kind);
  if (kinds.size === 0) {
    await context.files.writePrivate(file, [heading(first)]);
    context.note(`No id is left to do: ${file} holds none.`);
  }
  for (const [kind, ids] of kinds) {
    const name = kinds.size > 1 ? `${file}.${kind}` : file;
    await context.files.writePrivate(name, [heading(kind), ...ids.map((id) => `${csvCell(id)}\n`)]);
    context.note(`${counted(ids.length, 'id')} to feed back in: --from ${name} --as ${kind}`);
  }
}

function heading(kind: IdKind): string {
  return kind === 'ids' ? 'id\n' : 'distinct_id\n';
}

/** Quoted always, so that every reader takes the file for CSV of one column. */
function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
