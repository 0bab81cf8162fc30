import type { Context } from '../../cli/context.ts';
import { CliError, foreseen } from '../../errors.ts';
import { hasDistinctId, LOOKED_UP_IDS, mayHaveMoreIds } from '../../semantics/person-conditions.ts';
import { actOn, idText, isInteger } from '../../service/endpoint.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';
import type { Person } from '../../service/schemas.ts';
import { inLanes } from '../../system/lanes.ts';
import type { IdKind } from '../input/checks.ts';
import { type KnownPerson, normalizeId } from '../input/given.ts';
import { type AskedId, idsOfPerson, type Look, type Looking, type StoreAnswer } from './look.ts';
import { cut, openSqlStore, type SqlStore } from './sql.ts';

/** The person list, with its own controls. */
export type ListStore = {
  readonly list: Look;
  /** The same, asked about one UUID at a time, which shows all of somebody's distinct ids. */
  readonly alone: Look;
  /** Whether one request of the list is about many. */
  readonly isByMany: () => boolean;
};

/** The stores of the service, each with its own controls. */
export type Stores = ListStore & {
  readonly sql: SqlStore | undefined;
  /** Why SQL is not to be asked. */
  readonly refusal: CliError | undefined;
};

/** Ids in one look-up of many, of which one is the control. */
export const MANY = 200;

/** Opens both stores. Throws if SQL failed rather than refused. */
export async function openStores(context: Context, list: ListStore): Promise<Stores> {
  const access = await openSqlStore(context);
  const isOpen = 'store' in access;
  return { ...list, sql: isOpen ? access.store : undefined, refusal: isOpen ? undefined : access.refusal };
}

export async function openListStore(context: Context): Promise<ListStore> {
  const { dialect } = await context.settings();
  const alone = await createSingleLook(context);
  const many = dialect === 'live' ? await createManyLook(context) : undefined;
  let isByMany = many !== undefined;
  const list: Look = async (ids, looking) => {
    if (many === undefined || !isByMany) return alone(ids, looking);
    const single = ids.filter(isNumbered);
    const others = ids.filter((one) => !isNumbered(one));
    try {
      const answers = others.length === 0 ? [] : await many(others, looking);
      return single.length === 0 ? answers : [...answers, ...(await alone(single, looking))];
    } catch (error) {
      // Older services have no look-up of many ids.
      if (![404, 405].includes(foreseen(error).status ?? 0)) throw error;
      if (isByMany) context.note('This service has no look-up of many ids, so each takes a request.');
      isByMany = false;
      return alone(ids, looking);
    }
  };
  return { list, alone, isByMany: () => isByMany };
}

function isNumbered({ kind, id }: AskedId): boolean {
  return kind === 'ids' && isInteger(id);
}

type Service = Awaited<ReturnType<Context['client']>>;

/** Somebody who is known to be there, by both kinds of ids. */
type Bystander = { readonly [Kind in IdKind]: string };

/** People of the project who are asked about, too: an answer without them says nothing of those who are missing. */
function createBystanders(client: Service) {
  let listed: Promise<Bystander[]> | undefined;
  let known: Bystander | undefined;
  let isEmpty = false;
  return {
    /** The first one who is still there; undefined if the project has nobody, or does not tell. */
    async find(): Promise<Bystander | undefined> {
      // Requests at the same time ask once.
      listed ??= this.list();
      const asked = listed;
      try {
        [known] = await asked;
      } catch (error) {
        if (listed === asked) listed = undefined;
        throw error;
      }
      return known;
    },
    known: () => known,
    /** Asks anew who is there, since this one has gone. */
    async renew(gone: Bystander | undefined): Promise<Bystander | undefined> {
      if (known === gone) {
        listed = undefined;
        known = undefined;
      }
      return this.find();
    },
    /** Whether the project has no person at all, as its list and its name say. */
    isEmpty: () => isEmpty,
    async list(): Promise<Bystander[]> {
      const first = await readFirst(client);
      isEmpty = first.isEmpty;
      return first.persons.flatMap(({ id, uuid, distinct_ids: [distinctId] = [] }) =>
        distinctId === undefined ? [] : { ids: actOn(uuid ?? id), 'distinct-ids': distinctId },
      );
    },
  };
}

/** The first persons of the list, and whether the project has none at all, as its list and its name say. */
export async function readFirst(client: Service) {
  const { results, next, count } = await client.call(persons.list, { limit: 10 });
  return { persons: results, isEmpty: results.length === 0 && !next && !count && (await isNamed(client)) };
}

