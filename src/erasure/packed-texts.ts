import { readUuid, uuidWords, writeUuid } from './packed-uuid.ts';

/** Many texts in the order they came, as bytes outside the heap: a million UUIDs take 32 MB instead of 150. */
export type PackedTexts = {
  readonly size: number;
  at(index: number): string;
};

export type PackedTextsBuilder = PackedTexts & {
  add(text: string): void;
  /** Adds a text that is not there yet; says whether it was new. */
  addNew(text: string): boolean;
  /** The same for a UUID in lower case; nothing is added, and nothing said, for any other text. */
  addNewUuid(text: string): boolean | undefined;
  /** Frees what only `addNew` needs, which must not be called any more. */
  finish(): void;
};

/**
 * Records of whole words, so that they are hashed and compared word by word: first the length in bytes, then the text,
 * filled up with zeros. A text has a segment of its own where it is longer than one.
 */
type Segment = { readonly words: Int32Array; readonly bytes: Buffer };

const segmentBits = 18;
const segmentWords = 1 << segmentBits;
/** A place is 32 bits, which reach so many segments. */
const mostSegments = 1 << (32 - segmentBits);
/** Places are kept in pieces, since a growing array leaves its smaller copies behind. */
const pieceBits = 16;
const pieceTexts = 1 << pieceBits;
/** Stands for the length of a UUID in lower case, kept as the number that its digits are. */
const uuidLength = -1;

type Store = {
  segments: Segment[];
  /** Words in the last segment that are taken. */
  used: number;
  /** Of each text: its segment and the word it begins with. */
  pieces: Uint32Array[];
  /** The last of them. */
  piece: Uint32Array;
  size: number;
  /** Numbers of texts, from 1, where their hash or a look along from there finds them. */
  table: Uint32Array;
};

/** Keeps texts exactly: two texts are the same only when all their bytes are. */
export function createPackedTexts(): PackedTextsBuilder {
  const store: Store = {
    segments: [],
    used: segmentWords,
    pieces: [],
    piece: new Uint32Array(0),
    size: 0,
    table: new Uint32Array(2048),
  };
  return {
    get size() {
      return store.size;
    },
    at: (index) => readText(store, index),
    add(text) {
      keep(store, writeRecord(store, text));
    },
    addNew: (text) => keepNew(store, writeRecord(store, text)),
    addNewUuid(text) {
      const words = writeUuidRecord(store, text);
      return words === 0 ? undefined : keepNew(store, words);
    },
    finish() {
      store.table = new Uint32Array(0);
    },
  };
}

/** Writes a record behind the last one, where it stays only if it is kept. Gives back its words. */
function writeRecord(store: Store, text: string): number {
  const uuid = writeUuidRecord(store, text);
  if (uuid > 0) return uuid;
  const { words, bytes } = room(store, 1 + Math.ceil((text.length * 3) / 4));
  const length = bytes.write(text, (store.used + 1) * 4);
  const start = (store.used + 1) * 4;
  words[store.used] = length;
  bytes.fill(0, start + length, start + wordsOf(length) * 4);
  return 1 + wordsOf(length);
}

/** The same for a UUID; 0 for any other text. */
function writeUuidRecord(store: Store, text: string): number {
  if (text.length !== 36) return 0;
  const { words } = room(store, 1 + uuidWords);
  words[store.used] = uuidLength;
  return writeUuid(text, words, store.used + 1) ? 1 + uuidWords : 0;
}

function lengthAt(words: Int32Array, start: number): number {
  return words[start] ?? 0;
}

function wordsOf(length: number): number {
  return length === uuidLength ? uuidWords : Math.ceil(length / 4);
}

function room(store: Store, most: number): Segment {
  const last = store.segments.at(-1);
  if (last !== undefined && store.used + most <= segmentWords) return last;
  if (store.segments.length === mostSegments) throw new RangeError('More text than can be kept');
  const words = new Int32Array(Math.max(segmentWords, most));
  const segment = { words, bytes: Buffer.from(words.buffer) };
  store.segments.push(segment);
  store.used = 0;
  return segment;
}

function keep(store: Store, words: number): void {
  const within = store.size & (pieceTexts - 1);
  if (within === 0) {
    store.piece = new Uint32Array(pieceTexts);
    store.pieces.push(store.piece);
  }
  store.piece[within] = (store.segments.length - 1) * segmentWords + store.used;
  store.used += words;
  store.size += 1;
}

function keepNew(store: Store, words: number): boolean {
  const segment = segmentOf(store, store.segments.length - 1);
  const mask = store.table.length - 1;
  let slot = hashOf(segment.words, store.used, words) & mask;
  for (let entry = store.table[slot]; entry; entry = store.table[slot]) {
    if (isSame(store, entry - 1, words)) return false;
    slot = (slot + 1) & mask;
  }
  keep(store, words);
  store.table[slot] = store.size;
  if (store.size * 2 > store.table.length) grow(store);
  return true;
}

/** Whether a text is the one written behind the last. Records begin with their length, so none is the beginning of another. */
function isSame(store: Store, index: number, words: number): boolean {
  const place = placeOf(store, index);
  const kept = segmentOf(store, place >>> segmentBits).words;
  const written = segmentOf(store, store.segments.length - 1).words;
  const start = place & (segmentWords - 1);
  for (let word = 0; word < words; word += 1) {
    if (kept[start + word] !== written[store.used + word]) return false;
  }
  return true;
}

function placeOf(store: Store, index: number): number {
  const place = store.pieces[index >>> pieceBits]?.[index & (pieceTexts - 1)];
  if (place === undefined || index < 0 || index >= store.size) throw new RangeError(`No text ${index}`);
  return place;
}

function segmentOf(store: Store, index: number): Segment {
  const segment = store.segments[index];
  if (segment === undefined) throw new RangeError(`No segment ${index}`);
  return segment;
}

function readText(store: Store, index: number): string {
  const place = placeOf(store, index);
  const { words, bytes } = segmentOf(store, place >>> segmentBits);
  const start = place & (segmentWords - 1);
  const length = lengthAt(words, start);
  if (length === uuidLength) return readUuid(words, start + 1);
  return bytes.toString('utf8', (start + 1) * 4, (start + 1) * 4 + length);
}

function grow(store: Store): void {
  const table = new Uint32Array(store.table.length * 2);
  const mask = table.length - 1;
  for (let index = 0; index < store.size; index += 1) {
    const place = placeOf(store, index);
    const { words } = segmentOf(store, place >>> segmentBits);
    const start = place & (segmentWords - 1);
    let slot = hashOf(words, start, 1 + wordsOf(lengthAt(words, start))) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = index + 1;
  }
  store.table = table;
}

/** Murmur's way of mixing words, and its end, after which the low bits depend on all others. */
function hashOf(words: Int32Array, start: number, count: number): number {
  let hash = 0;
  for (let word = start; word < start + count; word += 1) {
    hash = Math.imul(hash ^ Math.imul(words[word] ?? 0, 0xcc9e2d51), 0x1b873593);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
