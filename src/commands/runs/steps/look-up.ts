import { persons } from '../../../api/endpoints/persons.ts';
import { platform } from '../../../api/endpoints/platform.ts';
import { hasDistinctId, idText } from '../../../api/ids.ts';
import type { Person } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import { isInteger } from '../../../erasure/ids.ts';
import type { LookedUp, LookUp } from '../../../erasure/resolve-ids.ts';
import { CliError } from '../../../errors.ts';
import { actOn } from '../../person-id.ts';
import { inLanes } from './in-lanes.ts';

/** Told what the service's clock said (ISO). */
type OnTime = (time: string) => void;
type Service = Pick<Awaited<ReturnType<Context['client']>>, 'call'>;

/** Looks people up 200 at a time where the service can (the live one), else one a request, a few at the same time. */
export async function makeLookUp(context: Context, onTime?: OnTime): Promise<LookUp> {
  const client = tellingTime(await context.client(), onTime);
  const { dialect } = await context.settings();
  return async ({ kind, ids }) => {
    if (kind === 'distinct-ids')
      return dialect === 'live' ? byDistinctIds(client, ids) : each(ids, (id) => byDistinctId(client, id));
    const integers = ids.filter(isInteger);
    const uuids = ids.filter((id) => !isInteger(id));
    const single = await each(dialect === 'live' ? integers : ids, (id) => byId(client, id));
    return dialect === 'live' ? [...single, ...(await byUuids(client, uuids))] : single;
  };
}

function tellingTime(client: Service, onTime: OnTime | undefined): Service {
  if (onTime === undefined) return client;
  return { call: (row, input, additions) => client.call(row, input, { ...additions, onTime }) };
}

async function each(
  ids: readonly string[],
  find: (id: string) => Promise<readonly LookedUp[]>,
): Promise<readonly LookedUp[]> {
  return (await inLanes(ids, find)).flat();
}

async function byDistinctIds(client: Service, ids: readonly string[]): Promise<readonly LookedUp[]> {
  if (ids.length === 0) return [];
  const { results } = await client.call(platform.personsByDistinctIds, { distinct_ids: ids });
  return ids.flatMap((id) => known(id, Object.hasOwn(results, id) ? results[id] : undefined));
}

async function byUuids(client: Service, ids: readonly string[]): Promise<readonly LookedUp[]> {
  if (ids.length === 0) return [];
  const { results } = await client.call(platform.personsByUuids, { uuids: ids });
  return ids.flatMap((id) => knownById(id, Object.hasOwn(results, id) ? results[id] : undefined));
}

async function byId(client: Service, id: string): Promise<readonly LookedUp[]> {
  try {
    return knownById(id, await client.call(persons.get, { id }));
  } catch (failure) {
    if (failure instanceof CliError && failure.kind === 'not-found') return [];
    throw failure;
  }
}

async function byDistinctId(client: Service, id: string): Promise<readonly LookedUp[]> {
  const { results } = await client.call(persons.list, { distinct_id: id });
  const person = results.find((one) => hasDistinctId(one, id));
  // Nobody is there only where nobody comes back: others show that the service did not look for this id.
  if (person === undefined && results.length > 0) {
    throw new CliError('refused', 'the service answered with other persons than the one with a distinct id', {
      hint: 'it may ignore the filter, so who is still there cannot be told',
    });
  }
  return known(id, person);
}

/** Throws `refused` where the answer is about somebody else than the person with this id. */
function knownById(id: string, person: Person | undefined): readonly LookedUp[] {
  const named = [person?.id, person?.uuid].map((value) => idText(value).toLowerCase());
  const isOther = isInteger(id)
    ? named.some(isInteger) && !named.includes(id)
    : !named.includes(id.toLowerCase());
  if (person !== undefined && isOther)
    throw new CliError('refused', `the service answered with another person than ${id}`);
  return known(id, person);
}

function known(id: string, person: Person | undefined): readonly LookedUp[] {
  if (person === undefined) return [];
  const createdAt = person.created_at ?? undefined;
  return [{ id, uuid: actOn(person.uuid ?? person.id), distinctIds: person.distinct_ids ?? [], createdAt }];
}
