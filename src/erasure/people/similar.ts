import type { Context } from '../../cli/context.ts';
import { counted } from '../../errors.ts';
import { objectRows } from '../../service/endpoint.ts';
import { persons } from '../../service/persons.ts';
import type { Person } from '../../service/schemas.ts';

/** An address or distinct id under which no person was found. */
type Missed = { readonly email: string } | { readonly distinctId: string };

const MOST_SEARCHED = 100;

/**
 * Looks once, by search, for people who have an address or distinct id in another case or under another key, such as
 * `Email`. Says how many and where, as a clause about them; undefined if there are none.
 */
export async function findSimilar(missed: Missed, context: Context): Promise<string | undefined> {
  const value = 'email' in missed ? missed.email : missed.distinctId;
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
  const wanted = plain(value);
  const keys = Object.entries(properties ?? {}).flatMap(([key, text]) =>
    [text].flat().some((one) => typeof one === 'string' && plain(one) === wanted) ? [key] : [],
  );
  return ids.some((id) => plain(id) === wanted) ? [...keys, 'distinct id'] : keys;
}

function plain(text: string): string {
  return fold(text.trim());
}

/** Case is compared here; SQL changes that of ASCII letters only. An accent may be a character of its own. */
export function fold(address: string): string {
  return address.normalize('NFC').toLowerCase();
}
