import type { Context } from '../../cli/context.ts';
import { CliError, counted, foreseen } from '../../errors.ts';
import { hasDistinctId, LOOKED_UP_IDS, mayHaveMoreIds } from '../../semantics/person-conditions.ts';
import { actOn, idText, isInteger, isUuid } from '../../service/endpoint.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';
import type { Person } from '../../service/schemas.ts';
import { inLanes, LANES } from '../../system/lanes.ts';
import type { GivenPeople, IdList, KnownPerson, People, Resolution } from '../input/given.ts';
import {
  cut,
  failNeeded,
  hasNotTheId,
  type LookedUp,
  type LookUp,
  MOST_SINGLE,
  openSqlStore,
  withAllIds,
} from './sql.ts';

/** Gathers people in the order of their ids, null for an id without one. */
export function createResolution({ withNames = false } = {}) {
  // As JSON, which takes a third of the memory that a million objects take.
  const texts: string[] = [];
  let found = 0;
  return {
    get found() {
      return found;
    },
    get nobody() {
      return texts.length - found;
    },
    // Cast: `add` below is the only writer of these texts.
    at: (index: number) => JSON.parse(texts[index] ?? 'null') as KnownPerson | null,
    add(person: KnownPerson | null) {
      if (person !== null) found += 1;
      const { uuid, distinctIds, mayHaveMore, sendAs, name, email } = person ?? {};
      const shown = withNames ? name : undefined;
      texts.push(JSON.stringify(person && { uuid, distinctIds, mayHaveMore, sendAs, name: shown, email }));
    },
  };
}

type Finding = {
  readonly withNames?: boolean;
};

/**
 * Looks up whom the ids belong to, since only persons are sent: by batches if the service has them, else by SQL if
 * the key may query, else one by one. Tells the service's clock. Throws `refused` if there are too many for that.
 */
export async function resolvePeople(people: readonly GivenPeople[], finding: Finding, context: Context) {
  const { dialect } = await context.settings();
  const resolved: People[] = [];
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  for (const one of people) {
    const { list, resolution } = one;
    if (resolution !== undefined) {
      resolved.push({ list, resolution });
      continue;
    }
    const integers = dialect === 'live' ? countIntegers(list) : 0;
    if (integers > 0) context.note(`Looking up ${counted(integers, 'integer id')} first, one request each.`);
    resolved.push(await resolveList(list, { ...finding, onTime }, context));
  }
  return { people: resolved, serviceTime };
}

/** `onTime` is told what the service's clock said (ISO). */
type Looking = Finding & { readonly onTime: (time: string) => void };

async function resolveList(list: IdList, looking: Looking, context: Context): Promise<People> {
  if ((await context.settings()).dialect === 'live') {
    try {
      const many = await makeLookUp(context, looking.onTime);
      const single = await makeLookUp(context, looking.onTime, { isSingle: true });
      const lookUp = withAllIds(many, { single, most: MOST_SINGLE }, context);
      return { list, resolution: await resolveBy(lookUp, list, looking, context) };
    } catch (error) {
      const failure = foreseen(error);
      // Older services have no look-up of many ids.
      if (!isNotThere(failure)) throw failure;
    }
  }
  const many = list.ids.length - countIntegers(list);
  const shown = many > MOST_SINGLE ? await findBySql(list, context) : new Map<string, KnownPerson>();
  const lookUp = await makeLookUp(context, looking.onTime, { isSingle: true });
  return {
    list,
    resolution: await resolveBy(withShown(shown, list, { lookUp, context }), list, looking, context),
  };
}

/** The person each id of a list belongs to, null if there is none. */
async function resolveBy(
  lookUp: LookUp,
  { kind, ids, areAddresses }: IdList,
  looking: Looking,
  context: Context,
): Promise<Resolution> {
  const label = areAddresses ? 'persons looked up' : 'ids looked up';
  const progress = context.progress({ label, total: ids.length });
  const resolution = createResolution({ withNames: looking.withNames });
  const step = (await context.settings()).dialect === 'live' ? lookUpSize * LANES : lookUpSize;
  try {
    for (let from = 0; from < ids.length; from += step) {
      const some = ids.slice(from, from + step);
      const found = new Map((await lookUp({ kind, ids: some })).map((person) => [person.id, person]));
      for (const id of some) resolution.add(found.get(id) ?? null);
      progress.update(from + some.length);
      stopIfAsked(context);
    }
  } finally {
    progress.end();
  }
  return resolution;
}

