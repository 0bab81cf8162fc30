import type { JsonObject } from '../json/kinds.ts';
import { writeJson } from '../json/write.ts';
import type { Moment } from './clock.ts';
import { nameOf } from './handlers/person-answers.ts';
import { OPERATOR } from './operator.ts';
import { type Change, recordActivity } from './store/activity.ts';
import { captureEvent } from './store/events.ts';
import type { Store } from './store/open-store.ts';
import { replaceProperties, type StoredPerson } from './store/persons.ts';

/** Sets properties as a `$set` event does: what is not named stays, and the event is captured in any case. */
export async function setProperties(
  store: Store,
  person: StoredPerson,
  { set, now }: { readonly set: JsonObject; readonly now: Moment },
): Promise<void> {
  const changes = Object.entries(set).flatMap(([key, after]): readonly Change[] => {
    const before = Object.hasOwn(person.properties, key) ? person.properties[key] : undefined;
    if (before === undefined) return [{ action: 'created', field: key, before: null, after }];
    return writeJson(before) === writeJson(after) ? [] : [{ action: 'changed', field: key, before, after }];
  });
  if (changes.length > 0) {
    await replaceProperties(store, person, { properties: { ...person.properties, ...set }, now });
    await logPersonChange(store, person, { activity: 'updated', changes, now });
  }
  await captureEvent(store, person, { event: '$set', properties: { $set: set }, now });
}

/** Writes a change of a person into the activity log. */
export async function logPersonChange(
  store: Store,
  person: StoredPerson,
  entry: { readonly activity: string; readonly changes: readonly Change[]; readonly now: Moment },
): Promise<void> {
  await recordActivity(store, [
    { scope: 'Person', itemId: person.id, name: nameOf(person), user: OPERATOR, ...entry },
  ]);
}