/** A wrong project, or a page in front of the service, answers with an empty list, too. */
async function isNamed(client: Service): Promise<boolean> {
  try {
    const { name } = await client.call(platform.project, {});
    return typeof name === 'string';
  } catch (error) {
    const { kind } = foreseen(error);
    if (kind === 'authentication' || kind === 'not-found' || kind === 'refused') return false;
    throw error;
  }
}

async function createManyLook(context: Context): Promise<Look> {
  const client = await context.client();
  const bystanders = createBystanders(client);
  const ask = async (
    kind: IdKind,
    ids: readonly string[],
    expect: Looking['expect'],
  ): Promise<StoreAnswer> => {
    let bystander = expect === 'gone' ? await bystanders.find() : bystanders.known();
    for (let tries = 0; ; tries += 1) {
      let serviceTime: string | undefined;
      const onTime = (time: string) => {
        serviceTime = time;
      };
      const all = bystander === undefined ? ids : [...ids, bystander[kind]];
      const results = await readMany(client, { kind, ids: all }, onTime);
      const found = ids.flatMap((id) => {
        const person = results(id);
        return person === undefined ? [] : { asked: { kind, id }, person };
      });
      const isShown = bystander !== undefined && results(bystander[kind]) !== undefined;
      const isEnough = isShown || found.length === ids.length || tries > 1;
      const control = isShown || (bystander === undefined && bystanders.isEmpty());
      if (isEnough || control)
        return {
          store: 'list',
          asked: ids.map((id) => ({ kind, id })),
          controls: [control],
          found,
          serviceTime,
        };
      bystander =
        tries === 0 && bystander === undefined ? await bystanders.find() : await bystanders.renew(bystander);
    }
  };
  return async (ids, { expect, onProgress }) => {
    let done = 0;
    const pieces = (['ids', 'distinct-ids'] as const).flatMap((kind) =>
      cut(
        ids.flatMap((one) => (one.kind === kind ? one.id : [])),
        MANY - 1,
      ).map((piece) => ({ kind, piece })),
    );
    return inLanes(pieces, async ({ kind, piece }) => {
      const answer = await ask(kind, piece, expect);
      done += piece.length;
      onProgress?.(done);
      return answer;
    });
  };
}

type Batch = { readonly kind: IdKind; readonly ids: readonly string[] };

/** Whom an answer about many shows for an id. Throws `refused` if it is somebody else than was asked for. */
async function readMany(client: Service, { kind, ids }: Batch, onTime: (time: string) => void) {
  const answer =
    kind === 'ids'
      ? await client.call(platform.personsByUuids, { uuids: ids }, { onTime })
      : await client.call(platform.personsByDistinctIds, { distinct_ids: ids }, { onTime });
  const { results } = answer;
  return (id: string): KnownPerson | undefined => {
    const person = Object.hasOwn(results, id) ? results[id] : undefined;
    if (person === undefined || person === null) return undefined;
    if (kind === 'ids') checkPerson(id, person);
    const { sendAs: _, ...known } = toKnown(person);
    // An answer about many names ten distinct ids of a person at most.
    const isCut = known.distinctIds.length >= LOOKED_UP_IDS;
    const isNamed = kind === 'ids' || known.distinctIds.includes(id);
    if (!isNamed && !isCut) throw hasNotTheId();
    return isCut ? { ...known, mayHaveMore: true } : known;
  };
}