/** Whom the ids belong to by SQL, which knows no integers. */
async function findBySql(list: IdList, context: Context) {
  const access = await openSqlStore(context).catch(failNeeded);
  const ids = list.ids.filter((id) => !isAnInteger(list, id));
  if (!('store' in access)) {
    const message = `${ids.length} ids cannot be looked up: this service has no look-up of many ids and refuses SQL`;
    throw new CliError('refused', message, {
      hint: `give at most ${MOST_SINGLE} at a time, or use a key with query:read`,
      cause: access.refusal,
    });
  }
  const subject = list.kind === 'ids' ? { distinctIds: [], uuids: ids } : { distinctIds: ids, uuids: [] };
  const shown = await access.store.findOwners(subject).catch(failNeeded);
  stopIfAsked(context);
  return shown;
}

/**
 * Asks the person list about those whom SQL shows, since SQL knows no integer ids, and about the others one by one:
 * somebody may be in one of the two stores only.
 */
function withShown(
  shown: ReadonlyMap<string, KnownPerson>,
  list: IdList,
  { lookUp, context }: { readonly lookUp: LookUp; readonly context: Context },
): LookUp {
  const missing = list.ids.filter((id) => !shown.has(id) && !isAnInteger(list, id)).length;
  if (missing > MOST_SINGLE)
    context.note(`SQL does not find ${missing} ids; looking each of them up in the person list.`);
  return async ({ kind, ids }) => {
    const known = ids.flatMap((id) => {
      const person = shown.get(id);
      return person === undefined ? [] : { ...person, id };
    });
    const listed = await lookUp({ kind: 'ids', ids: [...new Set(known.map(({ uuid }) => uuid))] });
    const byUuid = new Map(listed.map((person) => [person.uuid.toLowerCase(), person]));
    // SQL may be behind: an id that was split off, or merged, belongs to whom the person list shows with it.
    const isOthers = ({ id, uuid }: LookedUp) => {
      const { distinctIds = [] } = byUuid.get(uuid) ?? {};
      return kind === 'distinct-ids' && distinctIds.length > 0 && !distinctIds.includes(id);
    };
    const others = known.filter(isOthers).map(({ id }) => id);
    const single = await lookUp({ kind, ids: [...ids.filter((id) => !shown.has(id)), ...others] });
    const whole = known
      .filter((one) => !isOthers(one))
      .map((one) => {
        const { sendAs, name, email, distinctIds } = byUuid.get(one.uuid) ?? one;
        return {
          ...one,
          sendAs,
          name,
          email,
          distinctIds: [...new Set([...one.distinctIds, ...distinctIds])],
        };
      });
    return [...single, ...whole];
  };
}

function isAnInteger({ kind }: IdList, id: string): boolean {
  return kind === 'ids' && isInteger(id);
}

function countIntegers(list: IdList): number {
  return list.ids.filter((id) => isAnInteger(list, id)).length;
}

export const lookUpSize = 200;

type Service = Pick<Awaited<ReturnType<Context['client']>>, 'call'>;

/** Looks people up 200 at a time if the service can (the live one), else one a request, a few at the same time. */
export async function makeLookUp(
  context: Context,
  onTime?: Looking['onTime'],
  { isSingle = false }: { readonly isSingle?: boolean } = {},
): Promise<LookUp> {
  const whole = await context.client();
  const client: Service = { call: (row, input) => whole.call(row, input, { onTime }) };
  const { dialect } = await context.settings();
  if (dialect !== 'live' || isSingle) {
    const find = { ids: byId, 'distinct-ids': byDistinctId };
    const toPerson = dialect === 'live' ? withoutInteger : (person: LookedUp) => person;
    return async ({ kind, ids }) => (await inLanes(ids, (id) => find[kind](client, id))).flat().map(toPerson);
  }
  return async ({ kind, ids }) => {
    const byMany = kind === 'ids' ? byUuids : byDistinctIds;
    const single = kind === 'ids' ? ids.filter(isInteger) : [];
    const many = kind === 'ids' ? ids.filter((id) => !isInteger(id)) : ids;
    const found = [
      ...(await inLanes(single, (id) => byId(client, id))),
      ...(await inLanes(cut(many, lookUpSize), async (some) => (await byMany(client, some)).map(asCut))),
    ];
    return found.flat().map(withoutInteger);
  };
}

