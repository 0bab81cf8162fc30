import { usageError } from '../../errors.ts';
import { writeJson } from '../../json/write.ts';
import type { NewCohort, NewEvent, NewPerson } from '../content.ts';
import { integerOf, type Store, textOf } from './open-store.ts';
import { makeUuids, takenUuids } from './persons.ts';
import { reserveNumbers, takeNumbers } from './state.ts';

/** Where a person stands in what is loaded. */
type Where = (index: number) => string;

/**
 * Adds persons. Events that wait for one of their distinct ids become theirs. Throws a usage error that names the row
 * for an id or a distinct id that is taken.
 */
export async function loadPersons(store: Store, persons: readonly NewPerson[], where: Where): Promise<void> {
  if (persons.length === 0) return;
  const numbers = await numberPersons(store, persons, where);
  const uuids = await identifyPersons(store, { persons, numbers, where });
  const owners = await selectOwners(store);
  const owned = persons.flatMap(({ distinctIds }, index) =>
    distinctIds.map((distinctId, place) => ({ distinctId, owner: numbers[index] ?? 0n, place, index })),
  );
  for (const { distinctId, owner, index } of owned) {
    if (owners.has(distinctId)) {
      throw usageError(`${where(index)} has the distinct id "${distinctId}", which is taken`);
    }
    owners.set(distinctId, owner);
  }
  await store.append('persons', [
    { type: 'integer', values: numbers },
    { type: 'text', values: uuids },
    { type: 'text', values: persons.map(({ properties }) => properties) },
    { type: 'moment', values: persons.map(({ createdAt }) => createdAt) },
    { type: 'boolean', values: persons.map(({ isIdentified }) => isIdentified) },
  ]);
  await store.append('distinct_ids', [
    { type: 'text', values: owned.map(({ distinctId }) => distinctId) },
    { type: 'integer', values: owned.map(({ owner }) => owner) },
    { type: 'integer', values: owned.map(({ place }) => BigInt(place)) },
  ]);
  await store.run(
    `update store.events e set person_id = d.person_id from store.distinct_ids d
     where e.person_id is null and d.distinct_id = e.distinct_id`,
  );
}

async function numberPersons(
  store: Store,
  persons: readonly NewPerson[],
  where: Where,
): Promise<readonly bigint[]> {
  const given = persons.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const rows = await store.rows(
    `select id from store.persons where id in (select unnest(from_json($1, '["BIGINT"]')))`,
    [`[${given.join(',')}]`],
  );
  const taken = new Set(rows.map((row) => integerOf(row, 'id')));
  for (const [index, { id }] of persons.entries()) {
    if (id === undefined) continue;
    if (taken.has(id)) throw usageError(`${where(index)} has the person id ${id}, which is taken`);
    taken.add(id);
  }
  // Numbers are given out above the given ones, so that the two kinds never meet.
  for (const id of given) await reserveNumbers(store, 'person', id);
  let next = await takeNumbers(store, 'person', persons.length - given.length);
  return persons.map(({ id }) => id ?? next++);
}

type Numbered = {
  readonly persons: readonly NewPerson[];
  readonly numbers: readonly bigint[];
  readonly where: Where;
};

/** The given UUIDs; the others get a free one. */
async function identifyPersons(store: Store, { persons, numbers, where }: Numbered) {
  const given = persons.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
  const taken = await takenUuids(store, given);
  for (const [index, { uuid }] of persons.entries()) {
    if (uuid === undefined) continue;
    if (taken.has(uuid)) throw usageError(`${where(index)} has the UUID ${uuid}, which is taken`);
    taken.add(uuid);
  }
  const without = numbers.filter((_, index) => persons[index]?.uuid === undefined);
  const made = await makeUuids(store, without, new Set(given));
  return persons.map(({ uuid }, index) => uuid ?? made.get(numbers[index] ?? 0n) ?? '');
}

async function selectOwners(store: Store): Promise<Map<string, bigint>> {
  const rows = await store.rows('select distinct_id, person_id from store.distinct_ids');
  return new Map(rows.map((row) => [textOf(row, 'distinct_id'), integerOf(row, 'person_id')]));
}

/** Adds events in the order of the list. Those of unknown distinct ids have no person yet. */
export async function loadEvents(store: Store, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const owners = await selectOwners(store);
  const first = await takeNumbers(store, 'event', events.length);
  await store.append('events', [
    { type: 'integer', values: events.map((_, index) => first + BigInt(index)) },
    { type: 'text', values: events.map(({ event }) => event) },
    { type: 'text', values: events.map(({ distinctId }) => distinctId) },
    { type: 'integer', values: events.map(({ distinctId }) => owners.get(distinctId) ?? null) },
    { type: 'moment', values: events.map(({ timestamp }) => timestamp) },
    { type: 'text', values: events.map(({ properties }) => properties) },
  ]);
}

/** Adds cohorts. Throws a usage error for a listed distinct id without a person. */
export async function loadCohorts(store: Store, cohorts: readonly NewCohort[]): Promise<void> {
  if (cohorts.length === 0) return;
  const owners = await selectOwners(store);
  const members = cohorts.flatMap(({ id, name, distinctIds }) => {
    const persons = distinctIds.map((distinctId) => {
      const owner = owners.get(distinctId);
      if (owner === undefined)
        throw usageError(`cohort "${name}" lists nobody's distinct id "${distinctId}"`);
      return owner;
    });
    return [...new Set(persons)].map((person) => ({ cohort: id, person }));
  });
  await store.append('cohorts', [
    { type: 'integer', values: cohorts.map(({ id }) => id) },
    { type: 'text', values: cohorts.map(({ name }) => name) },
    {
      type: 'text',
      values: cohorts.map(({ definition }) => (definition === null ? null : writeJson(definition))),
    },
  ]);
  await store.append('cohort_persons', [
    { type: 'integer', values: members.map(({ cohort }) => cohort) },
    { type: 'integer', values: members.map(({ person }) => person) },
  ]);
}
