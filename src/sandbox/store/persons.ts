import { asObject, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import { type Moment, nextEventDeletion, uuidOf } from '../operator.ts';
import {
  countRows,
  integerOf,
  jsonOf,
  listedNumbers,
  listedTexts,
  type Readable,
  type Store,
  textOf,
} from './open-store.ts';
import type { SqlRow } from './session.ts';
import { takeNumbers } from './state.ts';

/** A person as the store keeps it. */
export type StoredPerson = {
  readonly id: bigint;
  readonly uuid: string;
  readonly properties: JsonObject;
  readonly createdAt: Moment;
  readonly isIdentified: boolean;
  /** In the order in which they were given to the person. */
  readonly distinctIds: readonly string[];
};

/** A condition in SQL over `p`, the persons table. */
export type Condition = string;

/** Persons that meet a condition, newest first: all of them, or a part. */
export async function selectPersons(
  store: Readable,
  condition: Condition,
  part?: { readonly limit: number; readonly offset: number },
): Promise<readonly StoredPerson[]> {
  const rows = await store.rows(
    `select p.id, p.uuid, p.properties::varchar as properties, epoch_us(p.created_at) as created_at, p.is_identified
     from store.persons p where ${condition} order by p.created_at desc, p.id desc
     ${part === undefined ? '' : `limit ${part.limit} offset ${part.offset}`}`,
  );
  return withDistinctIds(store, rows);
}

/** How many persons meet a condition. */
export async function countPersons(store: Readable, condition: Condition): Promise<number> {
  return countRows(store, `store.persons p where ${condition}`);
}

/** Persons by number or UUID; the unknown are left out. */
export function personsByIds(store: Readable, ids: readonly string[]): Promise<readonly StoredPerson[]> {
  const wanted = ids.map((id) => (/^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, '') : id.toLowerCase()));
  return selectPersons(
    store,
    `(p.uuid in ${listedTexts(wanted)} or p.id::varchar in ${listedTexts(wanted)})`,
  );
}

/** Persons who own at least one of the distinct ids. */
export function personsByDistinctIds(
  store: Readable,
  distinctIds: readonly string[],
): Promise<readonly StoredPerson[]> {
  const owned = `d.distinct_id in ${listedTexts(distinctIds)}`;
  return selectPersons(store, `p.id in (select d.person_id from store.distinct_ids d where ${owned})`);
}

async function withDistinctIds(store: Readable, rows: readonly SqlRow[]): Promise<readonly StoredPerson[]> {
  if (rows.length === 0) return [];
  const owned = await store.rows(
    `select person_id, distinct_id from store.distinct_ids
     where person_id in ${listedNumbers(rows.map((row) => integerOf(row, 'id')))} order by place`,
  );
  const distinctIds = new Map<bigint, string[]>();
  for (const row of owned) {
    const id = integerOf(row, 'person_id');
    distinctIds.set(id, [...(distinctIds.get(id) ?? []), textOf(row, 'distinct_id')]);
  }
  return rows.map((row) => ({
    id: integerOf(row, 'id'),
    uuid: textOf(row, 'uuid'),
    properties: asObject(jsonOf(row, 'properties')) ?? {},
    createdAt: integerOf(row, 'created_at'),
    isIdentified: row.is_identified === true,
    distinctIds: distinctIds.get(integerOf(row, 'id')) ?? [],
  }));
}

/** What happens to one person at one time. */
type Happening = {
  readonly person: StoredPerson;
  readonly properties: JsonObject;
  readonly now: Moment;
};

/** Gives persons other properties and keeps the earlier ones in their histories. */
export async function replaceProperties(store: Store, changes: readonly Happening[]): Promise<void> {
  const rows = changes.map(({ person, properties, now }) => [person.id, now, writeJson(properties)] as const);
  await store.run(
    `insert into store.property_history select id, created_at, properties from store.persons
     where id in ${listedNumbers(rows.map(([id]) => id))}
       and id not in (select person_id from store.property_history)`,
  );
  await store.append('property_history', rows);
  for (const [id, , properties] of rows) {
    await store.run('update store.persons set properties = $2 where id = $1', [id, properties]);
  }
}

