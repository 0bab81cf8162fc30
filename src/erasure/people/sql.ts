import type { Context } from '../../cli/context.ts';
import { CliError, changed, foreseen } from '../../errors.ts';
import { isList, type JsonObject } from '../../json/kinds.ts';
import { failedQuery, MOST_ROWS, type QueryRow, queryRows, sqlQuery } from '../../semantics/sql.ts';
import type { IdKind } from '../input/checks.ts';
import type { KnownPerson } from '../input/given.ts';

/** Persons and events to ask SQL about: events name both a person and a distinct id. */
export type SqlSubject = { readonly distinctIds: readonly string[]; readonly uuids: readonly string[] };

/** A person as SQL shows one; `id` is the distinct id or the UUID that was asked for. */
export type SqlPerson = {
  readonly id: string;
  readonly uuid: string;
  readonly createdAt: string | undefined;
};

/** Who sends events, and when the last one came (as the service writes it). */
type Sender = {
  readonly distinctId: string;
  readonly uuid: string | undefined;
  readonly lastEvent: string;
};

/** The service's second store, which SQL reads. It may show persons that the person list does not, and the reverse. */
export type SqlStore = Readonly<ReturnType<typeof createSqlStore>>;

/** Events, counted through SQL if the service has no deletion status: up to the deletion, and later ones. */
export type EventsCount = {
  readonly left: number;
  readonly later: number;
};

/** Where it was looked for people: what the API lists, and what SQL reads. */
export type StoreName = 'person list' | 'sql';

/** Values that one statement names: its text stays below what the service's database takes. */
export const sqlSize = 1000;

export type SqlAccess =
  | { readonly store: SqlStore }
  /** Why this key, or this service, is not to be asked by SQL. */
  | { readonly refusal: CliError };

/** Opens the second store by one small question. Throws if the service failed rather than refused. */
export async function openSqlStore(context: Context, onTime?: (time: string) => void): Promise<SqlAccess> {
  const ask = createAsker(await context.client(), onTime);
  try {
    await ask('SELECT 1', {});
    return { store: createSqlStore(ask) };
  } catch (error) {
    const failure = foreseen(error);
    if (isRefusal(failure)) return { refusal: failure };
    throw failure;
  }
}

type Instead = {
  /** What is done without SQL, as a clause. */
  readonly instead: string;
  /** Whether a failure of SQL ends the command all the same: the other way is for some ids only. */
  readonly isNeeded?: boolean;
};

/** Ids that are looked up by one request each, if the service has no look-up of many. */
export const MOST_SINGLE = 500;

/** Throws a failure of SQL about more ids than are looked up without it. */
export function failNeeded(error: unknown): never {
  const failure = foreseen(error);
  const hint = `try again later, or give at most ${MOST_SINGLE} at a time, which are looked up without SQL`;
  throw failure.kind === 'unavailable' ? changed(failure, { hint }) : failure;
}

/** Asks SQL if there is another way: it answers nothing if the key may not ask, and after a failure, which are told. */
export function createSqlTry(context: Context, { instead, isNeeded = false }: Instead) {
  let access: SqlAccess | undefined;
  return async <Answer>(ask: (store: SqlStore) => Promise<Answer>): Promise<Answer | undefined> => {
    if (access !== undefined && !('store' in access)) return undefined;
    try {
      access ??= await openSqlStore(context);
      if ('store' in access) return await ask(access.store);
    } catch (error) {
      access = { refusal: foreseen(error) };
      if (isNeeded || access.refusal.kind !== 'unavailable') failNeeded(error);
    }
    context.note(`SQL is not asked (${access.refusal.message}): ${instead}.`);
    return undefined;
  };
}

/** A key without the scope, a service without the endpoint, and one that does not run this statement. */
function isRefusal({ kind, status }: CliError): boolean {
  return kind === 'authentication' || kind === 'not-found' || kind === 'refused' || status === 405;
}

/** A person that a look-up found, by the id that was asked for. `createdAt` is an ISO date as the service writes it. */
export type LookedUp = KnownPerson & { readonly id: string; readonly createdAt?: string | undefined };

type Batch = { readonly kind: IdKind; readonly ids: readonly string[] };

/** Asks the service who exists: people who are not in the answer do not. */
export type LookUp = (batch: Batch) => Promise<readonly LookedUp[]>;

type Singly = { readonly single: LookUp; readonly most: number };

/**
 * A look-up of many with the distinct ids that it leaves out: by SQL if the key may query, and one by one for those whom
 * SQL does not show, up to `most` persons. Throws `refused` for a person who does not have the id that was asked for.
 */
