import { usageError } from '../../errors.ts';
import { parseJson, writeJson } from '../../json/text.ts';
import { type NewCohort, type NewEvent, type NewPerson, readContent } from '../content.ts';
import type { Moment } from '../operator.ts';
import { insertSample, makeSample } from '../sample/make-sample.ts';
import { insertDashboard } from './insights.ts';
import { integerOf, listedTexts, type Store, textOf } from './open-store.ts';
import { makeUuids, personsByIds } from './persons.ts';
import type { SqlValue } from './session.ts';
import { reserveNumbers, takeNumbers, writeState } from './state.ts';

/**
 * Fills an empty store from a seed: `sample`, `empty`, or content as JSON text. Its clock stands at `now`. It runs inside
 * of a transaction.
 */
export async function fillStore(store: Store, seed: string, now: Moment): Promise<void> {
  if (seed === 'sample') return insertSample(store, makeSample(now));
  const content = readContent(seed === 'empty' ? {} : parseJson(seed), now);
  await writeState(store, { seed, now, firstNow: now, project: content.project });
  await loadPersons(store, content.persons, (index) => `persons[${index}]`);
  await loadEvents(store, content.events);
  await loadCohorts(store, content.cohorts);
  for (const { id, name, filters } of content.dashboards) await insertDashboard(store, id, { name, filters });
}

/** Deletes all rows. */
export async function emptyStore(store: Store): Promise<void> {
  const tables = await store.rows(
    "select table_name as name from duckdb_tables() where schema_name = 'store'",
  );
  await store.run(tables.map(({ name }) => `delete from store.${name}`).join(';'));
}

/** Where a person stands in what is loaded. */
type Where = (index: number) => string;

/** Adds persons. Throws a usage error that names the row for an id or a distinct id that is taken. */
export async function loadPersons(store: Store, persons: readonly NewPerson[], where: Where): Promise<void> {
  if (persons.length === 0) return;
  const identities = await identify(store, persons, where);
  const owners = await selectOwners(store);
  const owned: SqlValue[][] = [];
  const rows = persons.map(({ distinctIds, properties, createdAt, isIdentified }, index) => {
    const { id = 0n, uuid = '' } = identities[index] ?? {};
    for (const [place, distinctId] of distinctIds.entries()) {
      if (owners.has(distinctId)) {
        throw usageError(`${where(index)} has the distinct id "${distinctId}", which is taken`);
      }
      owners.set(distinctId, id);
      owned.push([distinctId, id, place]);
    }
    return [id, uuid, properties, createdAt, isIdentified];
  });
  await store.append('persons', rows);
  await store.append('distinct_ids', owned);
}

type Identity = { readonly id: bigint; readonly uuid: string };

/** The numbers and UUIDs that persons bring, which must be free, and for the others the next ones. */
async function identify(
  store: Store,
  persons: readonly NewPerson[],
  where: Where,
): Promise<readonly Identity[]> {
  const ids = persons.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const uuids = persons.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
  const given = [...ids.map(String), ...uuids];
  const owners = given.length === 0 ? [] : await personsByIds(store, given);
  const taken = new Set(owners.flatMap(({ id, uuid }) => [String(id), uuid]));
  for (const [index, { id, uuid }] of persons.entries()) {
    for (const [word, own] of [['person id', id?.toString()] as const, ['UUID', uuid] as const]) {
      if (own === undefined) continue;
      if (taken.has(own)) throw usageError(`${where(index)} has the ${word} ${own}, which is taken`);
      taken.add(own);
    }
  }
  const [greatest] = ids.toSorted((one, other) => Number(other - one));
  if (greatest !== undefined) await reserveNumbers(store, 'person', greatest);
  let next = await takeNumbers(store, 'person', persons.length - ids.length);
  const numbered = persons.map((person) => ({ id: person.id ?? next++, uuid: person.uuid }));
  const without = numbered.flatMap(({ id, uuid }) => (uuid === undefined ? [id] : []));
  const made = await makeUuids(store, without, new Set(uuids));
  return numbered.map(({ id, uuid }) => ({ id, uuid: uuid ?? made.get(id) ?? '' }));
}

async function selectOwners(store: Store, condition = ''): Promise<Map<string, bigint>> {
  const rows = await store.rows(`select distinct_id, person_id from store.distinct_ids ${condition}`);
  return new Map(rows.map((row) => [textOf(row, 'distinct_id'), integerOf(row, 'person_id')]));
}

/**
 * Adds events in the order of the list. Those of unknown distinct ids have no person yet. `arrived` is the sandbox's clock,
 * whatever time a client gave them; without it each arrived when it happened.
 */
export async function loadEvents(store: Store, events: readonly NewEvent[], arrived?: Moment): Promise<void> {
  if (events.length === 0) return;
  const owners = await selectOwners(store);
  const first = await takeNumbers(store, 'event', events.length);
  const rows = events.map(({ event, distinctId, timestamp, properties }, index) => {
    const owner = owners.get(distinctId) ?? null;
    return [first + BigInt(index), event, distinctId, owner, timestamp, arrived ?? timestamp, properties];
  });
  await store.append('events', rows);
}

/** Adds cohorts. Throws a usage error for a listed distinct id without a person. */
async function loadCohorts(store: Store, cohorts: readonly NewCohort[]): Promise<void> {
  if (cohorts.length === 0) return;
  const listed = cohorts.flatMap(({ distinctIds }) => distinctIds);
  const owners = await selectOwners(store, `where distinct_id in ${listedTexts(listed)}`);
  const members = cohorts.flatMap(({ id, name, distinctIds }) => {
    const persons = distinctIds.map((distinctId) => {
      const owner = owners.get(distinctId);
      if (owner === undefined)
        throw usageError(`cohort "${name}" lists the distinct id "${distinctId}", which no person has`);
      return owner;
    });
    return [...new Set(persons)].map((person) => [id, person]);
  });
  const rows = cohorts.map(({ id, name, definition }) => [
    id,
    name,
    definition === null ? null : writeJson(definition),
  ]);
  await store.append('cohorts', rows);
  await store.append('cohort_persons', members);
}