/** What a person's properties were, oldest first; one entry for the beginning and one for each change. */
export async function propertyHistory(store: Store, person: StoredPerson) {
  const rows = await store.rows(
    `select epoch_us(changed_at) as changed_at, properties::varchar as properties from store.property_history
     where person_id = $1 order by changed_at, rowid`,
    [person.id],
  );
  if (rows.length === 0) return [{ at: person.createdAt, properties: person.properties }];
  return rows.map((row) => ({
    at: integerOf(row, 'changed_at'),
    properties: asObject(jsonOf(row, 'properties')) ?? {},
  }));
}

/** Removes persons with all that belongs to them, except events. */
export async function removePersons(store: Store, persons: readonly StoredPerson[]): Promise<void> {
  const ids = listedNumbers(persons.map(({ id }) => id));
  await store.run(`insert into store.removed_persons select id, uuid from store.persons where id in ${ids}`);
  await store.run(`delete from store.persons where id in ${ids}`);
  for (const table of ['distinct_ids', 'cohort_persons', 'property_history']) {
    await store.run(`delete from store.${table} where person_id in ${ids}`);
  }
}

/** Adds a distinct id that nobody has, with the events that came under it before. */
export async function giveDistinctId(store: Store, distinctId: string, { id, distinctIds }: StoredPerson) {
  await store.append('distinct_ids', [[distinctId, id, distinctIds.length]]);
  await store.run('update store.events set person_id = $1 where distinct_id = $2 and person_id is null', [
    id,
    distinctId,
  ]);
}

export async function markIdentified(store: Store, id: bigint): Promise<void> {
  await store.run('update store.persons set is_identified = true where id = $1', [id]);
}

type Merge = { readonly from: StoredPerson; readonly into: StoredPerson };

/** One person takes over all that another is and has; of a property with two values its own counts. */
export async function mergePersons(store: Store, { from, into }: Merge): Promise<void> {
  await store.run('update store.distinct_ids set person_id = $1, place = place + $3 where person_id = $2', [
    into.id,
    from.id,
    into.distinctIds.length,
  ]);
  await store.run('update store.events set person_id = $1 where person_id = $2', [into.id, from.id]);
  await store.run(
    `update store.persons set properties = $2, created_at = least(created_at, make_timestamp($3::bigint))
     where id = $1`,
    [into.id, writeJson({ ...from.properties, ...into.properties }), from.createdAt],
  );
  await store.run('delete from store.persons where id = $1', [from.id]);
  for (const table of ['cohort_persons', 'property_history'])
    await store.run(`delete from store.${table} where person_id = $1`, [from.id]);
}

/** Makes a person without properties who takes over one distinct id, with its events, from its owner. */
export async function splitOff(store: Store, distinctId: string, now: Moment): Promise<void> {
  const id = await takeNumbers(store, 'person');
  const uuids = await makeUuids(store, [id]);
  await store.run(`insert into store.persons values ($1, $2, '{}', make_timestamp($3::bigint), false)`, [
    id,
    uuids.get(id) ?? '',
    now,
  ]);
  await store.run('update store.distinct_ids set person_id = $1 where distinct_id = $2', [id, distinctId]);
  await store.run('update store.events set person_id = $1 where distinct_id = $2', [id, distinctId]);
}

/**
 * A UUID for each number, always the same one unless a person from another sandbox has it. It is never one of
 * `reserved`.
 */
