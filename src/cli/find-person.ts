import { CliError, counted, firstOf, usageError } from '../errors.ts';
import { hasDistinctId } from '../semantics/person-conditions.ts';
import { actOn, idText, objectRows } from '../service/endpoint.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import type { PersonReference } from './command/options.ts';
import type { Context } from './context.ts';

/**
 * The id of the person that was named. A distinct id or email must lead to exactly one person, and the match is checked
 * here as well: a service that ignores a filter must not decide whom a command touches.
 * Throws `not-found` if there is no such person, and says if one has it elsewhere; `usage` for several.
 */
export async function findPersonId(reference: PersonReference, context: Context): Promise<string> {
  if ('id' in reference) return reference.id;
  return 'email' in reference
    ? findByEmail(reference.email, context)
    : findByDistinctId(reference.distinctId, context);
}

/** Somebody for a person who has to agree. */
export async function describeFound(person: Person): Promise<string> {
  const [{ describePerson }, { toKnown }] = await Promise.all([
    import('../erasure/people/describe.ts'),
    import('../erasure/people/stores.ts'),
  ]);
  return describePerson(toKnown(person));
}

const LOOK_WIDER = 'search more widely with hogctl persons list --search';

/** Persons whom a message names. */
const MOST_NAMED = 10;

/** The ids of all persons who are meant: several may have one address. */
export async function findPersonIds(
  reference: PersonReference,
  context: Context,
): Promise<readonly string[]> {
  if (!('email' in reference)) return [await findPersonId(reference, context)];
  return (await findOwners(reference.email, context)).map(({ id }) => actOn(id));
}

async function findByEmail(email: string, context: Context): Promise<string> {
  const people = await findOwners(email, context);
  const [only, second] = people;
  if (only === undefined || second !== undefined) throw severalHave(email, people);
  return actOn(only.id);
}

/** Those who have an address, at least one. A warning tells of others who have it under another key. */
async function findOwners(email: string, context: Context): Promise<readonly Person[]> {
  const { findByAddress } = await import('../erasure/people/address-owners.ts');
  const { LOOK_AT_SIMILAR } = await import('../erasure/people/similar.ts');
  const { people, others, keys } = await findByAddress(email, context);
  const elsewhere = `under another key (${keys.join(', ')})`;
  if (people.length === 0) {
    const missing = `no person has the email "${email}"`;
    throw others.length === 0
      ? new CliError('not-found', missing, { hint: LOOK_WIDER })
      : new CliError(
          'not-found',
          `${missing}, but ${counted(others.length, 'person has', 'persons have')} it ${elsewhere}`,
          { hint: LOOK_AT_SIMILAR },
        );
  }
  if (others.length > 0 && people.length === 1)
    context.warn(
      `warning: ${counted(others.length, 'other person has', 'other persons have')} this email ${elsewhere}`,
    );
  return people;
}

function severalHave(email: string, people: readonly Person[]): CliError {
  const named = people.map(({ id, properties, created_at: created }) => {
    const written = typeof properties?.email === 'string' ? properties.email : email;
    return `${idText(id)} (${written}${created ? `, created ${created.slice(0, 10)}` : ''})`;
  });
  return usageError(
    `${people.length} persons have the email "${email}": ${firstOf(named, MOST_NAMED)}`,
    `give the id of one; hogctl persons bulk-delete --emails ${email} deletes all of them`,
  );
}

async function findByDistinctId(distinctId: string, context: Context): Promise<string> {
  const client = await context.client();
  const found: Person[] = [];
  const filter = { distinct_id: distinctId, limit: 2 };
  for await (const page of client.pages(persons.list, filter, { limit: 2 }))
    for (const one of objectRows<Person>(page)) found.push(one);
  const [first, second] = found;
  if (first === undefined) {
    const { findSimilar, LOOK_AT_SIMILAR } = await import('../erasure/people/similar.ts');
    const similar = await findSimilar(distinctId, context);
    const missing = `no person has the distinct id "${distinctId}"`;
    throw similar === undefined
      ? new CliError('not-found', missing, { hint: LOOK_WIDER })
      : new CliError('not-found', `${missing}, but ${similar}`, { hint: LOOK_AT_SIMILAR });
  }
  if (second !== undefined) {
    throw usageError(
      `several persons have the distinct id "${distinctId}"`,
      `choose one by id: ${found.map(({ id }) => idText(id)).join(', ')}, ...`,
    );
  }
  if (!(await hasDistinctId(first, distinctId, (id) => client.call(persons.get, { id })))) {
    throw new CliError(
      'refused',
      `the service answered with a person who does not have the distinct id "${distinctId}"`,
      { hint: 'give the person id instead' },
    );
  }
  return actOn(first.id);
}
