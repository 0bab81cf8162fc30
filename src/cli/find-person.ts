import { CliError, usageError } from '../errors.ts';
import { hasDistinctId } from '../semantics/person-conditions.ts';
import { actOn, idText, objectRows } from '../service/endpoint.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import type { PersonReference } from './command/options.ts';
import type { Context } from './context.ts';

/**
 * The id of the person that was named. A distinct id or email must match exactly one person, and the match is checked
 * here as well: a service that ignores a filter must not decide whom a command touches.
 * Throws `not-found` if there is no such person, and says if one has it in another case; `usage` for several.
 */
export async function findPersonId(reference: PersonReference, context: Context): Promise<string> {
  if ('id' in reference) return reference.id;
  const [name, value] =
    'email' in reference ? ['email', reference.email] : ['distinct id', reference.distinctId];
  const filter = 'email' in reference ? { email: value } : { distinct_id: value };
  const found = await firstTwo(filter, context);
  const [first, second] = found;
  if (first === undefined) {
    const { findSimilar, LOOK_AT_SIMILAR } = await import('../erasure/people/similar.ts');
    const similar = await findSimilar(reference, context);
    const missing = `no person has the ${name} "${value}"`;
    throw similar === undefined
      ? new CliError('not-found', missing, { hint: 'search more widely with hogctl persons list --search' })
      : new CliError('not-found', `${missing}, but ${similar}`, { hint: LOOK_AT_SIMILAR });
  }
  if (second !== undefined) {
    throw usageError(
      `several persons have the ${name} "${value}"`,
      `choose one by id: ${found.map(({ id }) => idText(id)).join(', ')}, ...`,
    );
  }
  if (!(await matches(first, reference, context))) {
    throw new CliError(
      'refused',
      `the service answered with a person who does not have the ${name} "${value}"`,
      {
        hint: 'give the person id instead',
      },
    );
  }
  return actOn(first.id);
}

async function firstTwo(
  filter: { email: string } | { distinct_id: string },
  context: Context,
): Promise<readonly Person[]> {
  const client = await context.client();
  const found: Person[] = [];
  for await (const page of client.pages(persons.list, { ...filter, limit: 2 }, { limit: 2 })) {
    found.push(...objectRows<Person>(page));
  }
  return found;
}

async function matches(person: Person, reference: PersonReference, context: Context): Promise<boolean> {
  if ('email' in reference) return person.properties?.email === reference.email;
  if (!('distinctId' in reference)) return false;
  const client = await context.client();
  return hasDistinctId(person, reference.distinctId, (id) => client.call(persons.get, { id }));
}
