import type { persons } from '../../api/endpoints/persons.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/parse.ts';
import { writeJson } from '../../json/write.ts';
import type { Handler } from '../call.ts';
import { type Moment, writeMoment } from '../clock.ts';
import { cohortCondition } from '../person-filters.ts';
import { readRange } from '../read-range.ts';
import { notCalculated, required } from '../refusal.ts';
import { selectCohorts } from '../store/cohorts.ts';
import { countEvents } from '../store/events.ts';
import type { Store } from '../store/open-store.ts';
import { type Condition, countPersons, propertyHistory } from '../store/persons.ts';
import { activityPage } from './activity-page.ts';
import { findPerson } from './find-person.ts';
import { personAnswer } from './person-answers.ts';

/** P2 */
export const getPerson: Handler<typeof persons.get> = async ({ input, dialect, store }) => {
  return { status: 200, body: personAnswer(await findPerson(store, input.id), dialect) };
};

/** P5 */
export const showPersonActivity: Handler<typeof persons.activity> = async (call) => {
  const person = await findPerson(call.store, call.input.id);
  return { status: 200, body: await activityPage(call, { scope: 'Person', itemId: person.id }) };
};

/** P10 */
export const showPersonsActivity: Handler<typeof persons.allActivity> = async (call) => {
  return { status: 200, body: await activityPage(call, { scope: 'Person' }) };
};

/** P12: the cohorts of a person; without one, which only the specification allows, all cohorts. */
export const listPersonCohorts: Handler<typeof persons.cohorts> = async ({ input, dialect, store }) => {
  if (input.person_id === undefined && dialect === 'live') throw required('person_id');
  const person = input.person_id === undefined ? undefined : await findPerson(store, input.person_id);
  const results = [];
  for (const { id, name, definition } of await selectCohorts(store)) {
    const condition = cohortCondition(String(id), definition);
    if (person !== undefined && !(await isMember(store, person.id, condition))) continue;
    results.push({ id: toJsonInteger(id), name, count: await countPersons(store, condition) });
  }
  return { status: 200, body: { results } };
};

async function isMember(store: Store, personId: bigint, { sql, values }: Condition): Promise<boolean> {
  const own = { sql: `(${sql}) and p.id = ${personId}`, values };
  return (await countPersons(store, own)) > 0;
}

/** P7: one point for each state of the properties, with the events until the next one. */
export const showTimeline: Handler<typeof persons.timeline> = async ({ input, store, now }) => {
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
