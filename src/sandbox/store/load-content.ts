import { usageError } from '../../errors.ts';
import type { NewCohort, NewEvent, NewPerson } from '../content.ts';
import { uuidOf } from '../identifiers.ts';
import { writeJson } from '../json-text.ts';
import { reserveNumbers, takeNumbers } from './counters.ts';
import { integerOf, type Store, textOf } from './open-store.ts';

/**
 * Adds persons. Events that wait for one of their distinct ids become theirs. Throws a usage error for a distinct
 * id that somebody has already.
 */
export async function loadPersons(store: Store, persons: readonly NewPerson[]): Promise<void> {
  if (persons.length === 0) return;
  const numbers = await numberPersons(store, persons);
  const owners = await selectOwners(store);
  const owned = persons.flatMap(({ distinctIds }, index) =>
    distinctIds.map((distinctId, place) => ({ distinctId, owner: numbers[index] ?? 0n, place })),
  );
  for (const { distinctId, owner } of owned) {
    if (owners.has(distinctId)) throw usageError(`two persons have the distinct id "${distinctId}"`);
    owners.set(distinctId, owner);
  }
  await store.append('persons', [
    { type: 'integer', values: numbers },
    {
      type: 'text',
      values: persons.map(({ uuid }, index) => uuid ?? uuidOf('person', numbers[index] ?? 0n)),
    },
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

async function numberPersons(store: Store, persons: readonly NewPerson[]): Promise<readonly bigint[]> {
  const given = persons.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (new Set(given).size < given.length) throw usageError('two persons have the same id');
  const taken = await store.rows(
    `select id from store.persons where id in (select unnest(from_json($1, '["BIGINT"]')))`,
    [`[${given.join(',')}]`],
  );
  if (taken.length > 0) throw usageError(`the person id ${integerOf(taken[0], 'id')} is taken`);
  // Numbers are given out above the given ones, so that the two kinds never meet.
  for (const id of given) await reserveNumbers(store, 'person', id);
  let next = await takeNumbers(store, 'person', persons.length - given.length);
  return persons.map(({ id }) => id ?? next++);
}

async function selectOwners(store: Store): Promise<Map<string, bigint>> {
  const rows = await store.rows('select distinct_id, person_id from store.distinct_ids');
  return new Map(rows.map((row) => [textOf(row, 'distinct_id'), integerOf(row, 'person_id')]));
}

/** Adds events in the order of the list. Those of unknown distinct ids belong to nobody yet. */
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

/** Adds cohorts. Throws a usage error for a listed distinct id that nobody has. */
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
