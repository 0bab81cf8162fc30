import type { JsonObject } from '../../json/kinds.ts';
import { type Dialect, isUuid } from '../../service/endpoint.ts';
import type { persons } from '../../service/persons.ts';
import { type Moment, OPERATOR } from '../operator.ts';
import { invalid, required } from '../refusal.ts';
import type { Call, Handler } from '../routes.ts';
import type { Store } from '../store/open-store.ts';
import {
  captureEvents,
  personsByDistinctIds,
  personsByIds,
  queueEventDeletions,
  removePersons,
  replaceProperties,
  type StoredPerson,
  splitOff,
} from '../store/persons.ts';
import { type Activity, type Change, changesOf, recordActivity } from '../store/state.ts';
import { findPerson, isPersonId, nameOf, personAnswer } from './person-answers.ts';

/** P3 acts as a `$set` event: what is not named stays. */
export const updatePerson: Handler<typeof persons.update> = async ({ input, dialect, store, now }) => {
  const person = await findPerson(store, input.id);
  await setProperties(store, [{ person, set: input.properties, now }]);
  if (dialect === 'live') return { status: 202 };
  const properties = { ...person.properties, ...input.properties };
  return { status: 200, body: personAnswer({ ...person, properties }, dialect) };
};

/** P9 acts as a `$set` event with one property. */
export const updatePersonProperty: Handler<typeof persons.updateProperty> = async (call) => {
  const { input, dialect, store, now } = call;
  if (input.key === '') throw required('key');
  const person = await findPerson(store, input.id);
  await setProperties(store, [{ person, set: { [input.key]: input.value }, now }]);
  return dialect === 'live' ? { status: 202 } : { status: 200, body: { success: true } };
};

/** P6 acts as a `$delete_person_property` event; a property that is not there is no error. */
export const deletePersonProperty: Handler<typeof persons.deleteProperty> = async (call) => {
  const { input, dialect, store, now } = call;
  const key = input.$unset;
  if (key === '') throw required('$unset');
  const person = await findPerson(store, input.id);
  const { [key]: before, ...properties } = person.properties;
  if (before !== undefined) {
    const changes: readonly Change[] = [{ action: 'deleted', field: key, before, after: null }];
    await replaceProperties(store, [{ person, properties, now }]);
    await recordActivity(store, [entryOf(person, { activity: 'delete_property', changes, now })]);
  }
  await captureEvents(store, '$delete_person_property', [{ person, properties: { $unset: [key] }, now }]);
  return { status: dialect === 'live' ? 201 : 200, body: { success: true } };
};

/** P8 gives each distinct id that leaves a person of its own, together with its events. */
export const splitPerson: Handler<typeof persons.split> = async ({ input, dialect, store, now }) => {
  const person = await findPerson(store, input.id);
  const leaving = leavingIds(person, input);
  for (const distinctId of leaving) await splitOff(store, distinctId, now);
  if (leaving.length > 0) {
    // The service logs the ids that it was given, or all of the person's, under the UUID.
    const ids = input.distinct_ids_to_split ?? person.distinctIds;
    const changes: readonly Change[] = [
      { action: 'split', field: null, before: null, after: { distinct_ids: ids } },
    ];
    const entry = entryOf(person, { activity: 'split_person', changes, now });
    await recordActivity(store, [{ ...entry, name: person.uuid }]);
  }
  return { status: dialect === 'live' ? 201 : 200, body: { success: true } };
};

function leavingIds(person: StoredPerson, input: Call<typeof persons.split>['input']): readonly string[] {
  const { main_distinct_id: main, distinct_ids_to_split: chosen } = input;
  if (main !== undefined && chosen !== undefined) {
    throw invalid('distinct_ids_to_split', 'Give main_distinct_id or distinct_ids_to_split, not both.');
  }
  if (chosen?.length === 0) {
    throw invalid('distinct_ids_to_split', 'This list may not be empty.', 'empty');
  }
  const named = chosen ?? (main === undefined ? [] : [main]);
  const foreign = named.find((id) => !person.distinctIds.includes(id));
  if (foreign !== undefined) {
    const attr = chosen === undefined ? 'main_distinct_id' : 'distinct_ids_to_split';
    throw invalid(attr, `The distinct id "${foreign}" does not belong to this person.`);
  }
  if (chosen === undefined) {
    const staying = main ?? person.distinctIds[0];
    return person.distinctIds.filter((distinctId) => distinctId !== staying);
  }
  if (new Set(chosen).size === person.distinctIds.length) {
    throw invalid('distinct_ids_to_split', 'At least one distinct id must stay with the person.');
  }
  return [...new Set(chosen)];
}

