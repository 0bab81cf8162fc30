import { toJsonInteger, toText } from '../../json/text.ts';
import { type Dialect, isUuid } from '../../service/endpoint.ts';
import type { persons } from '../../service/persons.ts';
import type { ActivityEntry, PageOf, Person } from '../../service/schemas.ts';
import { writeMoment } from '../operator.ts';
import { neighbours, type Part, readActivityPart } from '../parameters.ts';
import { invalid, notFound } from '../refusal.ts';
import type { Call, Circumstances } from '../routes.ts';
import type { Store } from '../store/open-store.ts';
import { type Condition, personsByIds, type StoredPerson, selectPersons } from '../store/persons.ts';
import { type Activity, selectActivity } from '../store/state.ts';

const LIVE_LIST_DISTINCT_IDS = 1000;

/** A person as a single answer shows it, with the number as id. */
export function personAnswer(person: StoredPerson, dialect: Dialect): Person {
  const fields = {
    id: toJsonInteger(person.id),
    name: nameOf(person),
    distinct_ids: person.distinctIds,
    properties: person.properties,
    created_at: writeMoment(person.createdAt),
    uuid: person.uuid,
  };
  return dialect === 'live' ? { ...fields, last_seen_at: null } : fields;
}

/** A person as lists show it: in the live service under its uuid. */
export function personRow(person: StoredPerson, dialect: Dialect): Person {
  if (dialect === 'specification') return personAnswer(person, dialect);
  return {
    type: 'person',
    id: person.uuid,
    uuid: person.uuid,
    name: nameOf(person),
    distinct_ids: person.distinctIds.slice(0, LIVE_LIST_DISTINCT_IDS),
    properties: person.properties,
    created_at: writeMoment(person.createdAt),
    is_identified: person.isIdentified,
    matched_recordings: [],
    value_at_data_point: null,
  };
}

/** A part of the persons that meet a condition, without their number. */
export async function personsPage(
  { store, address, dialect }: Pick<Circumstances, 'store' | 'address' | 'dialect'>,
  condition: Condition,
  part: Part,
): Promise<PageOf<Person>> {
  const found = await selectPersons(store, condition, { ...part, limit: part.limit + 1 });
  const results = found.slice(0, part.limit).map((person) => personRow(person, dialect));
  return { ...neighbours(address, part, found.length > part.limit), results };
}

/** How posthog-js writes a distinct id of its own: five groups of hexadecimal digits. */
const DEVICE_ID = /^[0-9a-f]+(?:-[0-9a-f]+){4}$/i;

/** The address, else the name, else the first distinct id that is no device's, else the first. */
export function nameOf(person: StoredPerson): string {
  const { email, name } = person.properties;
  for (const value of [email, name]) {
    if (value !== undefined && value !== null && value !== '') return toText(value);
  }
  const chosen = person.distinctIds.find((distinctId) => !DEVICE_ID.test(distinctId));
  return chosen ?? person.distinctIds[0] ?? person.uuid;
}

/** Whether a text can be a person id at all: digits or a UUID. */
export function isPersonId(text: string): boolean {
  return /^\d{1,19}$/.test(text) || isUuid(text);
}

/** The person with a number or UUID. Throws a `Refusal` 400 for anything else, 404 for an unknown one. */
export async function findPerson(store: Store, id: string): Promise<StoredPerson> {
  if (!isPersonId(id)) {
    const detail = `The ID provided does not look like a personID: "${id}".`;
    throw invalid(
      'id',
      `${detail} If it is a distinct ID, use the persons list with distinct_id instead.`,
      'invalid',
    );
  }
  const [person] = await personsByIds(store, [id]);
  if (person === undefined) throw notFound('Person not found.');
  return person;
}

/** One page of the activity log, of everything in a scope or of one item. */
export async function activityPage(
  { store, address, input }: Pick<Call<typeof persons.allActivity>, 'store' | 'address' | 'input'>,
  which: { readonly scope: Activity['scope']; readonly itemId?: bigint },
): Promise<PageOf<ActivityEntry> & { readonly total_count: number }> {
  const part = readActivityPart(input);
  const { total, entries } = await selectActivity(store, { ...which, ...part });
  const around = neighbours(address, part, part.offset + part.limit < total, 'page');
  return { results: entries, ...around, total_count: total };
}
