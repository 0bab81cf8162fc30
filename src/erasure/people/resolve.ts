import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Context } from '../../cli/context.ts';
import { CliError, counted, foreseen } from '../../errors.ts';
import { isInteger } from '../../service/endpoint.ts';
import type { GivenPeople, IdList, KnownPerson, People } from '../input/given.ts';
import { MOST_SHOWN } from './describe.ts';
import type { AskedId, StoreAnswer } from './look.ts';
import { MOST_SINGLE, openSqlStore, type SqlStore, sqlSize } from './sql.ts';
import { type ListStore, MANY, openListStore } from './stores.ts';

/** Persons who are kept, and read again, together. */
const BLOCK = 100;

type Persons = readonly (KnownPerson | null)[];

/** Gathers people in the order of their ids, null for an id without one. */
export function createResolution({ withNames = false } = {}) {
  // Packed, in buffers outside V8's heap: as objects in it, a million persons take eight times as much.
  const blocks: Buffer[] = [];
  let rest: (KnownPerson | null)[] = [];
  let read: { readonly block: number; readonly persons: Persons } | undefined;
  const doubtful = new Map<number, KnownPerson>();
  let found = 0;
  let count = 0;
  const readBlock = (block: number): Persons => {
    const packed = blocks[block];
    if (packed === undefined) return block === blocks.length ? rest : [];
    // Cast: `add` below is the only writer of these texts.
    if (read?.block !== block)
      read = { block, persons: JSON.parse(inflateRawSync(packed).toString()) as Persons };
    return read.persons;
  };
  return {
    get found() {
      return found;
    },
    get nobody() {
      return count - found;
    },
    get inDoubt() {
      return doubtful.size;
    },
    at: (index: number) => readBlock(Math.floor(index / BLOCK))[index % BLOCK] ?? null,
    doubtful: (index: number) => doubtful.get(index),
    /** `other`: whom SQL shows behind an id, if it was asked. */
    add(person: KnownPerson | null, other?: KnownPerson | undefined) {
      if (person !== null) found += 1;
      if (other !== undefined) doubtful.set(count, other);
      const isNamed = withNames || found <= MOST_SHOWN;
      rest.push(isNamed || person === null ? person : { ...person, name: undefined });
      count += 1;
      if (rest.length < BLOCK) return;
      // Copied: zlib returns a part of 16 KiB, all of which would stay in memory.
      blocks.push(Buffer.from(deflateRawSync(JSON.stringify(rest), { level: 1 })));
      rest = [];
    },
  };
}

/** How sure it is that an id without a person has none: whether each answer showed somebody who is known to be there. */
export type LookUp = {
  /** Whether one request of the person list was about many ids. */
  readonly isByMany: boolean;
  readonly list: boolean;
  /** Null if SQL was not asked, since the key may not or it was down. */
  readonly sql: boolean | null;
};

/** Requests that ask each store once about so many ids: SQL takes two statements for each thousand. */
export function countRequests(
  { uuids, distinctIds }: { readonly uuids: number; readonly distinctIds: number },
  { isByMany, sql }: LookUp,
): number {
  const all = uuids + distinctIds;
  const listed = isByMany ? Math.ceil(uuids / (MANY - 1)) + Math.ceil(distinctIds / (MANY - 1)) : all;
  return listed + (sql === null ? 0 : 2 * Math.ceil(all / (sqlSize - 1)));
}

type Finding = {
  readonly withNames?: boolean;
  /** Exceptions are asked about in both stores: whoever has one of their ids in either is spared. */
  readonly inBoth?: boolean;
};

/**
 * Looks up whom the ids belong to, since only persons are sent; about those whom the person list does not show, SQL is
 * asked, too, if the key may. Tells the service's clock (ISO) and how sure the answers are.
 */
export async function resolvePeople(people: readonly GivenPeople[], finding: Finding, context: Context) {
  const { dialect } = await context.settings();
  const stores = await openListStore(context);
  const openSql = openOnce(context);
  const seen = { serviceTime: undefined as string | undefined, list: true, sql: true };
  const hear = (answers: readonly StoreAnswer[]) => {
    for (const { store, controls, asked, found, serviceTime } of answers) {
      if (store === 'list') seen.serviceTime ??= serviceTime;
      const isShown = controls.every((one) => one) || (controls.length < 2 && found.length > 0);
      if (found.length < asked.length && !isShown) seen[store] = false;
    }
    return answers;
  };
  const resolved: People[] = [];
  for (const one of people) {
    const integers = dialect === 'live' ? countIntegers(one.list) : 0;
    if (integers > 0) context.note(`Looking up ${counted(integers, 'integer id')} first, one request each.`);
    const isSaid = dialect !== 'live' && one.resolution === undefined && one.list.ids.length > MOST_SINGLE;
    if (isSaid) context.note(`Looking up ${counted(one.list.ids.length, 'id')} first, one request each.`);
    const looking = { ...finding, stores, openSql, hear };
    const { list, resolution } = one;
    resolved.push(
      resolution === undefined ? await resolveList(list, looking, context) : { list, resolution },
    );
  }
  const { serviceTime, list, sql } = seen;
  const { store } = await openSql();
  const lookUp: LookUp = { isByMany: stores.isByMany(), list, sql: store === undefined ? null : sql };
  return { people: resolved, serviceTime, lookUp };
}

