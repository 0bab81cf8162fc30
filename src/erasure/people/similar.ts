import type { Context } from '../../cli/context.ts';
import { counted } from '../../errors.ts';
import { foldAddress } from '../../semantics/address.ts';
import { objectRows } from '../../service/endpoint.ts';
import { persons } from '../../service/persons.ts';
import type { Person } from '../../service/schemas.ts';

const MOST_SEARCHED = 100;

/**
 * Looks once, by search, for people who have a distinct id in another case or as a property. Says how many and where, as
 * a clause about them; undefined if there are none.
 */
export async function findSimilar(value: string, context: Context): Promise<string | undefined> {
  const client = await context.client();
  const keys = new Set<string>();
  let count = 0;
  const limit = MOST_SEARCHED;
  for await (const page of client.pages(persons.list, { search: value, limit }, { limit })) {
    for (const person of objectRows<Person>(page)) {
      const found = keysWith(person, value);
      if (found.length > 0) count += 1;
      for (const key of found) keys.add(key);
    }
  }
  if (count === 0) return undefined;
  const places = [...keys].sort().join(', ');
  return `${counted(count, 'person has', 'persons have')} it in another case or under another key (${places})`;
}

/** The hint to a miss that has similar ones. */
export const LOOK_AT_SIMILAR = 'find them with hogctl persons list --search, then name a person by id';

/** The properties of a person that hold an address or distinct id, in any case. */
export function keysWith({ properties, distinct_ids: ids = [] }: Person, value: string): readonly string[] {
  const wanted = foldAddress(value);
  const keys = Object.entries(properties ?? {}).flatMap(([key, text]) =>
    [text].flat().some((one) => typeof one === 'string' && foldAddress(one) === wanted) ? [key] : [],
  );
  return ids.some((id) => foldAddress(id) === wanted) ? [...keys, 'distinct id'] : keys;
}
