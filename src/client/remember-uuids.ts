import { MINUS, QUOTE } from '../api/json-bytes.ts';

/** A UUID and the quotes around it. */
const QUOTED_LENGTH = 38;
const WORDS = 4;
const NOT_HEX = 255;

/** What each byte is worth as a lower-case hexadecimal digit. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte));
  return digit < 0 ? NOT_HEX : digit;
});

/** UUIDs as four numbers each, in a flat table with open addressing. */
type Table = { readonly words: Uint32Array; used: number; hasNil: boolean };

/** Remembers UUIDs, the last `generation` and up to as many more. */
export type Uuids = {
  /** Whether a UUID in lower or upper case came before. It must be one. */
  readonly text: (uuid: string) => boolean;
  /** The same for a lower-case one between quotes; undefined for any other bytes. */
  readonly bytes: (bytes: Uint8Array, from: number, to: number) => boolean | undefined;
};

/** In two generations of which the older is dropped. Both tables are used again, so that memory is what it is. */
export function rememberUuids(generation: number): Uuids {
  const slots = 2 ** Math.ceil(Math.log2(2 * generation));
  // All of it at once: what was never written to takes no memory.
  let present: Table = { words: new Uint32Array(slots * WORDS), used: 0, hasNil: false };
  let past: Table = { words: new Uint32Array(slots * WORDS), used: 0, hasNil: false };
  const words = new Uint32Array(WORDS);
  const seen = (): boolean => {
    const slot = find(present, words);
    if (slot < 0 || find(past, words) < 0) return true;
    if (present.used < generation) {
      put(present, words, slot);
      return false;
    }
    [past, present] = [present, past];
    present.words.fill(0);
    present.used = 0;
    present.hasNil = false;
    put(present, words, find(present, words));
    return false;
  };
  return {
    text: (uuid) => {
      const quoted = Buffer.from(`"${uuid.toLowerCase()}"`);
      readWords(quoted, 0, words);
      return seen();
    },
    bytes: (bytes, from, to) =>
      to - from === QUOTED_LENGTH && readWords(bytes, from, words) ? seen() : undefined,
  };
}

/** The place in the table where it may be put, -1 where it is in there. */
function find({ words, hasNil }: Table, wanted: Uint32Array): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = [wanted[0], wanted[1], wanted[2], wanted[3]];
  // Four zeros are a free place.
  if ((first | second | third | fourth) === 0) return hasNil ? -1 : 0;
  const last = words.length - WORDS;
  let at = (scatter(first, second, third, fourth) * WORDS) & last;
  for (;;) {
    const [one, two, three, four] = [words[at], words[at + 1], words[at + 2], words[at + 3]];
    if (one === first && two === second && three === third && four === fourth) return -1;
    if (one === 0 && two === 0 && three === 0 && four === 0) return at;
    at = (at + WORDS) & last;
  }
}

function put(table: Table, wanted: Uint32Array, at: number): void {
  table.used += 1;
  if (wanted.every((word) => word === 0)) table.hasNil = true;
  else table.words.set(wanted, at);
}

/** UUIDs that count upwards in two places at once must not fall onto few slots. */
function scatter(first: number, second: number, third: number, fourth: number): number {
  let hash = Math.imul(first ^ (first >>> 15), 0x2c1b3c6d) ^ second;
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39) ^ third;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ fourth;
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** Whether there is a lower-case UUID between quotes, whose words then are in `into`. */
function readWords(bytes: Uint8Array, from: number, into: Uint32Array): boolean {
  const hyphens = [bytes[from + 9], bytes[from + 14], bytes[from + 19], bytes[from + 24]];
  if (bytes[from] !== QUOTE || bytes[from + QUOTED_LENGTH - 1] !== QUOTE) return false;
  if (hyphens.some((byte) => byte !== MINUS)) return false;
  return (
    readHex(bytes, from + 1, into, 0) &&
    readHex(bytes, from + 5, into, 0) &&
    readHex(bytes, from + 10, into, 1) &&
    readHex(bytes, from + 15, into, 1) &&
    readHex(bytes, from + 20, into, 2) &&
    readHex(bytes, from + 25, into, 2) &&
    readHex(bytes, from + 29, into, 3) &&
    readHex(bytes, from + 33, into, 3)
  );
}

/** Moves four hexadecimal digits into a word. */
function readHex(bytes: Uint8Array, from: number, into: Uint32Array, word: number): boolean {
  const first = DIGITS[bytes[from] ?? 0] ?? NOT_HEX;
  const second = DIGITS[bytes[from + 1] ?? 0] ?? NOT_HEX;
  const third = DIGITS[bytes[from + 2] ?? 0] ?? NOT_HEX;
  const fourth = DIGITS[bytes[from + 3] ?? 0] ?? NOT_HEX;
  if ((first | second | third | fourth) > 15) return false;
  into[word] = ((into[word] ?? 0) << 16) | (first << 12) | (second << 8) | (third << 4) | fourth;
  return true;
}
