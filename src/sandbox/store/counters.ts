import { integerOf, type Store } from './open-store.ts';

export type CounterName = 'person' | 'event' | 'activity' | 'event deletion' | 'insight' | 'dashboard tile';

/** Takes `count` numbers that were never given out before, and answers the first. */
export async function takeNumbers(store: Store, name: CounterName, count = 1): Promise<bigint> {
  const first = await nextNumber(store, name);
  await raise(store, name, first + BigInt(count) - 1n);
  return first;
}

/** Makes sure that numbers up to `value` are not given out. */
export async function reserveNumbers(store: Store, name: CounterName, value: bigint): Promise<void> {
  if (value >= (await nextNumber(store, name))) await raise(store, name, value);
}

/** The number that would be given out next. */
export async function nextNumber(store: Store, name: CounterName): Promise<bigint> {
  const [row] = await store.rows('select value from store.counters where name = $1', [name]);
  return integerOf(row, 'value') + 1n;
}

async function raise(store: Store, name: CounterName, value: bigint): Promise<void> {
  await store.run('delete from store.counters where name = $1', [name]);
  await store.run('insert into store.counters values ($1, $2)', [name, value]);
}
