import { UUID } from '../read-values.ts';
import { notFound, Refusal } from '../refusal.ts';
import type { Store } from '../store/open-store.ts';
import { personsByIds, type StoredPerson } from '../store/persons.ts';

/** Whether a text can be a person id at all: digits or a UUID. */
export function isPersonId(text: string): boolean {
  return /^\d{1,19}$/.test(text) || UUID.test(text);
}

/** The person with a number or UUID. Throws a `Refusal` 400 for anything else, 404 for nobody. */
export async function findPerson(store: Store, id: string): Promise<StoredPerson> {
  if (!isPersonId(id)) {
    throw new Refusal(
      400,
      `The ID provided does not look like a personID: "${id}". If it is a distinct ID, use the persons list with distinct_id instead.`,
      { type: 'validation_error', code: 'invalid', attr: 'id' },
    );
  }
  const [person] = await personsByIds(store, [id]);
  if (person === undefined) throw notFound('Person not found.');
  return person;
}
