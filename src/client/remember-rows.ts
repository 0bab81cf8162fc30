import type { Json } from '../api/json.ts';
import { asObject } from './parse-page.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const WORDS = 4;

/** Rows move by a few places while pages are read, so that what matters is near; memory stays bounded. */
const GENERATION = 2 ** 19;

/** Tells whether a row came before, by its uuid, else its id. A row with neither never did. */
export type SeenRows = (row: Json) => boolean;

/** Remembers the last half to one million rows, 16 to 32 bytes for each UUID. */
export function rememberRows(generation = GENERATION): SeenRows {
  const uuids = inGenerations(createUuidSet, generation);
  const others = inGenerations(createTextSet, generation);
  return (row) => {
    const { uuid, id } = asObject(row) ?? {};
    const identity = typeof uuid === 'string' ? uuid : id;
    if (identity === undefined || identity === null) return false;
    if (typeof identity === 'string' && UUID.test(identity)) return uuids(identity);
    const name =
      asObject(identity) === undefined && typeof identity === 'object'
        ? Reflect.get(identity, 'value')
        : identity;
    return others(`${typeof name} ${String(name)}`);
  };
}

type Remembered = {
  readonly has: (id: string) => boolean;
  readonly add: (id: string) => void;
  readonly size: () => number;
};

/** Answers whether it was seen, and remembers it: in two generations, of which the older is dropped. */
function inGenerations(create: () => Remembered, generation: number): (id: string) => boolean {
  let present = create();
  let past = create();
  return (id) => {
    if (present.has(id) || past.has(id)) return true;
    if (present.size() >= generation) {
      past = present;
      present = create();
    }
    present.add(id);
    return false;
  };
}

function createTextSet(): Remembered {
  const set = new Set<string>();
  return { has: (id) => set.has(id), add: (id) => set.add(id), size: () => set.size };
}

/** UUIDs as four numbers each in one flat table with open addressing, at most half full. */
function createUuidSet(): Remembered {
  let capacity = 1024;
  let table = new Uint32Array(capacity * WORDS);
  let used = 0;
  let hasNil = false;
  const place = (words: Words): number => {
    let slot = (words[0] ^ words[1] ^ words[2] ^ words[3]) & (capacity - 1);
    while (!isFree(table, slot) && !holds(table, slot, words)) slot = (slot + 1) & (capacity - 1);
    return slot;
  };
  const grow = (): void => {
    const old = table;
    capacity *= 2;
    table = new Uint32Array(capacity * WORDS);
    for (let slot = 0; slot < old.length / WORDS; slot += 1) {
      const words = read(old, slot);
      if (!isNil(words)) table.set(words, place(words) * WORDS);
    }
  };
  return {
    has: (id) => {
      const words = toWords(id);
      return isNil(words) ? hasNil : !isFree(table, place(words));
    },
    add: (id) => {
      const words = toWords(id);
      if (isNil(words)) hasNil = true;
      else table.set(words, place(words) * WORDS);
      used += 1;
      if (used * 2 > capacity) grow();
    },
    size: () => used,
  };
}

type Words = readonly [number, number, number, number];

function toWords(uuid: string): Words {
  return [
    Number.parseInt(uuid.slice(0, 8), 16),
    Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16),
    Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16),
    Number.parseInt(uuid.slice(28), 16),
  ];
}

function read(table: Uint32Array, slot: number): Words {
  const at = (word: number): number => table[slot * WORDS + word] ?? 0;
  return [at(0), at(1), at(2), at(3)];
}

function isNil(words: Words): boolean {
  return words.every((word) => word === 0);
}

function isFree(table: Uint32Array, slot: number): boolean {
  return isNil(read(table, slot));
}

function holds(table: Uint32Array, slot: number, words: Words): boolean {
  return read(table, slot).every((word, index) => word === words[index]);
}
