import { asList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import type { platform } from '../../service/platform.ts';
import type { PersonalApiKey, Project } from '../../service/schemas.ts';
import { advanceClock, importFiles, resetSandbox } from '../control.ts';
import { OPERATOR, PROJECT_ID, PROJECT_NAME, readMoment, uuidOf, writeMoment } from '../operator.ts';
import { neighbours, readPart } from '../parameters.ts';
import { invalid, notFound, required } from '../refusal.ts';
import type { Call, Handler, Handlers } from '../routes.ts';
import { integerOf, type Store, textOf } from '../store/open-store.ts';
import {
  personsByDistinctIds,
  personsByIds,
  propertyHistory,
  type StoredPerson,
  selectEventDeletions,
} from '../store/persons.ts';
import { readState } from '../store/state.ts';
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
  const part = readPart(input);
  const projects = [await projectAnswer(store)];
  const page = neighbours(address, part, false);
  return { status: 200, body: { count: projects.length, ...page, results: projects.slice(part.offset) } };
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

/** As on the live service they say of nothing when it was last seen. */
const listProperties: Handler<typeof platform.propertyDefinitions> = async (call) => {
  const { type = 'event' } = call.input;
  const rows = await call.store.rows(
    `select distinct unnest(json_keys(properties)) as name from store.${type}s order by name`,
  );
  const definitions = rows.map((row) => ({
    id: uuidOf(`${type} property ${textOf(row, 'name')}`, 0n),
    name: textOf(row, 'name'),
    is_numerical: false,
    property_type: null,
    tags: [],
  }));
  return definitionsPage(call, definitions);
};

function definitionsPage(
  { input, address }: Pick<Call<typeof platform.actions>, 'input' | 'address'>,
  rows: readonly JsonObject[],
) {
  const part = readPart(input);
  const end = part.offset + part.limit;
  const page = neighbours(address, part, end < rows.length);
  return { status: 200, body: { count: rows.length, ...page, results: rows.slice(part.offset, end) } };
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
  input: { readonly person_id?: string | undefined; readonly distinct_id?: string | undefined },
): Promise<StoredPerson> {
  if (input.person_id !== undefined) return findPerson(store, input.person_id);
  if (input.distinct_id === undefined) throw required('distinct_id');
  const [person] = await personsByDistinctIds(store, [input.distinct_id]);
  if (person === undefined) throw notFound('Person not found.');
  return person;
}

/** Nothing to undo: here a deleted distinct id can be used again at once. */
const resetDistinctId: Handler<typeof platform.resetDistinctId> = async () => ({ status: 202 });

/** The operations around the 36. */
export const platformHandlers: Handlers<typeof platform> = {
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
  sandboxAdvance: async ({ input, store, now }) => ({
    status: 200,
    body: await advanceClock(store, { to: input.to, now }),
  }),
  sandboxReset: async ({ store, calculations }) => {
    const body = await resetSandbox(store);
    calculations.cancelAll();
    return { status: 200, body };
  },
  sandboxImport: async ({ input, store, now }) => ({
    status: 200,
    body: await importFiles(store, input, now),
  }),
};
