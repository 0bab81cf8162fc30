import { CliError } from '../../errors.ts';
import { asList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import type { platform } from '../../service/platform.ts';
import type { PersonalApiKey, Project } from '../../service/schemas.ts';
import { type FileRow, type NewEvent, type NewPerson, readEvent, readPerson, readRows } from '../content.ts';
import { OPERATOR, PROJECT_ID, PROJECT_NAME, readMoment, uuidOf, writeMoment } from '../operator.ts';
import { neighbours, pageOf, readPart } from '../parameters.ts';
import { invalid, notFound, required } from '../refusal.ts';
import type { Call, Handler, Handlers } from '../routes.ts';
import { emptyStore, fillStore, loadEvents, loadPersons } from '../store/load-content.ts';
import { integerOf, type Store, textOf } from '../store/open-store.ts';
import {
  personsByDistinctIds,
  personsByIds,
  propertyHistory,
  runEventDeletions,
  type StoredPerson,
  selectEventDeletions,
} from '../store/persons.ts';
import { readState, setClock } from '../store/state.ts';
import { cancelQuery, runQuery, showQueryStatus } from './calculate.ts';
import { findPerson, personAnswer } from './person-answers.ts';
import { getCohort, listCohortMembers, listCohorts } from './persons.ts';

/** The live service cuts longer lists without a word, and shows this many distinct ids of each person. */
const BATCH = 200;

const BATCH_DISTINCT_IDS = 10;

async function projectAnswer(store: Store): Promise<Project> {
  const { project } = await readState(store);
  const text = (value: Json | undefined, other: string) => (typeof value === 'string' ? value : other);
  return {
    id: Number(PROJECT_ID),
    name: text(project.name, PROJECT_NAME),
    timezone: text(project.timezone, 'UTC'),
  };
}

const listProjects: Handler<typeof platform.projects> = async ({ input, store, address }) => {
  return { status: 200, body: pageOf(address, readPart(input), [await projectAnswer(store)]) };
};

/** Only the live service answers this: its answer is how a client tells the two apart. */
const showOwnKey: Handler<typeof platform.ownKey> = async ({ key, dialect }) => {
  if (dialect === 'specification') throw notFound('Endpoint not found.');
  const body: PersonalApiKey & JsonObject = {
    id: key.label,
    label: key.label,
    value: null,
    mask_value: `phx_...${key.key.slice(-4)}`,
    user_id: OPERATOR.id,
    scopes: key.scopes,
    scoped_teams: [],
    scoped_organizations: [],
  };
  return { status: 200, body };
};

const listVariables: Handler<typeof platform.insightVariables> = async ({ store }) => {
  const { variables = [] } = (await readState(store)).project;
  const results = (asList(variables) ?? []).filter(isObject);
  return { status: 200, body: { next: null, previous: null, results } };
};

const listActions: Handler<typeof platform.actions> = async (call) => {
  const { actions = [] } = (await readState(call.store)).project;
  const rows = (asList(actions) ?? []).filter(isObject).map(({ id = null, name = null, steps = [] }) => ({
    id,
    name,
    description: '',
    tags: [],
    steps,
    deleted: false,
  }));
  return definitionsPage(call, rows);
};

const listEvents: Handler<typeof platform.eventDefinitions> = async (call) => {
  const rows = await call.store.rows(
    `select event, epoch_us(min(timestamp)) as first, epoch_us(max(timestamp)) as last
     from store.events group by event order by event`,
  );
  const definitions = rows.map((row) => ({
    id: uuidOf(`event ${textOf(row, 'event')}`, 0n),
    name: textOf(row, 'event'),
    created_at: writeMoment(integerOf(row, 'first')),
    last_seen_at: writeMoment(integerOf(row, 'last')),
    tags: [],
  }));
  return definitionsPage(call, definitions);
};

/** A day or a time, as JSON writes it. */
const DATE_TEXT = String.raw`^"\d{4}-\d\d-\d\d([T ][0-9:.]+(Z|[+-][0-9:]+)?)?"$`;

/** As on the live service they say of nothing when it was last seen. */
const listProperties: Handler<typeof platform.propertyDefinitions> = async (call) => {
  const { type = 'event' } = call.input;
  const rows = await call.store.rows(
    `select name, min(kind) as kind, count(distinct kind) as kinds from (
       select j.key as name, case
         when j.type in ('UBIGINT', 'BIGINT', 'HUGEINT', 'DOUBLE') then 'Numeric'
         when j.type = 'BOOLEAN' then 'Boolean'
         when regexp_matches(j.atom::varchar, '${DATE_TEXT}') then 'DateTime'
         else 'String' end as kind
       from store.${type}s p, json_each(p.properties) j where j.type <> 'NULL'
     ) group by name order by name`,
  );
  const definitions = rows.map((row) => {
    // Values of several kinds are text to the service.
    const kind = integerOf(row, 'kinds') === 1n ? textOf(row, 'kind') : 'String';
    return {
      id: uuidOf(`${type} property ${textOf(row, 'name')}`, 0n),
      name: textOf(row, 'name'),
      is_numerical: kind === 'Numeric',
      property_type: kind,
      tags: [],
    };
  });
  return definitionsPage(call, definitions);
};

function definitionsPage(
  { input, address }: Pick<Call<typeof platform.actions>, 'input' | 'address'>,
  rows: readonly JsonObject[],
) {
  return { status: 200, body: pageOf(address, readPart(input), rows) };
}

const showUser: Handler<typeof platform.user> = async ({ store }) => {
  const project = await projectAnswer(store);
  return { status: 200, body: { ...OPERATOR, team: { id: project.id, name: project.name ?? null } } };
};

const listDeletions: Handler<typeof platform.deletionStatus> = async ({ input, store, address }) => {
  const part = readPart(input);
  const state = input.status ?? 'all';
  const personUuid = input.person_uuid?.toLowerCase();
  const { total, requests } = await selectEventDeletions(store, { state, personUuid, ...part });
  const results = requests.map(({ personUuid: uuid, createdAt, completedAt }) => ({
    person_uuid: uuid,
    created_at: writeMoment(createdAt),
    status: completedAt === undefined ? 'pending' : 'completed',
    delete_verified_at: completedAt === undefined ? null : writeMoment(completedAt),
  }));
  const page = neighbours(address, part, part.offset + part.limit < total);
  return { status: 200, body: { count: total, ...page, results } };
};

const findByDistinctIds: Handler<typeof platform.personsByDistinctIds> = async ({
  input,
  dialect,
  store,
}) => {
  const wanted = input.distinct_ids.slice(0, BATCH);
  const found = await personsByDistinctIds(store, wanted);
  const results = wanted.flatMap((distinctId) => {
    const person = found.find(({ distinctIds }) => distinctIds.includes(distinctId));
    return person === undefined ? [] : [[distinctId, batchAnswer(person, dialect)] as const];
  });
  return { status: 200, body: { results: Object.fromEntries(results) } };
};

const findByUuids: Handler<typeof platform.personsByUuids> = async ({ input, dialect, store }) => {
  const found = await personsByIds(store, input.uuids.slice(0, BATCH));
  const results = found.map((person) => [person.uuid, batchAnswer(person, dialect)] as const);
  return { status: 200, body: { results: Object.fromEntries(results) } };
};

function batchAnswer(person: StoredPerson, dialect: 'live' | 'specification') {
  return personAnswer({ ...person, distinctIds: person.distinctIds.slice(0, BATCH_DISTINCT_IDS) }, dialect);
}

const showPropertiesAtTime: Handler<typeof platform.propertiesAtTime> = async ({ input, dialect, store }) => {
  const moment = readMoment(input.timestamp);
  if (moment === undefined) throw invalid('timestamp', `"${input.timestamp}" is not an ISO 8601 time.`);
  const person = await findEither(store, input);
  const history = await propertyHistory(store, person);
  const properties = history.findLast(({ at }) => at <= moment)?.properties ?? {};
  return { status: 200, body: personAnswer({ ...person, properties }, dialect) };
};

async function findEither(
  store: Store,
  input: Call<typeof platform.propertiesAtTime>['input'],
): Promise<StoredPerson> {
  if (input.person_id !== undefined) return findPerson(store, input.person_id);
  if (input.distinct_id === undefined) throw required('distinct_id');
  const [person] = await personsByDistinctIds(store, [input.distinct_id]);
  if (person === undefined) throw notFound('Person not found.');
  return person;
}

/** Nothing to undo: here a deleted distinct id can be used again at once. */
const resetDistinctId: Handler<typeof platform.resetDistinctId> = async () => ({ status: 202 });

/** Moves the clock forward and carries out the event deletions that are due by then. */
const advanceClock: Handler<typeof platform.sandboxAdvance> = async ({ input: { to }, store, now }) => {
  const moment = readMoment(to);
  if (moment === undefined) throw invalid('to', `"${to}" is not an ISO 8601 time.`);
  if (moment < now) throw invalid('to', `The clock is at ${writeMoment(now)} and only moves forward.`);
  const carriedOut = await runEventDeletions(store, moment);
  await setClock(store, moment);
  return { status: 200, body: { now: writeMoment(moment), event_deletions_completed: carriedOut } };
};

/** Puts everything back to the first state: the content, the clock, and no trace of what came after. */
const resetSandbox: Handler<typeof platform.sandboxReset> = async ({ store, calculations }) => {
  const { seed, firstNow } = await readState(store);
  await emptyStore(store);
  await fillStore(store, seed, firstNow);
  calculations.cancelAll();
  return { status: 200, body: { now: writeMoment(firstNow) } };
};

/** Loads files that the sandbox's own computer can read. All of it is loaded or nothing. */
const importFiles: Handler<typeof platform.sandboxImport> = async ({ input: files, store, now }) => {
  if (files.persons === undefined && files.events === undefined) {
    throw invalid('events', 'Give a file of persons or of events.', 'required');
  }
  const persons = await load(store, files.persons, {
    attr: 'persons',
    read: (row) => readPerson(row.value, row.where, now),
    keep: (rows: readonly NewPerson[], where) => loadPersons(store, rows, where),
  });
  // Events that came before their person become its own.
  await store.run(
    `update store.events e set person_id = d.person_id from store.distinct_ids d
     where e.person_id is null and d.distinct_id = e.distinct_id`,
  );
  const events = await load(store, files.events, {
    attr: 'events',
    read: (row) => readEvent(row.value, row.where),
    keep: (rows: readonly NewEvent[]) => loadEvents(store, rows, now),
  });
  return { status: 200, body: { persons, events } };
};

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

/** The operations around the 36. */
export const platformHandlers = {
  projects: listProjects,
  project: async ({ store }) => ({ status: 200, body: await projectAnswer(store) }),
  ownKey: showOwnKey,
  user: showUser,
  cohorts: listCohorts,
  cohort: getCohort,
  cohortPersons: listCohortMembers,
  actions: listActions,
  eventDefinitions: listEvents,
  propertyDefinitions: listProperties,
  query: runQuery,
  insightVariables: listVariables,
  queryStatus: showQueryStatus,
  cancelQuery: cancelQuery,
  deletionStatus: listDeletions,
  personsByDistinctIds: findByDistinctIds,
  personsByUuids: findByUuids,
  propertiesAtTime: showPropertiesAtTime,
  resetDistinctId,
  sandboxAdvance: advanceClock,
  sandboxReset: resetSandbox,
  sandboxImport: importFiles,
} satisfies Handlers<typeof platform>;
