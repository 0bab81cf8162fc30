import { uuidOf } from '../identifiers.ts';
import { type Store, textOf } from './open-store.ts';

/** Those of the UUIDs that somebody has. */
export async function takenUuids(store: Store, uuids: readonly string[]): Promise<Set<string>> {
  if (uuids.length === 0) return new Set();
  const rows = await store.rows(
    `select uuid from store.persons where uuid in (select unnest(from_json($1, '["VARCHAR"]')))`,
    [JSON.stringify(uuids)],
  );
  return new Set(rows.map((row) => textOf(row, 'uuid')));
}

/**
 * A UUID for each number. It is always the same one, unless somebody has it already, who came from another sandbox; nor
 * is it one of `reserved`.
 */
export async function makeUuids(
  store: Store,
  numbers: readonly bigint[],
  reserved: ReadonlySet<string> = new Set(),
): Promise<ReadonlyMap<bigint, string>> {
  const made = new Map<bigint, string>();
  let open = numbers;
  for (let round = 1; open.length > 0; round += 1) {
    const kind = round === 1 ? 'person' : `person, try ${round}`;
    const wishes = open.map((number) => ({ number, uuid: uuidOf(kind, number) }));
    const taken = await takenUuids(
      store,
      wishes.map(({ uuid }) => uuid),
    );
    const isFree = ({ uuid }: { readonly uuid: string }) => !taken.has(uuid) && !reserved.has(uuid);
    for (const wish of wishes.filter(isFree)) made.set(wish.number, wish.uuid);
    open = wishes.filter((wish) => !isFree(wish)).map(({ number }) => number);
  }
  return made;
}