/** Sets properties as `$set` events do: what is not named stays, and an event is captured in any case. */
export async function setProperties(
  store: Store,
  sets: readonly { readonly person: StoredPerson; readonly set: JsonObject; readonly now: Moment }[],
): Promise<void> {
  const changed = sets
    .map((one) => ({ ...one, changes: changesOf(one.person.properties, one.set) }))
    .filter(({ changes }) => changes.length > 0);
  if (changed.length > 0) {
    await replaceProperties(
      store,
      changed.map(({ person, set, now }) => ({ person, properties: { ...person.properties, ...set }, now })),
    );
    await recordActivity(
      store,
      changed.map(({ person, changes, now }) => entryOf(person, { activity: 'updated', changes, now })),
    );
  }
  await captureEvents(
    store,
    '$set',
    sets.map(({ person, set, now }) => ({ person, properties: { $set: set }, now })),
  );
}

/** A change of a person for the activity log. */
function entryOf(person: StoredPerson, entry: Pick<Activity, 'activity' | 'changes' | 'now'>): Activity {
  return { scope: 'Person', itemId: person.id, name: nameOf(person), user: OPERATOR, ...entry };
}

/** What each of the two services takes in one list. The specification also prints 1000 for the whole call. */
const LIST_LIMITS: Readonly<Record<Dialect, number>> = { specification: 100, live: 1000 };

/** P4 */
export const deletePerson: Handler<typeof persons.delete> = async ({ input, dialect, store, now }) => {
  const person = await findPerson(store, input.id);
  const keepPerson = dialect === 'live' && input.keep_person === true;
  await remove(store, [person], { deleteEvents: input.delete_events === true, keepPerson, now });
  return { status: dialect === 'live' ? 202 : 204 };
};

/** P11 */
export const bulkDeletePersons: Handler<typeof persons.bulkDelete> = async (call) => {
  const { input, dialect, store, now } = call;
  const found = await findListed(call);
  const isLive = dialect === 'live';
  const keepPerson = isLive && input.keep_person === true;
  const deleteEvents = input.delete_events === true;
  await remove(store, found, { deleteEvents, keepPerson, now });
  const leaving = keepPerson ? 0 : found.length;
  // The live service answers before it deletes; here both happen at once.
  const counts = {
    persons_found: found.length,
    persons_deleted: isLive ? 0 : leaving,
    ...(isLive ? { persons_queued_for_deletion: leaving } : {}),
    events_queued_for_deletion: deleteEvents && found.length > 0,
  };
  // Nothing here records sessions, so only the live service's own answer names recordings.
  const recordings = isLive && input.delete_recordings === true && found.length > 0;
  const body = { ...counts, recordings_queued_for_deletion: recordings, deletion_errors: [] };
  return { status: isLive ? 202 : 200, body };
};

async function findListed({ store, input, dialect }: Call<typeof persons.bulkDelete>) {
  const { ids, distinct_ids: distinctIds } = input;
  if (ids !== undefined && distinctIds !== undefined) {
    throw invalid('ids', 'Give ids or distinct_ids, not both.');
  }
  if (distinctIds !== undefined) {
    checkLength('distinct_ids', distinctIds, dialect);
    return personsByDistinctIds(store, distinctIds);
  }
  if (ids === undefined) throw invalid('ids', 'Give ids or distinct_ids.', 'required');
  checkLength('ids', ids, dialect);
  const isValid = dialect === 'live' ? isUuid : isPersonId;
  const wrong = ids.find((id) => !isValid(id));
  if (wrong !== undefined) {
    const kinds = dialect === 'live' ? 'a UUID' : 'an integer or a UUID';
    throw invalid('ids', `"${wrong}" is not ${kinds}.`);
  }
  return personsByIds(store, ids);
}

function checkLength(name: string, list: readonly string[], dialect: Dialect): void {
  const limit = LIST_LIMITS[dialect];
  if (list.length === 0) throw invalid(name, 'This list may not be empty.', 'empty');
  if (list.length <= limit) return;
  const whole = dialect === 'specification' ? ', and at most 1000 ids per call' : '';
  throw invalid(name, `At most ${limit} entries in ${name}${whole}; got ${list.length}.`, 'max_length');
}

async function remove(
  store: Store,
  persons: readonly StoredPerson[],
  { deleteEvents, keepPerson, now }: { deleteEvents: boolean; keepPerson: boolean; now: Moment },
): Promise<void> {
  if (persons.length === 0) return;
  if (deleteEvents) await queueEventDeletions(store, persons, now);
  if (keepPerson) return;
  await removePersons(store, persons);
  await recordActivity(
    store,
    persons.map((person) => entryOf(person, { activity: 'deleted', now })),
  );
}
