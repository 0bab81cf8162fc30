import type { Dialect } from '../../api/endpoint.ts';
import type { persons } from '../../api/endpoints/persons.ts';
import type { Handler } from '../call.ts';
import type { Moment } from '../clock.ts';
import { OPERATOR } from '../operator.ts';
import { UUID } from '../read-values.ts';
import { invalid } from '../refusal.ts';
import { recordActivity } from '../store/activity.ts';
import { queueEventDeletions } from '../store/event-deletions.ts';
import type { Store } from '../store/open-store.ts';
import { personsByDistinctIds, personsByIds, removePersons, type StoredPerson } from '../store/persons.ts';
import { findPerson, isPersonId } from './find-person.ts';
import { nameOf } from './person-answers.ts';

type Lists = {
  readonly ids?: readonly string[] | undefined;
  readonly distinct_ids?: readonly string[] | undefined;
};
type Wishes = { readonly deleteEvents: boolean; readonly keepPerson: boolean; readonly now: Moment };

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
  const found = await findListed(store, input, dialect);
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

async function findListed(store: Store, lists: Lists, dialect: Dialect): Promise<readonly StoredPerson[]> {
  const { ids, distinct_ids: distinctIds } = lists;
  if (ids !== undefined && distinctIds !== undefined) {
    throw invalid('ids', 'Give ids or distinct_ids, not both.');
  }
  if (distinctIds !== undefined) {
    checkLength('distinct_ids', distinctIds, dialect);
    return personsByDistinctIds(store, distinctIds);
  }
  if (ids === undefined) throw invalid('ids', 'Give ids or distinct_ids.', 'required');
  checkLength('ids', ids, dialect);
  const isFit = dialect === 'live' ? (id: string) => UUID.test(id) : isPersonId;
  const unfit = ids.find((id) => !isFit(id));
  if (unfit !== undefined) {
    const kinds = dialect === 'live' ? 'a UUID' : 'an integer or a UUID';
    throw invalid('ids', `"${unfit}" is not ${kinds}.`);
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

async function remove(store: Store, persons: readonly StoredPerson[], wishes: Wishes): Promise<void> {
  if (persons.length === 0) return;
  const { deleteEvents, keepPerson, now } = wishes;
  if (deleteEvents) await queueEventDeletions(store, persons, now);
  if (keepPerson) return;
  await removePersons(store, persons);
  await recordActivity(
    store,
    persons.map((person) => ({
      scope: 'Person',
      itemId: person.id,
      activity: 'deleted',
      name: nameOf(person),
      user: OPERATOR,
      now,
    })),
  );
}
