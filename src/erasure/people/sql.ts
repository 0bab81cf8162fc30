import type { Context } from '../../cli/context.ts';
import { type CliError, changed, foreseen } from '../../errors.ts';
import { isList, type JsonObject } from '../../json/kinds.ts';
import { addressInSql } from '../../semantics/address.ts';
import { failedQuery, MOST_ROWS, type QueryRow, queryRows, sqlQuery } from '../../semantics/sql.ts';
import { isUuid } from '../../service/endpoint.ts';
import type { KnownPerson } from '../input/given.ts';
import type { AskedId, Look, StoreAnswer } from './look.ts';

/** Persons and events to ask SQL about: events name both a person and a distinct id. */
export type SqlSubject = { readonly distinctIds: readonly string[]; readonly uuids: readonly string[] };

/** Who sends events, and when the last one came (as the service writes it). */
type Sender = {
  readonly distinctId: string;
  readonly uuid: string | undefined;
  readonly lastEvent: string;
};

/** The service's second store, which SQL reads. It may show persons that the person list does not, and the reverse. */
export type SqlStore = Readonly<ReturnType<typeof createSqlStore>>;

/** Values that one statement names: its text stays below what the service's database takes. */
export const sqlSize = 1000;

export type SqlAccess =
  | { readonly store: SqlStore }
  /** Why this key, or this service, is not to be asked by SQL. */
  | { readonly refusal: CliError };

/** Opens the second store by one small question. Throws if the service failed rather than refused. */
export async function openSqlStore(context: Context): Promise<SqlAccess> {
  const ask = createAsker(await context.client());
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
  /** What is done without SQL, as a clause; absent if nobody needs to know. */
  readonly instead: string | undefined;
  /** Whether a failure of SQL ends the command all the same: the other way is for some ids only. */
  readonly isNeeded?: boolean;
};

/** Ids that are looked up by one request each, if the service has no look-up of many. */
export const MOST_SINGLE = 500;

/** Throws a failure of SQL about more ids than are looked up without it. */
function failNeeded(error: unknown): never {
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
    if (instead !== undefined) context.note(`SQL is not asked (${access.refusal.message}): ${instead}.`);
    return undefined;
  };
}

/** A key without the scope, a service without the endpoint, and one that does not run this statement. */
function isRefusal({ kind, status }: CliError): boolean {
  return kind === 'authentication' || kind === 'not-found' || kind === 'refused' || status === 405;
}

type Ask = (sql: string, values: JsonObject, onTime?: (time: string) => void) => Promise<readonly QueryRow[]>;

function createAsker(client: Awaited<ReturnType<Context['client']>>): Ask {
  return async (sql, values, onTime) => {
    // What was calculated before may be older than the deletion.
    const input = { query: sqlQuery({ sql, values }), refresh: 'force_blocking' };
    const { rows, hasMore } = queryRows(await client.query(input, { onTime, isNew: true }));
    if (hasMore || rows.length >= MOST_ROWS) throw failedQuery('the query answered with more rows than fit');
    return rows;
  };
}

