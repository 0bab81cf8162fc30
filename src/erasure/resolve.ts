import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import { hasDistinctId, idText } from '../service/answer.ts';
import { persons } from '../service/persons.ts';
import { platform } from '../service/platform.ts';
import type { Person } from '../service/schemas.ts';
import type { ProgressKind } from '../system/terminal.ts';
import type { IdList } from './collect-ids.ts';
import {
  actOn,
  askedAs,
  type Entry,
  type IdKind,
  isInteger,
  isSendable,
  type KnownPerson,
} from './entries.ts';

/** A person that a look-up found, by the id that was asked for. `createdAt` is an ISO date as the service writes it. */
export type LookedUp = KnownPerson & { readonly id: string; readonly createdAt?: string | undefined };

/** Asks the service who exists. At most 200 ids a call; whoever is not in the answer does not exist. */
export type LookUp = (batch: {
  readonly kind: IdKind;
  readonly ids: readonly string[];
}) => Promise<readonly LookedUp[]>;

/** Whom each id of a list belongs to, by its position. */
type Resolution = {
  readonly found: number;
  readonly nobody: number;
  readonly at: (index: number) => KnownPerson | null;
};

/** The ids of one kind that a run is about, with whom they belong to if that was looked up. */
export type People = { readonly list: IdList; readonly resolution?: Resolution | undefined };

/** What one look-up call takes. */
export const lookUpSize = 200;

/** Gathers people in the order of their ids, null where an id belongs to nobody. */
export function createResolution({ withNames = false } = {}): Resolution & {
  readonly add: (person: KnownPerson | null) => void;
} {
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
    at: (index) => JSON.parse(texts[index] ?? 'null') as KnownPerson | null,
    add(person) {
      if (person !== null) found += 1;
      const { uuid, distinctIds, sendAs, name, email } = person ?? {};
      const shown = withNames ? name : undefined;
      texts.push(JSON.stringify(person && { uuid, distinctIds, sendAs, name: shown, email }));
    },
  };
}

type Resolving = {
  readonly lookUp: LookUp;
  readonly onProgress?: (done: number) => void;
  readonly withNames?: boolean;
};

/** Looks every id up, 200 at a time. Throws what the look-up throws. */
export async function resolveIds(
  list: IdList,
  { lookUp, onProgress, withNames }: Resolving,
): Promise<Resolution> {
  const resolution = createResolution({ withNames });
  for (let from = 0; from < list.ids.length; from += lookUpSize) {
    const ids = list.ids.slice(from, from + lookUpSize);
    const found = new Map((await lookUp({ kind: list.kind, ids })).map((person) => [person.id, person]));
    for (const id of ids) resolution.add(found.get(id) ?? null);
    onProgress?.(from + ids.length);
  }
  return resolution;
}

/**
 * The ids of a run in the order they are sent. Those that are not sent come last: ids of nobody, and further ids of
 * somebody who is sent once already.
 */
export function* listEntries(people: readonly People[]): Generator<Entry> {
  for (const isWanted of [true, false]) {
    for (const { entry, isSent } of arrange(people)) if (isSent === isWanted) yield entry;
  }
}

/** How many ids of each list are sent. */
export function countSent(people: readonly People[]): readonly number[] {
  const counts = people.map(() => 0);
  for (const { at, isSent } of arrange(people)) if (isSent) counts[at] = (counts[at] ?? 0) + 1;
  return counts;
}

function* arrange(people: readonly People[]) {
  const persons = new Set<string>();
  for (const [at, { list, resolution }] of people.entries()) {
    for (const [index, id] of list.ids.entries()) {
      const entry: Entry =
        resolution === undefined
          ? { kind: list.kind, id }
          : { kind: list.kind, id, person: resolution.at(index) };
      const uuid = entry.person?.uuid.toLowerCase();
      yield { at, entry, isSent: isSendable(entry) && (uuid === undefined || !persons.has(uuid)) };
      if (uuid !== undefined) persons.add(uuid);
    }
  }
}

/** Told what the service's clock said (ISO). */
export type OnTime = (time: string) => void;
type Service = Pick<Awaited<ReturnType<Context['client']>>, 'call'>;

