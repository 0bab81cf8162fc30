/** Holds most answers of 50,000 persons. Memory that is not written to costs nothing. */
const FIRST_SIZE = 2 ** 23;
const FIRST_SLOTS = 2 ** 17;

/** Before the bytes of a person's id: where the JSON of the distinct ids stands, and how long the id is. */
const HEAD = 5;
const LONGEST_ID = 255;
const LENGTH_BYTES = 4;

/** The persons of a stretch and their distinct ids. */
export type DistinctIds = ReturnType<typeof keepDistinctIds>;

type Table = {
  bytes: Buffer;
  length: number;
  /** Open addressing by the ids of persons: where the bytes of a person begin, more by one. */
  slots: Uint32Array;
  persons: number;
};

/**
 * Keeps persons and their distinct ids in bytes that are used again after each `clear`: as many thousand short texts
 * they take several times the room.
 */
export function keepDistinctIds() {
  const table: Table = {
    ...{ bytes: Buffer.allocUnsafeSlow(FIRST_SIZE), length: 0 },
    ...{ slots: new Uint32Array(FIRST_SLOTS), persons: 0 },
  };
  /** Ids that are no short text of ASCII; no service is known to have them. */
  const odd = new Map<string, string>();
  return {
    clear: (): void => {
      table.slots.fill(0);
      table.length = 0;
      table.persons = 0;
      odd.clear();
    },
    /** A person of whom no distinct ids are known so far. */
    addPerson: (person: string): void => {
      if (isPlain(person)) addPlain(table, person);
      else odd.set(person, '[]');
    },
    /** The distinct ids of a person that was added; of others nothing is kept. */
    set: (person: string, ids: readonly string[]): void => {
      const text = JSON.stringify(ids);
      if (odd.has(person)) odd.set(person, text);
      else setPlain(table, person, text);
    },
    /** The distinct ids of a person as JSON, undefined for a person that was not added. */
    of: (person: string): string | undefined => odd.get(person) ?? plainOf(table, person),
  };
}

function isPlain(person: string): boolean {
  return person.length <= LONGEST_ID && /^[\x20-\x7e]*$/.test(person);
}

function addPlain(table: Table, person: string): void {
  if (table.persons * 2 >= table.slots.length) enlargeSlots(table);
  const slot = slotOf(table, person);
  if (table.slots[slot] !== 0) return;
  reserve(table, HEAD + person.length);
  const { bytes, length } = table;
  bytes.writeUInt32LE(0, length);
  bytes[length + LENGTH_BYTES] = person.length;
  bytes.write(person, length + HEAD, 'latin1');
  table.slots[slot] = length + 1;
  table.length += HEAD + person.length;
  table.persons += 1;
}

function setPlain(table: Table, person: string, text: string): void {
  const place = table.slots[slotOf(table, person)] ?? 0;
  if (place === 0) return;
  const size = Buffer.byteLength(text);
  reserve(table, LENGTH_BYTES + size);
  const { bytes, length } = table;
  bytes.writeUInt32LE(length, place - 1);
  bytes.writeUInt32LE(size, length);
  bytes.write(text, length + LENGTH_BYTES);
  table.length += LENGTH_BYTES + size;
}

function plainOf(table: Table, person: string): string | undefined {
  const { bytes, slots } = table;
  const place = slots[slotOf(table, person)] ?? 0;
  if (place === 0) return undefined;
  const text = bytes.readUInt32LE(place - 1);
  // A person stands before any list.
  if (text === 0) return '[]';
  const start = text + LENGTH_BYTES;
  return bytes.toString('utf8', start, start + bytes.readUInt32LE(text));
}

/** The slot of a person, or the free one where it would be. */
function slotOf({ bytes, slots }: Table, person: string): number {
  let slot = hashOf(person) & (slots.length - 1);
  for (let place = slots[slot] ?? 0; place !== 0; place = slots[slot] ?? 0) {
    if (isPersonAt(bytes, place - 1, person)) break;
    slot = (slot + 1) & (slots.length - 1);
  }
  return slot;
}

function isPersonAt(bytes: Buffer, place: number, person: string): boolean {
  if (bytes[place + LENGTH_BYTES] !== person.length) return false;
  for (let index = person.length - 1; index >= 0; index -= 1) {
    if (bytes[place + HEAD + index] !== person.charCodeAt(index)) return false;
  }
  return true;
}

function hashOf(person: string): number {
  let hash = 0;
  for (let index = 0; index < person.length; index += 1) {
    hash = Math.imul(hash ^ person.charCodeAt(index), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}

function reserve(table: Table, more: number): void {
  if (table.length + more <= table.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(table.length + more, 2 * table.bytes.length));
  table.bytes.copy(larger, 0, 0, table.length);
  table.bytes = larger;
}

function enlargeSlots(table: Table): void {
  const places = table.slots.filter((place) => place !== 0);
  table.slots = new Uint32Array(2 * table.slots.length);
  for (const place of places) {
    const length = table.bytes[place - 1 + LENGTH_BYTES] ?? 0;
    const start = place - 1 + HEAD;
    table.slots[slotOf(table, table.bytes.toString('latin1', start, start + length))] = place;
  }
}
