import { isList, type JsonObject } from '../../json/kinds.ts';
import { toJsonInteger, writeJson } from '../../json/text.ts';
import type { persons } from '../../service/persons.ts';
import type { platform } from '../../service/platform.ts';
import type { Cohort, PageOf } from '../../service/schemas.ts';
import {
  type ActorsRequest,
  readCorrelationPersons,
  readFunnelPersons,
  readLifecyclePersons,
  readStickinessPersons,
  readTrendsPersons,
} from '../analysis/definitions/actors.ts';
import { groupRow, isGroup, listPeople, type PeoplePage } from '../calculation/question.ts';
import { type Moment, writeMoment } from '../operator.ts';
import { neighbours, type Part, pageOf, readPart, readRange } from '../parameters.ts';
import { membersOf, personsCondition } from '../person-filters.ts';
import { notCalculated, notFound, required } from '../refusal.ts';
import type { Circumstances, Handler, Handlers, LaterReply } from '../routes.ts';
import type { Store } from '../store/open-store.ts';
import { countEvents, countPersons, propertyHistory } from '../store/persons.ts';
import { type StoredCohort, selectCohorts } from '../store/state.ts';
import { bodyPart, filterBody } from './calculate.ts';
import {
  bulkDeletePersons,
  deletePerson,
  deletePersonProperty,
  splitPerson,
  updatePerson,
  updatePersonProperty,
} from './change-persons.ts';
import { activityPage, findPerson, personAnswer, personRow, personsPage } from './person-answers.ts';

export const listCohorts: Handler<typeof platform.cohorts> = async (call) => {
  const page = pageOf(call.address, readPart(call.input), await selectCohorts(call.store));
  const results: Cohort[] = [];
  for (const cohort of page.results) results.push(await cohortAnswer(cohort, call));
  return { status: 200, body: { ...page, results } };
};

export const getCohort: Handler<typeof platform.cohort> = async (call) => {
  return { status: 200, body: await cohortAnswer(await findCohort(call.store, call.input.id), call) };
};

export const listCohortMembers: Handler<typeof platform.cohortPersons> = async (call) => {
  const condition = await membersOf(call.store, await findCohort(call.store, call.input.id));
  return { status: 200, body: await personsPage(call, condition, readPart(call.input)) };
};

/** P12: the cohorts of a person; without one, which only the specification allows, all cohorts. */
const listPersonCohorts: Handler<typeof persons.cohorts> = async ({ input, dialect, store }) => {
  if (input.person_id === undefined && dialect === 'live') throw required('person_id');
  const person = input.person_id === undefined ? undefined : await findPerson(store, input.person_id);
  const results = [];
  for (const cohort of await selectCohorts(store)) {
    const members = await membersOf(store, cohort);
    const isMember = (id: bigint) => countPersons(store, `${members} and p.id = ${id}`);
    if (person !== undefined && (await isMember(person.id)) === 0) continue;
    const count = await countPersons(store, members);
    results.push({ id: toJsonInteger(cohort.id), name: cohort.name, count });
  }
  return { status: 200, body: { results } };
};

async function findCohort(store: Store, id: number): Promise<StoredCohort> {
  const cohort = (await selectCohorts(store)).find((one) => one.id === BigInt(id));
  if (cohort === undefined) throw notFound('Not found.');
  return cohort;
}

/** A cohort as single answers and lists show it. One with filters is calculated now, so that it is never out of date. */
async function cohortAnswer(
  cohort: StoredCohort,
  { store, now }: Pick<Circumstances, 'store' | 'now'>,
): Promise<Cohort> {
  const { id, name, definition } = cohort;
  const isStatic = !isList(definition);
  const group = { type: 'AND', values: isStatic ? [] : definition };
  return {
    id: toJsonInteger(id),
    name,
    description: '',
    groups: [],
    deleted: false,
    filters: isStatic ? {} : { properties: { type: 'OR', values: [group] } },
    is_calculating: false,
    last_calculation: isStatic ? null : writeMoment(now),
    errors_calculating: 0,
    count: await countPersons(store, await membersOf(store, cohort)),
    is_static: isStatic,
  };
}