function createSqlStore(ask: Ask) {
  return {
    look: createLook(ask),
    /** Who has one of these texts as email, compared in lower case. */
    async findByEmail(addresses: readonly string[]) {
      const email = addressInSql('toString(properties.email)');
      const sql = `SELECT toString(id), toString(properties.email) FROM persons WHERE ${email.sql} IN {addresses} LIMIT ${MOST_ROWS}`;
      const rows = await ask(sql, { addresses, ...email.values });
      return rows.map(([uuid, email]) => ({ uuid: textOf(uuid).toLowerCase(), email: textOf(email) }));
    },
    /** Events that arrived up to a time (ISO), or by now, and those that arrived later. */
    countEvents: (subject: SqlSubject, until: string | undefined) => countEvents(subject, { until, ask }),
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

/**
 * Events count by when they arrived: a client may date them as it likes. That is by another clock than the one which
 * dates answers: if it is ahead, what was there at the call may count as later, so nothing is told of the time.
 */
async function countEvents(
  subject: SqlSubject,
  { until, ask }: { readonly until: string | undefined; readonly ask: Ask },
) {
  const byPerson = { upTo: 0, later: 0 };
  const byId = { upTo: 0, later: 0 };
  const times: (string | undefined)[] = [];
  for (const piece of piecesOf(subject)) {
    let date: string | undefined;
    const onTime = (time: string) => {
      date = time;
    };
    const figures =
      until === undefined
        ? 'count(), 0'
        : 'countIf(created_at <= toDateTime({moment})), countIf(created_at > toDateTime({moment}))';
    const values = { ...valuesOf(piece), ...(until === undefined ? {} : { moment: until }) };
    const sql = `SELECT ${figures}, toUnixTimestamp(now()) FROM events WHERE ${conditionOf(piece)}`;
    const rows = await ask(sql, values, onTime);
    const [row] = rows;
    if (rows.length !== 1 || row?.length !== 3)
      throw failedQuery('the query answered without two counts and a time');
    times.push(agreedTime(date, countOf(row[2]) * 1000));
    const count = piece.uuids.length > 0 ? byPerson : byId;
    count.upTo += countOf(row[0]);
    count.later += countOf(row[1]);
  }
  // Several questions find the same events by person and by distinct id.
  const upTo = Math.max(byPerson.upTo, byId.upTo);
  const serviceTime = times.includes(undefined) ? undefined : times[0];
  return { upTo, later: Math.max(byPerson.later, byId.later), serviceTime };
}

/** What the service's clock said with an answer, unless the clock of its database was ahead of that. */
function agreedTime(date: string | undefined, arrival: number): string | undefined {
  if (date === undefined) return new Date(arrival).toISOString();
  return arrival > Date.parse(date) + 999 ? undefined : date;
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

/**
 * Whom ids lead to, with all distinct ids of each, and somebody else as a control in the same answers. A person without a
 * row among the persons is none, whatever distinct ids still name them.
 */
function createLook(ask: Ask): Look {
  let bystander: string | undefined;
  const findBystander = async () => {
    const [row] = await ask('SELECT toString(min(id)), count() FROM persons', {});
    const isEmpty = row === undefined || countOf(row[1]) === 0;
    bystander = isEmpty ? undefined : textOf(row[0]).toLowerCase();
    return bystander;
  };
  const askPiece = async (ids: readonly AskedId[]): Promise<StoreAnswer> => {
    for (let tries = 0; ; tries += 1) {
      const known = tries === 0 ? bystander : await findBystander();
      const { owners, people, serviceTime } = await readPeople(ids, known, ask);
      const found = ids.flatMap((asked) => {
        const uuid = asked.kind === 'ids' ? asked.id.toLowerCase() : owners.get(asked.id);
        const person = people.get(uuid ?? '');
        return person === undefined ? [] : { asked, person };
      });
      const isEmpty = tries > 0 && known === undefined && people.size === 0;
      const control = isEmpty || (known !== undefined && people.has(known));
      if (control || found.length === ids.length || tries > 1)
        return { store: 'sql', asked: ids, controls: [control], found, serviceTime };
    }
  };
  return async (ids, { onProgress }) => {
    const answers: StoreAnswer[] = [];
    let done = 0;
    for (let from = 0; from < ids.length; from += sqlSize - 1) {
      const some = ids.slice(from, from + sqlSize - 1);
      answers.push(await askPiece(some));
      done += some.length;
      onProgress?.(done);
    }
    return answers;
  };
}

/** The owners of the distinct ids that are asked about, and these persons and those of the UUIDs, by UUID. */
async function readPeople(ids: readonly AskedId[], known: string | undefined, ask: Ask) {
  let serviceTime: string | undefined;
  const onTime = (time: string) => {
    serviceTime = time;
  };
  const distinctIds = ids.flatMap(({ kind, id }) => (kind === 'distinct-ids' ? id : []));
  const given = ids.flatMap(({ kind, id }) => (kind === 'ids' && isUuid(id) ? id.toLowerCase() : []));
  const ownersSql = `SELECT distinct_id, toString(person_id) FROM person_distinct_ids WHERE distinct_id IN {distinct_ids} LIMIT ${MOST_ROWS}`;
  const rows = distinctIds.length === 0 ? [] : await ask(ownersSql, { distinct_ids: distinctIds }, onTime);
  const owners = new Map(rows.map(([id, uuid]) => [textOf(id), textOf(uuid).toLowerCase()]));
  const wanted = new Set([...owners.values(), ...given]);
  const uuids = [...new Set([...wanted, ...(known === undefined ? [] : [known])])];
  if (uuids.length === 0) return { owners, people: new Map<string, KnownPerson>(), serviceTime };
  const personsSql = `SELECT toString(id), created_at FROM persons WHERE toString(id) IN {uuids} LIMIT ${MOST_ROWS}`;
  const created = new Map(
    (await ask(personsSql, { uuids }, onTime)).map(([uuid, at]) => [textOf(uuid).toLowerCase(), dateOf(at)]),
  );
  const there = [...created.keys()].filter((uuid) => wanted.has(uuid));
  const idsSql = `SELECT toString(person_id), groupArray(distinct_id) FROM person_distinct_ids WHERE toString(person_id) IN {uuids} GROUP BY person_id LIMIT ${MOST_ROWS}`;
  const named = there.length === 0 ? [] : await ask(idsSql, { uuids: there }, onTime);
  const all = new Map(named.map(([uuid, texts]) => [textOf(uuid).toLowerCase(), textsOf(texts)]));
  const people = new Map<string, KnownPerson>();
  for (const [uuid, createdAt] of created)
    people.set(uuid, { uuid, createdAt, distinctIds: all.get(uuid) ?? [] });
  return { owners, people, serviceTime };
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