/** Looks people up 200 at a time where the service can (the live one), else one a request, a few at the same time. */
export async function makeLookUp(
  context: Context,
  onTime?: OnTime,
  { isSingle = false }: { readonly isSingle?: boolean } = {},
): Promise<LookUp> {
  const client = tellingTime(await context.client(), onTime);
  const { dialect } = await context.settings();
  if (dialect !== 'live' || isSingle) {
    const find = { ids: byId, 'distinct-ids': byDistinctId };
    const toPerson = dialect === 'live' ? withoutInteger : (person: LookedUp) => person;
    return async ({ kind, ids }) => (await each(ids, (id) => find[kind](client, id))).map(toPerson);
  }
  return async ({ kind, ids }) => {
    if (kind === 'distinct-ids') return (await byDistinctIds(client, ids)).map(withoutInteger);
    const single = await each(ids.filter(isInteger), (id) => byId(client, id));
    const uuids = ids.filter((id) => !isInteger(id));
    return [...single, ...(await byUuids(client, uuids))].map(withoutInteger);
  };
}

/** The live service deletes by UUID only. */
function withoutInteger({ sendAs: _, ...person }: LookedUp): LookedUp {
  return person;
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
  return ids.flatMap((id) => {
    const person = Object.hasOwn(results, id) ? results[id] : undefined;
    // An answer that names no distinct ids at all tells nothing against it.
    if (person?.distinct_ids !== undefined && !hasDistinctId(person, id))
      throw new CliError(
        'refused',
        'the service answered with another person than the one with a distinct id',
      );
    return known(id, person);
  });
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
  return [{ id, ...toKnown(person), createdAt }];
}

/** A person as a run keeps one, from a row of the service. */
export function toKnown(person: Person): KnownPerson {
  const { id, uuid, distinct_ids: distinctIds, name, properties } = person;
  const email = typeof properties?.email === 'string' ? properties.email : null;
  const integer = idText(id);
  return {
    uuid: actOn(uuid ?? id),
    distinctIds: distinctIds ?? [],
    ...(isInteger(integer) && uuid !== undefined && uuid !== null ? { sendAs: integer } : {}),
    name: name ?? undefined,
    email: properties === undefined ? undefined : email,
  };
}

/** Whom ids of a run lead to now, asked for as they were given: somebody else may have one by now. */
export async function findNow(
  entries: readonly Entry[],
  lookUp: LookUp,
): Promise<readonly { readonly entry: Entry; readonly person: LookedUp }[]> {
  const found: { readonly entry: Entry; readonly person: LookedUp }[] = [];
  for (const kind of ['ids', 'distinct-ids'] as const) {
    const own = entries.filter((entry) => entry.kind === kind);
    const byId = new Map(own.map((entry) => [askedAs(entry), entry]));
    const ids = [...byId.keys()];
    for (let from = 0; from < ids.length; from += lookUpSize) {
      for (const person of await lookUp({ kind, ids: ids.slice(from, from + lookUpSize) })) {
        const entry = byId.get(person.id);
        if (entry !== undefined) found.push({ entry, person });
      }
    }
  }
  return found;
}

/** Requests at the same time, where each asks about one person only. */
const LANES = 4;

/**
 * Does one work for each item, a few at the same time, and gives the results back in their order. After the first
 * failure nothing more is begun, and what is under way is waited for; then it is thrown.
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    for (const [index, item] of waiting) {
      try {
        results[index] = await work(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (failure !== undefined) throw failure.error;
  return results;
}

export type ProgressOptions = { readonly progress?: ProgressKind | undefined };

/** `--progress`, except that nothing is shown on its own with `--quiet`. */
export function progressKind(
  { progress = 'auto' }: ProgressOptions,
  { options }: Pick<Context, 'options'>,
): ProgressKind {
  return options.quiet && progress === 'auto' ? 'none' : progress;
}

/** Throws `interrupted` once a signal asked to stop: before the first deletion there is nothing to finish. */
export function stopIfAsked({ signal }: Pick<Context, 'signal'>): void {
  if (signal.aborted) throw new CliError('interrupted', 'interrupted, nothing was deleted');
}