/** A handler that lists the people behind a number: 100 to a page. */
function actorsHandler(read: (body: JsonObject) => ActorsRequest) {
  return async (call: Circumstances): Promise<LaterReply<PageOf<JsonObject>>> => {
    const fields = filterBody(call);
    const part = bodyPart(fields, call.address);
    const request = read(fields);
    const session = await call.store.openSession();
    // It has no id, so it cannot be cancelled.
    const { signal } = new AbortController();
    const later = async () => {
      try {
        return {
          status: 200,
          body: writePage(call, part, await listPeople(request, part, { session, signal })),
        };
      } finally {
        session.close();
      }
    };
    return { later };
  };
}

function writePage({ address, dialect }: Circumstances, part: Part, page: PeoplePage) {
  const people = page.people.map((actor) => (isGroup(actor) ? groupRow(actor) : personRow(actor, dialect)));
  const { next } = neighbours(address, part, page.hasMore);
  const first = new URL(address);
  first.searchParams.delete('offset');
  return {
    results: [{ people, count: people.length }],
    next,
    initial: first.href,
    missing_persons: page.missing,
    is_cached: false,
    last_refresh: null,
  };
}

/** The live service's CSV leaves paging out and stops here. */
const CSV_ROWS = 50_000;

const listPersons: Handler<typeof persons.list> = async (call) => {
  const { input, dialect, store } = call;
  const condition = await personsCondition(store, { ...input, withNames: dialect === 'live' });
  const isWholeCsv = dialect === 'live' && call.format === 'csv';
  const part = isWholeCsv ? { limit: CSV_ROWS, offset: 0 } : readPart(input);
  const page = await personsPage(call, condition, part);
  if (dialect === 'live' && input.include_total === undefined) return { status: 200, body: page };
  return { status: 200, body: { count: await countPersons(store, condition), ...page } };
};

/** P7: one point for each state of the properties, with the events until the next one. */
const showTimeline: Handler<typeof persons.timeline> = async ({ input, store, now }) => {
  if (input.properties !== undefined) throw notCalculated('a timeline narrowed to single properties');
  const person = await findPerson(store, input.id);
  const range = readRange(input, now);
  const history = await propertyHistory(store, person);
  const points = [];
  for (const [index, { at, properties }] of history.entries()) {
    const end = history[index + 1]?.at ?? range.to;
    if (end <= range.from || at >= range.to) continue;
    const from = latest(at, range.from);
    // Loaded events may be older than the person they belong to.
    const since = index === 0 ? range.from : from;
    const count = await countEvents(store, person, { from: since, to: earliest(end, range.to) });
    points.push({ timestamp: writeMoment(from), properties, relevant_event_count: count });
  }
  return { status: 200, body: { points, crucial_property_keys: changedKeys(points) } };
};

/** `Math.max` and `Math.min` do not take moments. */
function latest(one: Moment, other: Moment): Moment {
  return one < other ? other : one;
}

function earliest(one: Moment, other: Moment): Moment {
  return other < one ? other : one;
}

function changedKeys(points: readonly { readonly properties: JsonObject }[]): readonly string[] {
  const keys = new Set(points.flatMap(({ properties }) => Object.keys(properties)));
  const states = (key: string) =>
    new Set(points.map(({ properties }) => Object.hasOwn(properties, key) && writeJson(properties[key])));
  return [...keys].filter((key) => states(key).size > 1);
}

const listFunnelPeople = actorsHandler(readFunnelPersons);

const listCorrelationPeople = actorsHandler(readCorrelationPersons);

/** P1 to P19. */
export const personHandlers = {
  list: listPersons,
  get: async ({ input, dialect, store }) => {
    return { status: 200, body: personAnswer(await findPerson(store, input.id), dialect) };
  },
  update: updatePerson,
  delete: deletePerson,
  activity: async (call) => {
    const { id } = await findPerson(call.store, call.input.id);
    return { status: 200, body: await activityPage(call, { scope: 'Person', itemId: id }) };
  },
  deleteProperty: deletePersonProperty,
  timeline: showTimeline,
  split: splitPerson,
  updateProperty: updatePersonProperty,
  allActivity: async (call) => ({ status: 200, body: await activityPage(call, { scope: 'Person' }) }),
  bulkDelete: bulkDeletePersons,
  cohorts: listPersonCohorts,
  funnelGet: listFunnelPeople,
  funnel: listFunnelPeople,
  funnelCorrelationGet: listCorrelationPeople,
  funnelCorrelation: listCorrelationPeople,
  lifecycle: actorsHandler(readLifecyclePersons),
  stickiness: actorsHandler(readStickinessPersons),
  trends: actorsHandler(readTrendsPersons),
} satisfies Handlers<typeof persons>;
