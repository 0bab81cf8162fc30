import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import { objectRows } from '../service/ids.ts';
import { persons } from '../service/persons.ts';
import type { Person } from '../service/schemas.ts';
import type { IdList } from './collect-ids.ts';
import type { KnownPerson } from './entries.ts';
import { isInteger } from './ids.ts';
import {
  createResolution,
  lookUpSize,
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

type Finding = {
  /** Nobody is to be looked up who need not be. */
  readonly skip: boolean;
  /** Without the persons and all of their distinct ids nobody can prove later that the events have gone. */
  readonly deletesEvents: boolean;
  readonly withNames?: boolean;
};

/**
 * Looks up whom the ids belong to, where the service has batch look-ups, so that the outcome can be told per person.
 * Integers are looked up one by one, since the live service deletes by UUID only.
 */
export async function resolvePeople(
  people: readonly People[],
  { skip, deletesEvents, progress, withNames = false }: ProgressOptions & Finding,
  context: Context,
): Promise<ResolvedPeople> {
  const { dialect } = await context.settings();
  if (dialect !== 'live') {
    const isNamed = withNames && !skip && isLookedUpOneByOne(people, context);
    if (!isNamed && deletesEvents && !skip)
      return { people: await resolveByStore(people, { progress }, context) };
    if (!isNamed) return { people };
  }
  const resolved: People[] = [];
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  for (const { list } of people) {
    const integers = dialect === 'live' ? countIntegers(list) : 0;
    const wanted = integers > 0 || !skip;
    if (integers > 0) context.note(`Looking up ${counted(integers, 'integer id')} first, one request each.`);
    resolved.push(
      wanted
        ? await resolveList(list, { isNeeded: integers > 0, progress, onTime, withNames }, context)
        : { list },
    );
  }
  return { people: resolved, serviceTime };
}

/** By SQL where the key may, and one by one for those that it does not show, up to 500: else nobody is known. */
async function resolveByStore(
  people: readonly People[],
  options: ProgressOptions,
  context: Context,
): Promise<readonly People[]> {
  const access = await openSqlStore(context);
  const lookUp = await makeLookUp(context);
  const resolved: People[] = [];
  for (const { list } of people) {
    const shown = new Map<string, KnownPerson>();
    const bySql = list.ids.filter((id) => list.kind === 'distinct-ids' || !isInteger(id));
    for (let from = 0; 'store' in access && from < bySql.length; from += sqlSize) {
      const ids = bySql.slice(from, from + sqlSize);
      const subject = list.kind === 'ids' ? { distinctIds: [], uuids: ids } : { distinctIds: ids, uuids: [] };
      for (const [id, person] of await access.store.findOwners(subject)) shown.set(id, person);
      stopIfAsked(context);
    }
    const others = list.ids.filter((id) => !shown.has(id));
    if (others.length > mostOneByOne) {
      context.warn(
        `warning: whom ${counted(others.length, 'id')} belong to was not found out, so it cannot be proved later that their events have gone`,
      );
      resolved.push({ list });
      continue;
    }
    const progress = context.progress({
      label: 'ids looked up',
      total: others.length,
      kind: progressKind(options, context),
    });
    const single = await lookUp({ kind: list.kind, ids: others }).finally(progress.end);
    for (const person of single) shown.set(person.id, person);
    const resolution = createResolution();
    for (const id of list.ids) resolution.add(shown.get(id) ?? null);
    resolved.push({ list, resolution });
  }
  return resolved;
}

async function resolveList(
  list: IdList,
  options: ProgressOptions & {
    readonly isNeeded: boolean;
    readonly onTime: OnTime;
    readonly withNames: boolean;
  },
  context: Context,
): Promise<People> {
  const kind = progressKind(options, context);
  const progress = context.progress({ label: 'ids looked up', total: list.ids.length, kind });
  try {
    const lookUp = await makeLookUp(context, options.onTime);
    const onProgress = (done: number) => {
      progress.update(done);
      stopIfAsked(context);
    };
    return { list, resolution: await resolveIds(list, { lookUp, onProgress, withNames: options.withNames }) };
  } catch (failure) {
    const isMissing = failure instanceof CliError && (failure.status === 404 || failure.status === 405);
    if (options.isNeeded || !isMissing) throw failure;
    context.note(
      `The service has no look-up of ${lookUpSize} ids at a time, so the outcome is told in sum, not per person.`,
    );
    return { list };
  } finally {
    progress.end();
  }
}

/** Ids that are looked up by one request each, where the service has no look-up of many. */
const mostOneByOne = 500;

function isLookedUpOneByOne(people: readonly People[], context: Context): boolean {
  const count = people.reduce((sum, { list }) => sum + list.ids.length, 0);
  if (count <= mostOneByOne) return true;
  context.note(
    `This service has no look-up of many ids, and ${count} are more than the ${mostOneByOne} that are asked about one by one.`,
  );
  return false;
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