async function createSingleLook(context: Context): Promise<Look> {
  const client = await context.client();
  const { dialect } = await context.settings();
  const bystanders = createBystanders(client);
  const read = async (
    { kind, id }: AskedId,
    onTime: (time: string) => void,
  ): Promise<KnownPerson | undefined> => {
    const person =
      kind === 'ids' ? await readById(client, id, onTime) : await readByDistinctId(client, id, onTime);
    if (person === undefined || dialect !== 'live') return person;
    // The live service deletes by UUID only.
    const { sendAs: _, ...known } = person;
    return known;
  };
  const ask = async (some: readonly AskedId[], { expect, shown }: Asking): Promise<StoreAnswer> => {
    let serviceTime: string | undefined;
    const onTime = (time: string) => {
      serviceTime = time;
    };
    const lookFor = () => readEach(some, (one) => read(one, onTime), { expect, shown });
    const kinds = [...new Set(some.map(({ kind }) => kind))];
    const isThere = async (bystander: Bystander | undefined) => {
      if (bystander === undefined) return bystanders.isEmpty();
      const known = await inLanes(kinds, (kind) => read({ kind, id: bystander[kind] }, onTime));
      return known.every((one) => one !== undefined);
    };
    const answer = (people: readonly Read[], controls: readonly boolean[]): StoreAnswer => ({
      store: 'list',
      asked: people.map(({ asked }) => asked),
      controls,
      found: people.flatMap(({ asked, person }) => (person === undefined ? [] : { asked, person })),
      serviceTime,
    });
    if (expect === 'there') {
      const people = await lookFor();
      if (people.every(({ person }) => person !== undefined)) return answer(people, [false, false]);
    }
    const bystander = await bystanders.find();
    const before = (await isThere(bystander)) || (await isThere(await bystanders.renew(bystander)));
    const people = await lookFor();
    return answer(people, [before, await isThere(bystanders.known())]);
  };
  return async (ids, { expect, onProgress }) => {
    const answers: StoreAnswer[] = [];
    const shown = new Set<string>();
    let done = 0;
    for (let from = 0; from < ids.length; from += MANY) {
      const some = ids.slice(from, from + MANY);
      answers.push(await ask(some, { expect, shown }));
      done += some.length;
      onProgress?.(done);
    }
    return answers;
  };
}

type Asking = Pick<Looking, 'expect'> & {
  /** Ids of people whom this look has shown. Who is still there is asked about once, not for each of their ids. */
  readonly shown: Set<string>;
};

type Read = { readonly asked: AskedId; readonly person: KnownPerson | undefined };

async function readEach(
  ids: readonly AskedId[],
  read: (one: AskedId) => Promise<KnownPerson | undefined>,
  { expect, shown }: Asking,
): Promise<readonly Read[]> {
  const people = await inLanes(ids, async (asked) => {
    if (expect === 'gone' && shown.has(keyOf(asked))) return undefined;
    const person = await read(asked);
    for (const own of person === undefined ? [] : idsOfPerson(person)) shown.add(keyOf(own));
    return { asked, person };
  });
  return people.flatMap((one) => one ?? []);
}

const keyOf = ({ kind, id }: AskedId) => `${kind} ${normalizeId(kind, id)}`;

async function readById(
  client: Service,
  id: string,
  onTime: (time: string) => void,
): Promise<KnownPerson | undefined> {
  try {
    const person = await client.call(persons.get, { id }, { onTime });
    if (person === undefined) return undefined;
    checkPerson(id, person);
    return toKnown(person);
  } catch (failure) {
    if (failure instanceof CliError && failure.kind === 'not-found') return undefined;
    throw failure;
  }
}

async function readByDistinctId(
  client: Service,
  id: string,
  onTime: (time: string) => void,
): Promise<KnownPerson | undefined> {
  const { results } = await client.call(persons.list, { distinct_id: id }, { onTime });
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
  if (person === undefined) return undefined;
  const known = toKnown(person);
  // Somebody with more ids than a list names has this one, too.
  return known.distinctIds.includes(id) ? known : { ...known, distinctIds: [...known.distinctIds, id] };
}

/** Throws `refused` if the answer is about somebody else than the person with this id. */
function checkPerson(id: string, person: Person): void {
  const named = [person.id, person.uuid].map((value) => idText(value).toLowerCase());
  const isOther = isInteger(id)
    ? named.some(isInteger) && !named.includes(id)
    : !named.includes(id.toLowerCase());
  if (isOther) throw new CliError('refused', `the service answered with another person than ${id}`);
}

function hasNotTheId(): CliError {
  return new CliError('refused', 'the service answered with a person who does not have the distinct id');
}

/** A person as a run keeps one, from a row of the service. */
export function toKnown(person: Person): KnownPerson {
  const { id, uuid, distinct_ids: distinctIds, name, properties, created_at: createdAt } = person;
  const email = typeof properties?.email === 'string' ? properties.email : null;
  const integer = idText(id);
  return {
    uuid: actOn(uuid ?? id),
    createdAt: createdAt ?? undefined,
    distinctIds: distinctIds ?? [],
    ...(mayHaveMoreIds(person) ? { mayHaveMore: true } : {}),
    ...(isInteger(integer) && uuid !== undefined && uuid !== null ? { sendAs: integer } : {}),
    name: name ?? undefined,
    email: properties === undefined ? undefined : email,
  };
}
