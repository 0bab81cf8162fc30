import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import { objectRows } from '../service/answer.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import type { IdList } from './collect-ids.ts';
import { isInteger, type KnownPerson } from './entries.ts';
import {
  type LookUp,
  makeLookUp,
  type OnTime,
  type People,
  type ProgressOptions,
  progressKind,
  resolveIds,
  stopIfAsked,
} from './resolve.ts';
import { openSqlStore, sqlSize } from './sql-store.ts';

type ResolvedPeople = {
  readonly people: readonly People[];
  /** What the service's clock said then. */
  readonly serviceTime?: string | undefined;
};

type Finding = ProgressOptions & {
  /** Only ids that cannot be sent as they are have to be looked up: integers, to a live service. */
  readonly skip?: boolean;
  /** Whether people stay unresolved if there is no way to look so many up. */
  readonly isOptional?: boolean;
  readonly withNames?: boolean;
};

/**
 * Looks up whom the ids belong to, since only persons are sent: by batches where the service has them, else by SQL where
 * the key may query, else one by one. Throws `refused` if there are too many for that.
 */
export async function resolvePeople(
  people: readonly People[],
  { skip = false, ...finding }: Finding,
  context: Context,
): Promise<ResolvedPeople> {
  const { dialect } = await context.settings();
  const resolved: People[] = [];
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  for (const one of people) {
    const integers = dialect === 'live' ? countIntegers(one.list) : 0;
    if (one.resolution !== undefined || (skip && integers === 0)) {
      resolved.push(one);
      continue;
    }
    if (integers > 0) context.note(`Looking up ${counted(integers, 'integer id')} first, one request each.`);
    resolved.push(await resolveList(one.list, { ...finding, onTime }, context));
  }
  return { people: resolved, serviceTime };
}

type Looking = Finding & { readonly onTime: OnTime };

async function resolveList(list: IdList, looking: Looking, context: Context): Promise<People> {
  const { dialect } = await context.settings();
  if (dialect === 'live') {
    try {
      const lookUp = await makeLookUp(context, looking.onTime);
      return { list, resolution: await resolveBy(lookUp, list, looking, context) };
    } catch (failure) {
      // Older services have no look-up of many ids.
      const isMissing = failure instanceof CliError && (failure.status === 404 || failure.status === 405);
      if (!isMissing) throw failure;
    }
  }
  const many = list.ids.length - countIntegers(list);
  const shown = many > MOST_SINGLE ? await findBySql(list, looking, context) : new Map<string, KnownPerson>();
  if (shown === undefined) return { list };
  const lookUp = await makeLookUp(context, looking.onTime, { isSingle: true });
  return {
    list,
    resolution: await resolveBy(withShown(shown, list, { lookUp, context }), list, looking, context),
  };
}

async function resolveBy(lookUp: LookUp, list: IdList, looking: Looking, context: Context) {
  const kind = progressKind(looking, context);
  const progress = context.progress({
    label: list.areAddresses ? 'persons looked up' : 'ids looked up',
    total: list.ids.length,
    kind,
  });
  const onProgress = (done: number) => {
    progress.update(done);
    stopIfAsked(context);
  };
  const { withNames = false } = looking;
  return await resolveIds(list, { lookUp, onProgress, withNames }).finally(progress.end);
}

/** Ids that are looked up by one request each, where the service has no look-up of many. */
const MOST_SINGLE = 500;

/** Whom the ids belong to by SQL, which knows no integers; nothing if it may not be asked and that is no error. */
async function findBySql(
  list: IdList,
  { isOptional = false }: Looking,
  context: Context,
): Promise<Map<string, KnownPerson> | undefined> {
  const access = await openSqlStore(context);
  const ids = list.ids.filter((id) => list.kind === 'distinct-ids' || !isInteger(id));
  if (!('store' in access)) {
    if (isOptional) return undefined;
    throw new CliError(
      'refused',
      `whom ${ids.length} ids belong to cannot be looked up: this service has no look-up of many ids, and SQL is refused`,
      {
        hint: `give at most ${MOST_SINGLE} at a time, use a key with query:read, or send the ids as they are with --no-resolve`,
        cause: access.refusal,
      },
    );
  }
  const shown = new Map<string, KnownPerson>();
  for (let from = 0; from < ids.length; from += sqlSize) {
    const some = ids.slice(from, from + sqlSize);
    const subject = list.kind === 'ids' ? { distinctIds: [], uuids: some } : { distinctIds: some, uuids: [] };
    for (const [id, person] of await access.store.findOwners(subject)) shown.set(id, person);
    stopIfAsked(context);
  }
  return shown;
}

