import type { JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import type { Moment } from '../clock.ts';
import { nextNumber, takeNumbers } from './counters.ts';
import { integerOf, type Store } from './open-store.ts';
import type { StoredPerson } from './persons.ts';

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

/** The number of the event captured last, 0 without any. */
export async function lastEventId(store: Store): Promise<bigint> {
  return (await nextNumber(store, 'event')) - 1n;
}

/** How many events a person has between two moments, the first included. */
export async function countEvents(
  store: Store,
  person: StoredPerson,
  range: { readonly from: Moment; readonly to: Moment },
): Promise<number> {
  const [row] = await store.rows(
    `select count(*) as total from store.events where person_id = $1
     and timestamp >= make_timestamp($2::bigint) and timestamp < make_timestamp($3::bigint)`,
    [person.id, range.from, range.to],
  );
  return Number(integerOf(row, 'total'));
}
