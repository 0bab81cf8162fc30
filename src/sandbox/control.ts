import { CliError, usageError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { parseJson, writeJson } from '../json/text.ts';
import {
  type Content,
  type FileRow,
  type NewChange,
  type NewCohort,
  type NewEvent,
  type NewInsight,
  type NewPerson,
  NOTHING,
  readContent,
  readEvent,
  readPerson,
  readRows,
} from './content.ts';
import { setProperties } from './handlers/change-persons.ts';
import { COLLEAGUE, type Moment, OPERATOR, readMoment, shortIdOf, writeMoment } from './operator.ts';
import { invalid } from './refusal.ts';
import { insertDashboard, insertInsights, placeOnDashboards } from './store/insights.ts';
import { integerOf, LISTED_NUMBERS, type Store, TABLES, textOf } from './store/open-store.ts';
import { makeUuids, personsByDistinctIds, runEventDeletions, takenUuids } from './store/persons.ts';
import type { SqlValue } from './store/session.ts';
import {
  readState,
  recordActivity,
  reserveNumbers,
  setClock,
  takeNumbers,
  writeState,
} from './store/state.ts';

/** Moves the clock forward and carries out the event deletions that are due by then. */
export async function advanceClock(
  store: Store,
  { to, now }: { readonly to: string; readonly now: Moment },
): Promise<Json> {
  const moment = readMoment(to);
  if (moment === undefined) throw invalid('to', `"${to}" is not an ISO 8601 time.`);
  if (moment < now) throw invalid('to', `The clock stands at ${writeMoment(now)} and only moves forward.`);
  const carriedOut = await runEventDeletions(store, moment);
  await setClock(store, moment);
  return { now: writeMoment(moment), event_deletions_completed: carriedOut };
}

/** Puts everything back to the first state: the content, the clock, and no trace of what came after. */
export async function resetSandbox(store: Store): Promise<Json> {
  const { seed, firstNow } = await readState(store);
  for (const table of TABLES) await store.run(`delete from store.${table}`);
  await loadFresh(store, seed, firstNow);
  return { now: writeMoment(firstNow) };
}

type Files = { readonly persons?: string | undefined; readonly events?: string | undefined };

/** Loads files that the sandbox's own computer can read. All of it is loaded or nothing. */
export async function importFiles(store: Store, files: Files, now: Moment): Promise<Json> {
  if (files.persons === undefined && files.events === undefined) {
    throw invalid('events', 'Name a file of persons or of events.', 'required');
  }
  const persons = await load(store, files.persons, {
    attr: 'persons',
    read: (row) => readPerson(row.value, row.where, now),
    keep: (rows: readonly NewPerson[], where) => loadPersons(store, rows, where),
  });
  const events = await load(store, files.events, {
    attr: 'events',
    read: (row) => readEvent(row.value, row.where),
    keep: (rows: readonly NewEvent[]) => loadEvents(store, rows),
  });
  return { persons, events };
}

type Loading<Row> = {
  readonly attr: string;
  readonly read: (row: FileRow) => Row;
  readonly keep: (rows: readonly Row[], where: (index: number) => string) => Promise<void>;
};

async function load<Row>(store: Store, path: string | undefined, loading: Loading<Row>): Promise<number> {
  if (path === undefined) return 0;
  const { attr, read, keep } = loading;
  let total = 0;
  try {
    for await (const rows of readRows(store, path, attr)) {
      await keep(rows.map(read), (index) => rows[index]?.where ?? attr);
      total += rows.length;
    }
  } catch (cause) {
    // The readers are shared with the start of the sandbox, where a wrong row is the operator's own mistake.
    if (cause instanceof CliError) throw invalid(attr, cause.message);
    throw cause;
  }
  return total;
}

/** Fills a new store from a seed: `sample`, `empty`, or content as JSON text. Its clock stands at `now`. */
export async function fillStore(store: Store, seed: string, now: Moment): Promise<void> {
  await store.together(() => loadFresh(store, seed, now));
}

/** The same inside a transaction that is open already. */
async function loadFresh(store: Store, seed: string, now: Moment): Promise<void> {
  const content = await contentOf(seed, now);
  await writeState(store, { seed, now, firstNow: now, project: content.project });
  await loadPersons(store, content.persons, (index) => `persons[${index}]`);
  await loadEvents(store, content.events);
  await loadCohorts(store, content.cohorts);
  for (const change of content.changes) await applyChange(store, change);
  for (const { id, name, filters } of content.dashboards) await insertDashboard(store, id, { name, filters });
  await loadInsights(store, content.insights);
}

async function applyChange(store: Store, { distinctId, set, at }: NewChange): Promise<void> {
  const [person] = await personsByDistinctIds(store, [distinctId]);
  if (person === undefined) throw new Error(`nobody has the distinct id ${distinctId} of a change`);
  await setProperties(store, person, { set, now: at });
}

async function loadInsights(store: Store, insights: readonly NewInsight[]): Promise<void> {
  if (insights.length === 0) return;
  const first = await insertInsights(
    store,
    insights.map(({ document }) => document),
  );
  for (const [index, { dashboards }] of insights.entries()) {
    if (dashboards.length > 0) await placeOnDashboards(store, first + BigInt(index), dashboards);
  }
  await recordActivity(
    store,
    insights.map(({ document }, index) => ({
      scope: 'Insight',
      itemId: first + BigInt(index),
      activity: 'created',
      name: document.name,
      shortId: shortIdOf(first + BigInt(index)),
      user: document.created_by === COLLEAGUE ? COLLEAGUE : OPERATOR,
      now: readMoment(document.created_at) ?? 0n,
    })),
  );
}

async function contentOf(seed: string, now: Moment): Promise<Content> {
  if (seed === 'empty') return NOTHING;
  if (seed !== 'sample') return readContent(parseJson(seed), now);
  const { makeSample } = await import('./sample/make-sample.ts');
  return makeSample(now);
}

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
  const owned: SqlValue[][] = [];
  const rows = persons.map(({ distinctIds, properties, createdAt, isIdentified }, index) => {
    const id = numbers[index] ?? 0n;
    for (const [place, distinctId] of distinctIds.entries()) {
      if (owners.has(distinctId)) {
        throw usageError(`${where(index)} has the distinct id "${distinctId}", which is taken`);
      }
      owners.set(distinctId, id);
      owned.push([distinctId, id, place]);
    }
    return [id, uuids[index] ?? '', properties, createdAt, isIdentified];
  });
  await store.append('persons', rows);
  await store.append('distinct_ids', owned);
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
  const rows = await store.rows(`select id from store.persons where id in ${LISTED_NUMBERS}`, [
    `[${given.join(',')}]`,
  ]);
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
  const rows = events.map(({ event, distinctId, timestamp, properties }, index) => {
    const owner = owners.get(distinctId) ?? null;
    return [first + BigInt(index), event, distinctId, owner, timestamp, properties];
  });
  await store.append('events', rows);
}

/** Adds cohorts. Throws a usage error for a listed distinct id without a person. */
async function loadCohorts(store: Store, cohorts: readonly NewCohort[]): Promise<void> {
  if (cohorts.length === 0) return;
  const owners = await selectOwners(store);
  const members = cohorts.flatMap(({ id, name, distinctIds }) => {
    const persons = distinctIds.map((distinctId) => {
      const owner = owners.get(distinctId);
      if (owner === undefined)
        throw usageError(`cohort "${name}" lists nobody's distinct id "${distinctId}"`);
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
