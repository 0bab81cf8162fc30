/** Most answers of 50,000 persons fit in. Memory that is not written to costs nothing. */
const FIRST_SIZE = 2 ** 23;
const LENGTH_BYTES = 4;
const NONE = -1;

/** The persons of a stretch and their distinct ids. */
export type DistinctIds = ReturnType<typeof keepDistinctIds>;

/** Keeps them as JSON in bytes, since many thousand short lists of texts take several times the room. */
export function keepDistinctIds() {
  const places = new Map<string, number>();
  let bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  let length = 0;
  return {
    /** A person of whom no distinct ids are known so far. */
    addPerson: (person: string): void => {
      places.set(person, NONE);
    },
    set: (person: string, ids: readonly string[]): void => {
      const text = JSON.stringify(ids);
      const size = LENGTH_BYTES + Buffer.byteLength(text);
      if (length + size > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(length + size, 2 * bytes.length));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      bytes.writeUInt32LE(size - LENGTH_BYTES, length);
      bytes.write(text, length + LENGTH_BYTES);
      places.set(person, length);
      length += size;
    },
    /** The ids of a person as JSON, undefined for a person who is not in here. */
    of: (person: string): string | undefined => {
      const place = places.get(person);
      if (place === undefined || place === NONE) return place === NONE ? '[]' : undefined;
      const start = place + LENGTH_BYTES;
      return bytes.toString('utf8', start, start + bytes.readUInt32LE(place));
    },
    /** The first person that was added. */
    first: (): string | undefined => places.keys().next().value,
  };
}
