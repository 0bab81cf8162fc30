import type { JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import type { persons } from '../../service/persons.ts';
import type { PageOf } from '../../service/schemas.ts';
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
import { neighbours, type Part, readPart, readRange } from '../parameters.ts';
import { personsCondition } from '../person-filters.ts';
import { notCalculated } from '../refusal.ts';
import type { Circumstances, Handler, Handlers, LaterReply } from '../routes.ts';
import { countEvents } from '../store/events.ts';
import { countPersons, propertyHistory } from '../store/persons.ts';
import { bodyPart, filterBody } from './calculate.ts';
import {
  bulkDeletePersons,
  deletePerson,
  deletePersonProperty,
  splitPerson,
  updatePerson,
  updatePersonProperty,
} from './change-persons.ts';
import { listPersonCohorts } from './cohorts.ts';
import { activityPage, findPerson, personAnswer, personRow, personsPage } from './person-answers.ts';

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

/** P13, P14 */
const listFunnelPeople = actorsHandler(readFunnelPersons);

/** P15, P16 */
const listCorrelationPeople = actorsHandler(readCorrelationPersons);

/** P17 */
const listLifecyclePeople = actorsHandler(readLifecyclePersons);

/** P18 */
const listStickinessPeople = actorsHandler(readStickinessPersons);

/** P19 */
const listTrendPeople = actorsHandler(readTrendsPersons);

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

/** P2 */
const getPerson: Handler<typeof persons.get> = async ({ input, dialect, store }) => {
  return { status: 200, body: personAnswer(await findPerson(store, input.id), dialect) };
};

/** P5 */
const showPersonActivity: Handler<typeof persons.activity> = async (call) => {
  const person = await findPerson(call.store, call.input.id);
  return { status: 200, body: await activityPage(call, { scope: 'Person', itemId: person.id }) };
};

/** P10 */
const showPersonsActivity: Handler<typeof persons.allActivity> = async (call) => {
  return { status: 200, body: await activityPage(call, { scope: 'Person' }) };
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
  return [...keys].filter((key) => new Set(points.map(({ properties }) => textAt(properties, key))).size > 1);
}

function textAt(properties: JsonObject, key: string): string {
  const value = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return value === undefined ? '' : writeJson(value);
}

/** P1 to P19. */
export const personHandlers: Handlers<typeof persons> = {
  list: listPersons,
  get: getPerson,
  update: updatePerson,
  delete: deletePerson,
  activity: showPersonActivity,
  deleteProperty: deletePersonProperty,
  timeline: showTimeline,
  split: splitPerson,
  updateProperty: updatePersonProperty,
  allActivity: showPersonsActivity,
  bulkDelete: bulkDeletePersons,
  cohorts: listPersonCohorts,
  funnelGet: listFunnelPeople,
  funnel: listFunnelPeople,
  funnelCorrelationGet: listCorrelationPeople,
  funnelCorrelation: listCorrelationPeople,
  lifecycle: listLifecyclePeople,
  stickiness: listStickinessPeople,
  trends: listTrendPeople,
};