export function withAllIds(lookUp: LookUp, { single, most }: Singly, context: Context): LookUp {
  const instead = `persons with many distinct ids are looked up one by one, up to ${most}`;
  const trySql = createSqlTry(context, { instead });
  let left = most;
  let isTold = false;
  return async (batch) => {
    const people = await lookUp(batch);
    const open = people.filter(({ mayHaveMore }) => mayHaveMore);
    if (open.length === 0) return people;
    const uuids = [...new Set(open.map(({ uuid }) => uuid.toLowerCase()))];
    const subject = { distinctIds: [], uuids };
    const whole = new Map(await trySql((store) => store.findOwners(subject)));
    const has = ({ id, uuid }: LookedUp) => {
      const known = whole.get(uuid.toLowerCase())?.distinctIds;
      return known !== undefined && (batch.kind === 'ids' || known.includes(id));
    };
    const others = new Set(open.filter((one) => !has(one)).map(({ uuid }) => uuid.toLowerCase()));
    const some = [...others].slice(0, left);
    left -= some.length;
    if (some.length < others.size && !isTold) {
      isTold = true;
      context.warn(
        `warning: more than ${most} persons may have further distinct ids, which the record lacks`,
      );
    }
    for (const one of await single({ kind: 'ids', ids: some })) whole.set(one.id, one);
    return people.map((person) => {
      const { distinctIds } = whole.get(person.uuid.toLowerCase()) ?? {};
      if (!person.mayHaveMore || distinctIds === undefined) return person;
      if (has(person)) return { ...person, distinctIds, mayHaveMore: false };
      // SQL may not know an id of late; the person list does.
      if (some.includes(person.uuid.toLowerCase())) throw hasNotTheId();
      return person;
    });
  };
}

export function hasNotTheId(): CliError {
  return new CliError('refused', 'the service answered with a person who does not have the distinct id');
}

type Ask = (sql: string, values: JsonObject) => Promise<readonly QueryRow[]>;

function createAsker(
  client: Awaited<ReturnType<Context['client']>>,
  onTime: ((time: string) => void) | undefined,
): Ask {
  return async (sql, values) => {
    // What was calculated before may be older than the deletion.
    const input = { query: sqlQuery({ sql, values }), refresh: 'force_blocking' };
    const { rows, hasMore } = queryRows(await client.query(input, { onTime, isNew: true }));
    if (hasMore || rows.length >= MOST_ROWS) throw failedQuery('the query answered with more rows than fit');
    return rows;
  };
}

function createSqlStore(ask: Ask) {
  return {
    /** Whom distinct ids or UUIDs belong to, with all distinct ids of each; an id without a person is absent. */
    async findOwners(subject: SqlSubject): Promise<ReadonlyMap<string, KnownPerson>> {
      const { asked, wanted } = await askedFor(subject, ask);
      const sql = `SELECT toString(person_id), groupArray(distinct_id) FROM person_distinct_ids WHERE toString(person_id) IN {uuids} GROUP BY person_id LIMIT ${MOST_ROWS}`;
      const rows = await inPieces(wanted, (uuids) => ask(sql, { uuids }));
      const known = new Map(rows.map(([uuid, ids]) => [textOf(uuid).toLowerCase(), textsOf(ids)]));
      return new Map(
        asked.flatMap(({ id, uuid }) => {
          const all = known.get(uuid);
          return all === undefined ? [] : [[id, { uuid, distinctIds: all }]];
        }),
      );
    },
    async findPersons(subject: SqlSubject): Promise<readonly SqlPerson[]> {
      const { asked, wanted } = await askedFor(subject, ask);
      const sql = `SELECT toString(id), created_at FROM persons WHERE toString(id) IN {uuids} LIMIT ${MOST_ROWS}`;
      const rows = await inPieces(wanted, (uuids) => ask(sql, { uuids }));
      const createdAt = new Map(rows.map(([uuid, created]) => [textOf(uuid), dateOf(created)]));
      return asked
        .filter(({ uuid }) => createdAt.has(uuid))
        .map((one) => ({ ...one, createdAt: createdAt.get(one.uuid) }));
    },
    /** Who has one of these texts as email, its ASCII letters compared in lower case. */
    async findByEmail(addresses: readonly string[]) {
      const sql = `SELECT toString(id), toString(properties.email) FROM persons WHERE lower(properties.email) IN {addresses} LIMIT ${MOST_ROWS}`;
      const rows = await ask(sql, { addresses });
      return rows.map(([uuid, email]) => ({ uuid: textOf(uuid).toLowerCase(), email: textOf(email) }));
    },
    /** Events up to a moment (ISO), and later ones. */
    countEvents: (subject: SqlSubject, until: string) => countEvents(subject, { until, ask }),
    /** The last to send something after a moment (ISO), at most 1000. */
    async findSenders(subject: SqlSubject, after: string): Promise<readonly Sender[]> {
      const senders: Sender[] = [];
      for (const piece of piecesOf(subject)) {
        const sql = `SELECT distinct_id, toString(person_id), max(timestamp) FROM events WHERE (${conditionOf(piece)}) AND timestamp > toDateTime({moment}) GROUP BY distinct_id, person_id ORDER BY max(timestamp) DESC LIMIT 1000`;
        for (const [distinctId, uuid, last] of await ask(sql, { ...valuesOf(piece), moment: after }))
          senders.push({
            distinctId: textOf(distinctId),
            uuid: uuid === null || uuid === undefined ? undefined : textOf(uuid),
            lastEvent: textOf(last),
          });
      }
      return senders.toSorted((one, other) => (one.lastEvent < other.lastEvent ? 1 : -1));
    },
  };
}

