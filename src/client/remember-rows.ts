import type { Json } from '../api/json.ts';
import { asObject } from './parse-page.ts';
import type { Span } from './scan-page.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const QUOTE = '"'.charCodeAt(0);
/** A UUID and the quotes around it. */
const QUOTED_LENGTH = 38;
const HYPHENS = [9, 14, 19, 24];
const [HYPHEN, ZERO, NINE, LETTER_A, LETTER_F] = [0x2d, 0x30, 0x39, 0x61, 0x66];
const WORDS = 4;

/** Rows move by a few places while pages are read, so that what matters is near; memory stays bounded. */
const GENERATION = 2 ** 17;

/** Tells whether a row came before, by its uuid, else its id. A row with neither never did. */
export type SeenRows = {
  readonly row: (row: Json) => boolean;
  /** The same by the bytes of its uuid or id, as JSON between two positions. */
  readonly name: (bytes: Buffer, span: Span) => boolean;
};

/** Remembers the last 131,072 rows and up to as many more, in 8 MiB where they have UUIDs. */
export function rememberRows(generation = GENERATION): SeenRows {
  const uuids = inGenerations(createUuidSet, generation);
  const others = inGenerations(createTextSet, generation);
  const seen = (identity: Json | undefined): boolean => {
    if (identity === undefined || identity === null) return false;
    if (typeof identity === 'string' && UUID.test(identity)) return uuids(toWords(identity));
    const name =
      asObject(identity) === undefined && typeof identity === 'object'
        ? Reflect.get(identity, 'value')
        : identity;
    return others(`${typeof name} ${String(name)}`);
  };
  return {
    row: (row) => {
      const { uuid, id } = asObject(row) ?? {};
      return seen(typeof uuid === 'string' ? uuid : id);
    },
    name: (bytes, [from, to]) => {
      if (from === to) return false;
      const words = to - from === QUOTED_LENGTH ? wordsAt(bytes, from) : undefined;
      return words === undefined ? seen(JSON.parse(bytes.toString('utf8', from, to))) : uuids(words);
    },
  };
}

type Remembered<Name> = {
  readonly has: (name: Name) => boolean;
  readonly add: (name: Name) => void;
  readonly size: () => number;
};

/** Answers whether it was seen, and remembers it: in two generations, of which the older is dropped. */
function inGenerations<Name>(
  create: (generation: number) => Remembered<Name>,
  generation: number,
): (name: Name) => boolean {
  let present = create(generation);
  let past = create(generation);
  return (name) => {
    if (present.has(name) || past.has(name)) return true;
    if (present.size() >= generation) {
      past = present;
      present = create(generation);
    }
    present.add(name);
    return false;
  };
}

function createTextSet(): Remembered<string> {
  const set = new Set<string>();
  return { has: (id) => set.has(id), add: (id) => set.add(id), size: () => set.size };
}

type Words = readonly [number, number, number, number];

/** UUIDs as four numbers each in one flat table with open addressing, at most half full. */
function createUuidSet(generation: number): Remembered<Words> {
  const capacity = 2 ** Math.ceil(Math.log2(2 * generation));
  // All of it at once: what was never written to takes no memory, and a table that grows leaves its smaller ones behind.
  const table = new Uint32Array(capacity * WORDS);
  let used = 0;
  let hasNil = false;
  const place = (words: Words): number => {
    let slot = scatter(words) & (capacity - 1);
    while (!isFree(table, slot) && !holds(table, slot, words)) slot = (slot + 1) & (capacity - 1);
    return slot;
  };
  return {
    has: (words) => (isNil(words) ? hasNil : !isFree(table, place(words))),
    add: (words) => {
      if (isNil(words)) hasNil = true;
      else table.set(words, place(words) * WORDS);
      used += 1;
    },
    size: () => used,
  };
}

/** UUIDs that count upwards in two places at once must not fall onto few slots. */
function scatter([first, second, third, fourth]: Words): number {
  let hash = Math.imul(first ^ (first >>> 15), 0x2c1b3c6d) ^ second;
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39) ^ third;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ fourth;
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

function toWords(uuid: string): Words {
  return [
    Number.parseInt(uuid.slice(0, 8), 16),
    Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16),
    Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16),
    Number.parseInt(uuid.slice(28), 16),
  ];
}

/** A lower-case UUID between quotes; undefined for anything else. */
function wordsAt(bytes: Buffer, from: number): Words | undefined {
  if (bytes[from] !== QUOTE || HYPHENS.some((at) => bytes[from + at] !== HYPHEN)) return undefined;
  const words = [
    hexAt(bytes, from + 1, 8),
    hexAt(bytes, from + 10, 4) * 65536 + hexAt(bytes, from + 15, 4),
    hexAt(bytes, from + 20, 4) * 65536 + hexAt(bytes, from + 25, 4),
    hexAt(bytes, from + 29, 8),
  ] as const;
  return words.some(Number.isNaN) ? undefined : words;
}

/** So many hexadecimal digits as an unsigned number, NaN where they are not all that. */
function hexAt(bytes: Buffer, from: number, length: number): number {
  let value = 0;
  for (let at = from; at < from + length; at += 1) {
    const byte = bytes[at] ?? 0;
    const letter = byte >= LETTER_A && byte <= LETTER_F;
    if (!letter && (byte < ZERO || byte > NINE)) return Number.NaN;
    value = value * 16 + byte - (letter ? LETTER_A - 10 : ZERO);
  }
  return value;
}

function read(table: Uint32Array, slot: number): Words {
  const at = slot * WORDS;
  return [table[at] ?? 0, table[at + 1] ?? 0, table[at + 2] ?? 0, table[at + 3] ?? 0];
}

function isNil([first, second, third, fourth]: Words): boolean {
  return (first | second | third | fourth) === 0;
}

function isFree(table: Uint32Array, slot: number): boolean {
  return isNil(read(table, slot));
}

function holds(table: Uint32Array, slot: number, words: Words): boolean {
  const [first, second, third, fourth] = read(table, slot);
  return first === words[0] && second === words[1] && third === words[2] && fourth === words[3];
}
