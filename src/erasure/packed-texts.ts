import { readUuid, uuidBytes, writeUuid } from './packed-uuid.ts';

/** Many texts in the order they came, as bytes outside the heap: a million UUIDs take 29 MB instead of 150. */
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

const segmentBits = 20;
const segmentBytes = 1 << segmentBits;
/** A text's place is 32 bits, which reach so many segments. */
const mostSegments = 1 << (32 - segmentBits);
/** Places are kept in pieces, since a growing array leaves its smaller copies behind. */
const pieceBits = 16;
const pieceTexts = 1 << pieceBits;
/** A record begins with its length where that fits into a byte, or with one of these: four bytes of length follow, or a UUID. */
const longMark = 0xfe;
const uuidMark = 0xff;
const longHeader = 5;

type Store = {
  segments: Buffer[];
  used: number;
  pieces: Uint32Array[];
  size: number;
  table: Uint32Array;
};

/** Keeps texts exactly: two texts are the same only when all their bytes are. */
export function createPackedTexts(): PackedTextsBuilder {
  const store: Store = {
    segments: [],
    used: segmentBytes,
    pieces: [],
    size: 0,
    table: new Uint32Array(2048),
  };
  return {
    get size() {
      return store.size;
    },
    at: (index) => readText(store, index),
    add(text) {
      keep(store, placeUuid(store, text) ?? placeText(store, text));
    },
    addNew: (text) => addNew(store, placeUuid(store, text) ?? placeText(store, text)),
    addNewUuid(text) {
      const placed = placeUuid(store, text);
      return placed === undefined ? undefined : addNew(store, placed);
    },
    finish() {
      store.table = new Uint32Array(0);
    },
  };
}

/** The end of a record that was written behind the last one; it stays only if `keep` is called. */
type Placed = number;

function placeUuid(store: Store, text: string): Placed | undefined {
  if (text.length !== 36) return undefined;
  const segment = room(store, 1 + uuidBytes);
  segment[store.used] = uuidMark;
  return writeUuid(text, segment, store.used + 1) ? store.used + 1 + uuidBytes : undefined;
}

function placeText(store: Store, text: string): Placed {
  const segment = room(store, longHeader + text.length * 3);
  const length = Buffer.byteLength(text);
  const isLong = length >= longMark;
  segment[store.used] = isLong ? longMark : length;
  if (isLong) segment.writeUInt32LE(length, store.used + 1);
  const start = store.used + (isLong ? longHeader : 1);
  return start + segment.write(text, start, 'utf8');
}

/** The segment that the next record is written to. A long text has one of its own, where no other begins. */
function room(store: Store, most: number): Buffer {
  const last = store.segments.at(-1);
  if (last !== undefined && store.used + most <= segmentBytes) return last;
  if (store.segments.length === mostSegments) throw new RangeError('More text than can be kept');
  const segment = Buffer.allocUnsafeSlow(Math.max(segmentBytes, most));
  store.segments.push(segment);
  store.used = 0;
  return segment;
}

function keep(store: Store, end: Placed): void {
  const within = store.size & (pieceTexts - 1);
  if (within === 0) store.pieces.push(new Uint32Array(pieceTexts));
  const piece = store.pieces[store.pieces.length - 1];
  if (piece === undefined) throw new RangeError('No place for a text');
  piece[within] = (store.segments.length - 1) * segmentBytes + store.used;
  store.used = end;
  store.size += 1;
}

function addNew(store: Store, end: Placed): boolean {
  const slot = findSlot(store, end);
  if (store.table[slot] !== 0) return false;
  keep(store, end);
  store.table[slot] = store.size;
  if (store.size * 2 > store.table.length) grow(store);
  return true;
}

type Record = { readonly segment: Buffer; readonly start: number };

function recordAt(store: Store, index: number): Record {
  const place = store.pieces[index >>> pieceBits]?.[index & (pieceTexts - 1)] ?? 0;
  const segment = store.segments[place >>> segmentBits];
  if (index < 0 || index >= store.size || segment === undefined) throw new RangeError(`No text ${index}`);
  return { segment, start: place & (segmentBytes - 1) };
}

function readText(store: Store, index: number): string {
  const { segment, start } = recordAt(store, index);
  const mark = segment[start] ?? 0;
  if (mark === uuidMark) return readUuid(segment, start + 1);
  const from = start + (mark === longMark ? longHeader : 1);
  return segment.toString('utf8', from, endOf(segment, start));
}

function endOf(segment: Buffer, start: number): number {
  const mark = segment[start] ?? 0;
  if (mark === uuidMark) return start + 1 + uuidBytes;
  return mark === longMark ? start + longHeader + segment.readUInt32LE(start + 1) : start + 1 + mark;
}

function findSlot(store: Store, end: Placed): number {
  const segment = store.segments[store.segments.length - 1];
  if (segment === undefined) throw new RangeError('No place for a text');
  const mask = store.table.length - 1;
  let slot = hashOf(segment, store.used, end) & mask;
  for (;;) {
    const entry = store.table[slot] ?? 0;
    if (entry === 0 || isSame(recordAt(store, entry - 1), segment, store.used, end)) return slot;
    slot = (slot + 1) & mask;
  }
}

/** Records begin with their length, so one is never the beginning of another. */
function isSame(kept: Record, segment: Buffer, start: number, end: number): boolean {
  const shift = kept.start - start;
  for (let position = start; position < end; position += 1) {
    if (kept.segment[position + shift] !== segment[position]) return false;
  }
  return true;
}

function grow(store: Store): void {
  const table = new Uint32Array(store.table.length * 2);
  const mask = table.length - 1;
  for (let index = 0; index < store.size; index += 1) {
    const { segment, start } = recordAt(store, index);
    let slot = hashOf(segment, start, endOf(segment, start)) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = index + 1;
  }
  store.table = table;
}

/** FNV-1a, with its high bits mixed into the low ones. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let position = start; position < end; position += 1) {
    hash = Math.imul(hash ^ (bytes[position] ?? 0), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
