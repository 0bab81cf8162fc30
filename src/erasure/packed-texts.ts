/** Many texts in the order they came, as bytes outside the heap: a million UUIDs take 40 MB instead of 150. */
export type PackedTexts = {
  readonly size: number;
  at(index: number): string;
};

export type PackedTextsBuilder = PackedTexts & {
  add(text: string): void;
  /** Adds a text that is not there yet; says whether it was new. */
  addNew(text: string): boolean;
  /** Frees what only `addNew` needs, which must not be called any more. */
  finish(): void;
};

const segmentBytes = 1 << 20;
const uuidBytes = 16;
const hyphen = 0x2d;
/** Stands for the length of a UUID in lower case, kept as the bytes that its digits are. */
const uuidLength = 0xffffffff;
/** Of each text: segment, offset, length, hash. In pieces, since a growing array leaves its smaller copies behind. */
const fields = 4;
const pieceTexts = 1 << 16;

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
      keep(store, place(store, text));
    },
    addNew(text) {
      const placed = place(store, text);
      const slot = findSlot(store, placed);
      if (store.table[slot] !== 0) return false;
      keep(store, placed);
      store.table[slot] = store.size;
      if (store.size * 2 > store.table.length) grow(store);
      return true;
    },
    finish() {
      store.table = new Uint32Array(0);
    },
  };
}

type Placed = {
  readonly segment: Buffer;
  readonly offset: number;
  readonly length: number;
  readonly hash: number;
};

/** Writes the bytes behind the last kept text; they stay only if `keep` is called. */
function place(store: Store, text: string): Placed {
  const most = text.length * 3;
  const last = store.segments.at(-1);
  const fits = last !== undefined && store.used + most <= last.length;
  const segment = fits ? last : Buffer.allocUnsafeSlow(Math.max(segmentBytes, most));
  if (!fits) {
    store.segments.push(segment);
    store.used = 0;
  }
  const offset = store.used;
  if (writeUuid(text, segment, offset)) {
    return { segment, offset, length: uuidLength, hash: hashOf(segment, offset, uuidBytes) };
  }
  const length = segment.write(text, offset, 'utf8');
  return { segment, offset, length, hash: hashOf(segment, offset, length) };
}

/** The bytes of a UUID in lower case; false, with anything behind `offset`, for every other text. */
function writeUuid(text: string, segment: Buffer, offset: number): boolean {
  if (text.length !== 36) return false;
  let position = offset;
  for (let index = 0; index < 36; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (text.charCodeAt(index) !== hyphen) return false;
      index += 1;
    }
    const byte = (digitOf(text.charCodeAt(index)) << 4) | digitOf(text.charCodeAt(index + 1));
    if (byte < 0) return false;
    segment[position] = byte;
    position += 1;
  }
  return position === offset + uuidBytes;
}

/** The value of a hexadecimal digit in lower case, below 0 for any other character. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}

function keep(store: Store, placed: Placed): void {
  const position = (store.size % pieceTexts) * fields;
  if (position === 0) store.pieces.push(new Uint32Array(pieceTexts * fields));
  const piece = store.pieces[store.pieces.length - 1];
  if (piece === undefined) throw new RangeError('No place for a text');
  piece[position] = store.segments.length - 1;
  piece[position + 1] = placed.offset;
  piece[position + 2] = placed.length;
  piece[position + 3] = placed.hash;
  store.used += bytesOf(placed.length);
  store.size += 1;
}

function field(store: Store, index: number, number: number): number {
  return store.pieces[Math.floor(index / pieceTexts)]?.[(index % pieceTexts) * fields + number] ?? 0;
}

function bytesAt(store: Store, index: number): Buffer {
  const segment = store.segments[field(store, index, 0)];
  if (index < 0 || index >= store.size || segment === undefined) throw new RangeError(`No text ${index}`);
  return segment;
}

function readText(store: Store, index: number): string {
  const offset = field(store, index, 1);
  const length = field(store, index, 2);
  if (length !== uuidLength) return bytesAt(store, index).toString('utf8', offset, offset + length);
  const digits = bytesAt(store, index).toString('hex', offset, offset + uuidBytes);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20)];
  return `${parts.join('-')}-${digits.slice(20)}`;
}

function bytesOf(length: number): number {
  return length === uuidLength ? uuidBytes : length;
}

function findSlot(store: Store, placed: Placed): number {
  const mask = store.table.length - 1;
  let slot = placed.hash & mask;
  for (;;) {
    const entry = store.table[slot] ?? 0;
    if (entry === 0 || isSame(store, entry - 1, placed)) return slot;
    slot = (slot + 1) & mask;
  }
}

function isSame(store: Store, index: number, placed: Placed): boolean {
  if (field(store, index, 3) !== placed.hash || field(store, index, 2) !== placed.length) return false;
  const offset = field(store, index, 1);
  const bytes = bytesOf(placed.length);
  const end = placed.offset + bytes;
  return bytesAt(store, index).compare(placed.segment, placed.offset, end, offset, offset + bytes) === 0;
}

function grow(store: Store): void {
  const table = new Uint32Array(store.table.length * 2);
  const mask = table.length - 1;
  for (let index = 0; index < store.size; index += 1) {
    let slot = field(store, index, 3) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = index + 1;
  }
  store.table = table;
}

/** FNV-1a, as an unsigned 32-bit number. */
function hashOf(bytes: Buffer, offset: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let position = offset; position < offset + length; position += 1) {
    hash = Math.imul(hash ^ (bytes[position] ?? 0), 0x01000193);
  }
  return hash >>> 0;
}