type Asking = { readonly lookUp: LookUp; readonly context: Context };

/**
 * Asks the person list about those whom SQL shows, since SQL knows no integer ids, and about the others as far as they
 * are few: somebody may be in one of the two stores only.
 */
function withShown(
  shown: ReadonlyMap<string, KnownPerson>,
  list: IdList,
  { lookUp, context }: Asking,
): LookUp {
  const missing = list.ids.filter((id) => !shown.has(id) && !isAnInteger(list, id)).length;
  const isLooking = missing <= MOST_SINGLE;
  if (!isLooking)
    context.warn(`warning: ${missing} ids that SQL does not find were not looked for in the person list`);
  return async ({ kind, ids }) => {
    const others = ids.filter((id) => !shown.has(id) && (isLooking || isAnInteger(list, id)));
    const single = await lookUp({ kind, ids: others });
    const known = ids.flatMap((id) => {
      const person = shown.get(id);
      return person === undefined ? [] : { ...person, id };
    });
    const listed = await lookUp({ kind: 'ids', ids: [...new Set(known.map(({ uuid }) => uuid))] });
    const byUuid = new Map(listed.map((person) => [person.uuid.toLowerCase(), person]));
    const whole = known.map((one) => {
      const { sendAs, name, email } = byUuid.get(one.uuid) ?? one;
      return { ...one, sendAs, name, email };
    });
    return [...single, ...whole];
  };
}

function isAnInteger({ kind }: IdList, id: string): boolean {
  return kind === 'ids' && isInteger(id);
}

function countIntegers({ kind, ids }: IdList): number {
  return kind === 'ids' ? ids.filter(isInteger).length : 0;
}

/** An address or distinct id under which nobody was found. */
type Missed = { readonly email: string } | { readonly distinctId: string };

/** Persons that one search looks through. */
const MOST_SEARCHED = 100;

/**
 * Looks once, by search, for people who have an address or distinct id in another case or under another key, such as
 * `Email`. Says how many and where, as a clause about them; undefined if there are none. `exactToo` is for a look-up by
 * nothing else, in which an exact one should have been found.
 */
export async function findSimilar(
  missed: Missed,
  { exactToo }: { readonly exactToo: boolean },
  context: Context,
): Promise<string | undefined> {
  const value = 'email' in missed ? missed.email : missed.distinctId;
  const client = await context.client();
  const keys = new Set<string>();
  let count = 0;
  const limit = MOST_SEARCHED;
  for await (const page of client.pages(persons.list, { search: value, limit }, { limit })) {
    for (const person of objectRows<Person>(page)) {
      if (!exactToo && hasExactly(person, missed)) continue;
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
export const LOOK_AT_SIMILAR =
  'look at them with hogctl persons list --search, and name who is meant by id; nothing was deleted';

function hasExactly({ properties, distinct_ids: ids = [] }: Person, missed: Missed): boolean {
  return 'email' in missed ? properties?.email === missed.email : ids.includes(missed.distinctId);
}

/** The properties of a person that hold an address or distinct id, in any case. */
export function keysWith({ properties, distinct_ids: ids = [] }: Person, value: string): readonly string[] {
  const wanted = plain(value);
  const keys = Object.entries(properties ?? {}).flatMap(([key, text]) =>
    typeof text === 'string' && plain(text) === wanted ? [key] : [],
  );
  return ids.some((id) => plain(id) === wanted) ? [...keys, 'distinct id'] : keys;
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}
