import type { JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import { type Moment, nextEventDeletion } from '../operator.ts';
import { countRows, integerOf, type Store, textOf } from './open-store.ts';
import type { StoredPerson } from './persons.ts';
import { nextNumber, takeNumbers } from './state.ts';

/** Appends an event of a person, captured now under its first distinct id. */
export async function captureEvent(
  store: Store,
  person: StoredPerson,
  captured: { readonly event: string; readonly properties: JsonObject; readonly now: Moment },
): Promise<void> {
  await store.run('insert into store.events values ($1, $2, $3, $4, make_timestamp($5::bigint), $6)', [
    await takeNumbers(store, 'event'),
    captured.event,
    person.distinctIds[0] ?? '',
    person.id,
    captured.now,
    writeJson(captured.properties),
  ]);
}

/** How many events a person has between two moments, the first included. */
export async function countEvents(
  store: Store,
  person: StoredPerson,
  range: { readonly from: Moment; readonly to: Moment },
): Promise<number> {
  return countRows(
    store,
    `store.events where person_id = $1
     and timestamp >= make_timestamp($2::bigint) and timestamp < make_timestamp($3::bigint)`,
    [person.id, range.from, range.to],
  );
}

type EventDeletion = {
  readonly personUuid: string;
  readonly createdAt: Moment;
  readonly completedAt: Moment | undefined;
};

/** Queues the deletion of all events that these persons have now, for the coming Sunday 05:00 UTC. */
export async function queueEventDeletions(
  store: Store,
  persons: readonly StoredPerson[],
  now: Moment,
): Promise<void> {
  const last = (await nextNumber(store, 'event')) - 1n;
  const first = await takeNumbers(store, 'event deletion', persons.length);
  const due = nextEventDeletion(now);
  const rows = persons.map(({ id, uuid }, index) => [first + BigInt(index), id, uuid, now, due, last, null]);
  await store.append('event_deletions', rows);
}

/** Carries out what is due by `now`; answers how many requests that were. */
export async function runEventDeletions(store: Store, now: Moment): Promise<number> {
  const due = 'd.completed_at is null and d.due_at <= make_timestamp($1::bigint)';
  const count = await countRows(store, `store.event_deletions d where ${due}`, [now]);
  await store.run(
    `delete from store.events e using store.event_deletions d
     where e.person_id = d.person_id and e.id <= d.last_event_id and ${due}`,
    [now],
  );
  await store.run(`update store.event_deletions d set completed_at = d.due_at where ${due}`, [now]);
  return count;
}

/** Requests for event deletion, newest first, with how many there are in all. */
export async function selectEventDeletions(
  store: Store,
  which: {
    readonly state: 'pending' | 'completed' | 'all';
    readonly personUuid: string | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<{ readonly total: number; readonly requests: readonly EventDeletion[] }> {
  const condition = `($1 = 'all' or ($1 = 'completed') = (completed_at is not null))
    and ($2::varchar is null or person_uuid = $2::varchar)`;
  const values = [which.state, which.personUuid ?? null];
  const rows = await store.rows(
    `select person_uuid, epoch_us(created_at) as created_at, epoch_us(completed_at) as completed_at
     from store.event_deletions where ${condition}
     order by created_at desc, id desc limit ${which.limit} offset ${which.offset}`,
    values,
  );
  return {
    total: await countRows(store, `store.event_deletions where ${condition}`, values),
    requests: rows.map((row) => ({
      personUuid: textOf(row, 'person_uuid'),
      createdAt: integerOf(row, 'created_at'),
      completedAt: row.completed_at === null ? undefined : integerOf(row, 'completed_at'),
    })),
  };
}