type Sql = { readonly store?: SqlStore; readonly failure?: CliError };

/**
 * SQL is asked after the list, so that a key which is refused is sent once. If it is down, those whom the list shows can
 * be planned all the same: that they have gone is proven once SQL shows it, too.
 */
function openOnce(context: Context): () => Promise<Sql> {
  let opened: Promise<Sql> | undefined;
  const open = async (): Promise<Sql> => {
    try {
      const access = await openSqlStore(context);
      return 'store' in access ? { store: access.store } : {};
    } catch (error) {
      const failure = foreseen(error);
      if (failure.kind !== 'unavailable') throw error;
      return { failure };
    }
  };
  return () => (opened ??= open());
}

type Looking = Finding & {
  readonly stores: ListStore;
  readonly openSql: () => Promise<Sql>;
  readonly hear: (answers: readonly StoreAnswer[]) => readonly StoreAnswer[];
};

/** Ids of one step, so that memory does not grow with answers. */
const STEP = 796;

async function resolveList(list: IdList, looking: Looking, context: Context): Promise<People> {
  const { kind, ids, areAddresses } = list;
  const label = areAddresses ? 'persons looked up' : 'ids looked up';
  const progress = context.progress({ label, total: ids.length });
  const resolution = createResolution({ withNames: looking.withNames ?? false });
  try {
    for (let from = 0; from < ids.length; from += STEP) {
      const some = ids.slice(from, from + STEP).map((id): AskedId => ({ kind, id }));
      const { persons, others } = await findAll(some, looking);
      for (const { id } of some) resolution.add(persons.get(id) ?? null, others.get(id));
      progress.update(from + some.length);
      stopIfAsked(context);
    }
  } finally {
    progress.end();
  }
  return { list, resolution };
}

/** Throws if SQL is down and has to be asked about some of them. */
async function findAll(ids: readonly AskedId[], { stores, openSql, hear, inBoth = false }: Looking) {
  const persons = peopleIn(hear(await stores.list(ids, { expect: 'there' })));
  const { store: sql, failure } = await openSql();
  await readWhole(persons, stores, sql);
  const open = ids.filter(({ id }) => inBoth || !persons.has(id));
  if (open.length > 0 && failure !== undefined) throw failure;
  const shown = open.length > 0 && sql ? hear(await sql.look(open, { expect: 'there' })) : [];
  return { persons, others: peopleIn(shown) };
}

function peopleIn(answers: readonly StoreAnswer[]): Map<string, KnownPerson> {
  return new Map(
    answers.flatMap(({ found }) => found.map(({ asked, person }) => [asked.id, person] as const)),
  );
}

/** Reads all distinct ids of those of whom an answer about many shows ten: by SQL if it knows those, else one by one. */
async function readWhole(
  persons: Map<string, KnownPerson>,
  stores: ListStore,
  sql: SqlStore | undefined,
): Promise<void> {
  const cut = new Map(
    [...persons.values()]
      .filter(({ mayHaveMore }) => mayHaveMore)
      .map((one) => [one.uuid.toLowerCase(), one]),
  );
  if (cut.size === 0) return;
  const asIds = (uuids: Iterable<string>) => [...uuids].map((id): AskedId => ({ kind: 'ids', id }));
  const covers = (whole: KnownPerson | undefined, uuid: string) => {
    const asked = [...persons].flatMap(([id, person]) => (person.uuid.toLowerCase() === uuid ? id : []));
    const all = new Set([...(whole?.distinctIds ?? []), uuid, whole?.sendAs]);
    return (
      whole !== undefined &&
      [...asked, ...(cut.get(uuid)?.distinctIds ?? [])].every(
        (id) => all.has(id) || all.has(id.toLowerCase()),
      )
    );
  };
  const bySql = peopleIn(sql ? await sql.look(asIds(cut.keys()), { expect: 'there' }) : []);
  const open = [...cut.keys()].filter((uuid) => !covers(bySql.get(uuid), uuid));
  const alone = peopleIn(open.length === 0 ? [] : await stores.alone(asIds(open), { expect: 'there' }));
  for (const [id, person] of persons) {
    const uuid = person.uuid.toLowerCase();
    if (!cut.has(uuid)) continue;
    const whole = alone.get(uuid) ?? bySql.get(uuid);
    if (alone.has(uuid) && !covers(whole, uuid))
      throw new CliError('refused', 'the service answered with a person who does not have the distinct id');
    if (whole !== undefined && covers(whole, uuid))
      persons.set(id, { ...person, distinctIds: whole.distinctIds, mayHaveMore: false });
  }
}

function countIntegers({ kind, ids }: IdList): number {
  return kind === 'ids' ? ids.filter(isInteger).length : 0;
}

/** Throws `interrupted` once a signal asked to stop: before the first deletion there is nothing to finish. */
export function stopIfAsked({ signal }: Pick<Context, 'signal'>): void {
  if (signal.aborted) throw new CliError('interrupted', 'interrupted, nothing was deleted');
}