async function countEvents(
  subject: SqlSubject,
  { until, ask }: { readonly until: string; readonly ask: Ask },
) {
  const byPerson = { upTo: 0, later: 0 };
  const byId = { upTo: 0, later: 0 };
  for (const piece of piecesOf(subject)) {
    const sql = `SELECT countIf(timestamp <= toDateTime({moment})), countIf(timestamp > toDateTime({moment})) FROM events WHERE ${conditionOf(piece)}`;
    const rows = await ask(sql, { ...valuesOf(piece), moment: until });
    const [row] = rows;
    if (rows.length !== 1 || row?.length !== 2) throw failedQuery('the query answered without a count');
    const count = piece.uuids.length > 0 ? byPerson : byId;
    count.upTo += countOf(row[0]);
    count.later += countOf(row[1]);
  }
  // Several questions find the same events by person and by distinct id.
  return { upTo: Math.max(byPerson.upTo, byId.upTo), later: Math.max(byPerson.later, byId.later) };
}

/** A subject whose values fit into one statement, or several of one kind each. */
function piecesOf({ distinctIds, uuids }: SqlSubject): readonly SqlSubject[] {
  const size = distinctIds.length + uuids.length;
  if (size <= sqlSize) return size === 0 ? [] : [{ distinctIds, uuids }];
  return [
    ...cut(uuids, sqlSize).map((piece) => ({ distinctIds: [], uuids: piece })),
    ...cut(distinctIds, sqlSize).map((piece) => ({ distinctIds: piece, uuids: [] })),
  ];
}

/** Values in pieces of at most so many. */
export function cut(values: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

/** The answers about all values, as many of them at a time as one statement takes. */
async function inPieces<Row>(
  values: readonly string[],
  ask: (piece: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const piece of cut(values, sqlSize)) rows.push(...(await ask(piece)));
  return rows;
}

/** The distinct ids and UUIDs that belong to persons, as they are asked for, and the UUIDs of these. */
async function askedFor({ distinctIds, uuids }: SqlSubject, ask: Ask) {
  const sql = `SELECT distinct_id, toString(person_id) FROM person_distinct_ids WHERE distinct_id IN {distinct_ids} LIMIT ${MOST_ROWS}`;
  const rows = await inPieces(distinctIds, (ids) => ask(sql, { distinct_ids: ids }));
  const owners = rows.map(([id, uuid]) => ({ id: textOf(id), uuid: textOf(uuid).toLowerCase() }));
  const asked = [...owners, ...uuids.map((id) => ({ id, uuid: id.toLowerCase() }))];
  return { asked, wanted: [...new Set(asked.map(({ uuid }) => uuid))] };
}

function conditionOf({ distinctIds, uuids }: SqlSubject): string {
  return [
    ...(distinctIds.length > 0 ? ['distinct_id IN {distinct_ids}'] : []),
    ...(uuids.length > 0 ? ['toString(person_id) IN {uuids}'] : []),
  ].join(' OR ');
}

function valuesOf({ distinctIds, uuids }: SqlSubject): JsonObject {
  return {
    ...(distinctIds.length > 0 ? { distinct_ids: distinctIds } : {}),
    ...(uuids.length > 0 ? { uuids: uuids.map((uuid) => uuid.toLowerCase()) } : {}),
  };
}

function textOf(value: QueryRow[number] | undefined): string {
  if (typeof value === 'string') return value;
  throw failedQuery('the query answered with something other than an id');
}

function textsOf(value: QueryRow[number] | undefined): readonly string[] {
  if (isList(value)) return value.map(textOf);
  throw failedQuery('the query answered without a list of ids');
}

function dateOf(value: QueryRow[number] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Zero must be a zero that was counted: a missing figure, or a text that is no plain number, proves nothing. */
function countOf(value: QueryRow[number] | undefined): number {
  const isPlain = typeof value === 'string' ? /^\d{1,15}$/.test(value) : typeof value === 'number';
  const count = isPlain ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw failedQuery('the query answered without a count');
}