export function isNotThere({ status }: CliError): boolean {
  return status === 404 || status === 405;
}

/** A look-up of many names no more distinct ids of a person than ten. */
function asCut(person: LookedUp): LookedUp {
  return person.distinctIds.length < LOOKED_UP_IDS ? person : { ...person, mayHaveMore: true };
}

/** The live service deletes by UUID only. */
function withoutInteger({ sendAs: _, ...person }: LookedUp): LookedUp {
  return person;
}

async function byDistinctIds(client: Service, ids: readonly string[]): Promise<readonly LookedUp[]> {
  const { results } = await client.call(platform.personsByDistinctIds, { distinct_ids: ids });
  return ids.flatMap((id) => {
    const person = Object.hasOwn(results, id) ? results[id] : undefined;
    // An answer that names no distinct ids at all, or may leave some out, tells nothing against it.
    const { distinct_ids: named } = person ?? {};
    if (named !== undefined && named.length < LOOKED_UP_IDS && !named.includes(id)) throw hasNotTheId();
    return known(id, person);
  });
}

async function byUuids(client: Service, ids: readonly string[]): Promise<readonly LookedUp[]> {
  const { results } = await client.call(platform.personsByUuids, { uuids: ids });
  return ids.flatMap((id) => knownById(id, Object.hasOwn(results, id) ? results[id] : undefined));
}

async function byId(client: Service, id: string): Promise<readonly LookedUp[]> {
  try {
    const found = knownById(id, await client.call(persons.get, { id }));
    return found.map((person) => ({ ...person, mayHaveMore: undefined }));
  } catch (failure) {
    if (failure instanceof CliError && failure.kind === 'not-found') return [];
    throw failure;
  }
}

async function byDistinctId(client: Service, id: string): Promise<readonly LookedUp[]> {
  const { results } = await client.call(persons.list, { distinct_id: id });
  const [only, other] = results;
  const get = (person: string) => client.call(persons.get, { id: person });
  const isOnly = only !== undefined && other === undefined && (await hasDistinctId(only, id, get));
  const person = isOnly ? only : results.find(({ distinct_ids: ids }) => ids?.includes(id));
  // Only an empty answer means that no person has it: others show that the service did not look for this id.
  if (person === undefined && results.length > 0) {
    throw new CliError('refused', 'the service answered with persons who do not have the distinct id', {
      hint: 'it may ignore the filter, so hogctl cannot tell who is still there; check the host',
    });
  }
  return known(id, person);
}

/** Throws `refused` if the answer is about somebody else than the person with this id. */
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
  const known = toKnown(person);
  // Nothing else tells later whether it is the same person, and which events are theirs.
  if (!isUuid(known.uuid))
    throw new CliError('refused', 'the service answered with a person without a UUID', {
      hint: 'check the host',
    });
  return [{ id, ...known, createdAt: person.created_at ?? undefined }];
}

/** A person as a run keeps one, from a row of the service. */
export function toKnown(person: Person): KnownPerson {
  const { id, uuid, distinct_ids: distinctIds, name, properties } = person;
  const email = typeof properties?.email === 'string' ? properties.email : null;
  const integer = idText(id);
  return {
    uuid: actOn(uuid ?? id),
    distinctIds: distinctIds ?? [],
    ...(mayHaveMoreIds(person) ? { mayHaveMore: true } : {}),
    ...(isInteger(integer) && uuid !== undefined && uuid !== null ? { sendAs: integer } : {}),
    name: name ?? undefined,
    email: properties === undefined ? undefined : email,
  };
}

/** Throws `interrupted` once a signal asked to stop: before the first deletion there is nothing to finish. */
export function stopIfAsked({ signal }: Pick<Context, 'signal'>): void {
  if (signal.aborted) throw new CliError('interrupted', 'interrupted, nothing was deleted');
}
