import type { persons } from '../../api/endpoints/persons.ts';
import type { Json } from '../../json/kinds.ts';
import type { Handler } from '../call.ts';
import { logPersonChange, setProperties } from '../person-changes.ts';
import { invalid, required } from '../refusal.ts';
import type { Change } from '../store/activity.ts';
import { captureEvent } from '../store/events.ts';
import { replaceProperties, type StoredPerson, splitOff } from '../store/persons.ts';
import { findPerson } from './find-person.ts';
import { personAnswer } from './person-answers.ts';

/** P3 acts as a `$set` event: what is not named stays. */
export const updatePerson: Handler<typeof persons.update> = async ({ input, dialect, store, now }) => {
  const person = await findPerson(store, input.id);
  await setProperties(store, person, { set: input.properties, now });
  if (dialect === 'live') return { status: 202 };
  const properties = { ...person.properties, ...input.properties };
  return { status: 200, body: personAnswer({ ...person, properties }, dialect) };
};

/** P9 acts as a `$set` event with one property. */
export const updatePersonProperty: Handler<typeof persons.updateProperty> = async (call) => {
  const { input, dialect, store, now } = call;
  if (input.key === '') throw required('key');
  const person = await findPerson(store, input.id);
  await setProperties(store, person, { set: { [input.key]: input.value }, now });
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
    await replaceProperties(store, person, { properties, now });
    await logPersonChange(store, person, {
      activity: 'delete_property',
      changes: [removed(key, before)],
      now,
    });
  }
  await captureEvent(store, person, {
    event: '$delete_person_property',
    properties: { $unset: [key] },
    now,
  });
  return { status: dialect === 'live' ? 201 : 200, body: { success: true } };
};

/** P8 gives each distinct id that leaves a person of its own, together with its events. */
export const splitPerson: Handler<typeof persons.split> = async ({ input, dialect, store, now }) => {
  const person = await findPerson(store, input.id);
  const leaving = leavingIds(person, input);
  for (const distinctId of leaving) await splitOff(store, distinctId, now);
  if (leaving.length > 0) {
    const before = { distinct_ids: person.distinctIds };
    const after = { distinct_ids: person.distinctIds.filter((distinctId) => !leaving.includes(distinctId)) };
    await logPersonChange(store, person, {
      activity: 'split_person',
      changes: [{ action: 'split', field: 'undefined', before, after }],
      now,
    });
  }
  return { status: dialect === 'live' ? 201 : 200, body: { success: true } };
};

function leavingIds(
  person: StoredPerson,
  input: {
    readonly main_distinct_id?: string | undefined;
    readonly distinct_ids_to_split?: readonly string[] | undefined;
  },
): readonly string[] {
  const { main_distinct_id: main, distinct_ids_to_split: chosen } = input;
  if (main !== undefined && chosen !== undefined) {
    throw invalid('distinct_ids_to_split', 'Give main_distinct_id or distinct_ids_to_split, not both.');
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

function removed(key: string, before: Json): Change {
  return { action: 'deleted', field: key, before, after: null };
}