export async function makeUuids(
  store: Store,
  numbers: readonly bigint[],
  reserved: ReadonlySet<string> = new Set(),
): Promise<ReadonlyMap<bigint, string>> {
  const made = new Map<bigint, string>();
  let left = numbers;
  for (let round = 1; left.length > 0; round += 1) {
    const kind = round === 1 ? 'person' : `person, try ${round}`;
    const candidates = left.map((number) => ({ number, uuid: uuidOf(kind, number) }));
    const listed = listedTexts(candidates.map(({ uuid }) => uuid));
    const rows = await store.rows(`select uuid from store.persons where uuid in ${listed}`);
    const taken = new Set(rows.map((row) => textOf(row, 'uuid')));
    const isFree = ({ uuid }: { readonly uuid: string }) => !taken.has(uuid) && !reserved.has(uuid);
    for (const candidate of candidates.filter(isFree)) made.set(candidate.number, candidate.uuid);
    left = candidates.filter((candidate) => !isFree(candidate)).map(({ number }) => number);
  }
  return made;
}

/** Appends an event of each person, under its first distinct id. */
export async function captureEvents(
  store: Store,
  event: string,
  captured: readonly Happening[],
): Promise<void> {
  const first = await takeNumbers(store, 'event', captured.length);
  const rows = captured.map(({ person, properties, now }, index) => {
    const id = first + BigInt(index);
    return [id, event, person.distinctIds[0] ?? '', person.id, now, now, writeJson(properties)];
  });
  await store.append('events', rows);
}

/** How many events a person has between two moments, the first included. */
export async function countEvents(
  store: Store,
  person: StoredPerson,
  range: { readonly from: Moment; readonly to: Moment },
): Promise<number> {
  return countRows(
    store,
    `store.events where person_id = $1
     and timestamp >= make_timestamp($2::bigint) and timestamp < make_timestamp($3::bigint)`,
    [person.id, range.from, range.to],
  );
}

/** Queues the deletion of all events that these persons have now, for the coming Sunday 05:00 UTC. */
export async function queueEventDeletions(
  store: Store,
  persons: readonly StoredPerson[],
  now: Moment,
): Promise<void> {
  const last = (await takeNumbers(store, 'event', 0)) - 1n;
  const first = await takeNumbers(store, 'event deletion', persons.length);
  const due = nextEventDeletion(now);
  const rows = persons.map(({ id, uuid }, index) => [first + BigInt(index), id, uuid, now, due, last, null]);
  await store.append('event_deletions', rows);
}

/** Carries out what is due by `now`; answers how many requests that were. */
export async function runEventDeletions(store: Store, now: Moment): Promise<number> {
  const due = 'd.completed_at is null and d.due_at <= make_timestamp($1::bigint)';
  const count = await countRows(store, `store.event_deletions d where ${due}`, [now]);
  await store.run(
    `delete from store.events e using store.event_deletions d
     where e.person_id = d.person_id and e.id <= d.last_event_id and ${due}`,
    [now],
  );
  await store.run(`update store.event_deletions d set completed_at = d.due_at where ${due}`, [now]);
  return count;
}

/** Requests for event deletion, newest first, with how many there are in all. */
export async function selectEventDeletions(
  store: Store,
  which: {
    readonly state: 'pending' | 'completed' | 'all';
    readonly personUuid: string | undefined;
    readonly limit: number;
    readonly offset: number;
  },
) {
  const condition = `($1 = 'all' or ($1 = 'completed') = (completed_at is not null))
    and ($2::varchar is null or person_uuid = $2::varchar)`;
  const values = [which.state, which.personUuid ?? null];
  const rows = await store.rows(
    `select person_uuid, epoch_us(created_at) as created_at, epoch_us(completed_at) as completed_at
     from store.event_deletions where ${condition}
     order by created_at desc, id desc limit ${which.limit} offset ${which.offset}`,
    values,
  );
  return {
    total: await countRows(store, `store.event_deletions where ${condition}`, values),
    requests: rows.map((row) => ({
      personUuid: textOf(row, 'person_uuid'),
      createdAt: integerOf(row, 'created_at'),
      completedAt: row.completed_at === null ? undefined : integerOf(row, 'completed_at'),
    })),
  };
}
