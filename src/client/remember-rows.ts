import { asObject, isExactNumber, type Json } from '../json/kinds.ts';
import { rememberUuids } from './remember-uuids.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Rows move by a few places while pages are read, so that what matters is near; memory stays bounded. */
const GENERATION = 2 ** 17;

/** Tells whether a row came before, by its uuid, else its id. A row with neither never did. */
export type SeenRows = {
  readonly row: (row: Json) => boolean;
  /** The same by the bytes of its uuid or id, as JSON between two positions. */
  readonly name: (bytes: Buffer, from: number, to: number) => boolean;
};

/** Remembers the last 131,072 rows and up to as many more, in 8 MiB where they have UUIDs. */
export function rememberRows(generation = GENERATION): SeenRows {
  const uuids = rememberUuids(generation);
  const others = rememberTexts(generation);
  const seen = (identity: Json | undefined): boolean => {
    if (typeof identity === 'string')
      return UUID.test(identity) ? uuids.text(identity) : others(`"${identity}`);
    if (typeof identity === 'number') return others(String(identity));
    return isExactNumber(identity) && others(identity.value);
  };
  // A number is known by its digits: as a JavaScript number it might be taken for its neighbour.
  const named = (json: string) => (/^-?\d/.test(json) ? others(json) : seen(JSON.parse(json)));
  return {
    row: (row) => seen(identityOf(row)),
    name: (bytes, from, to) => {
      if (from === to) return false;
      return uuids.bytes(bytes, from, to) ?? named(bytes.toString('utf8', from, to));
    },
  };
}

/** What a row is known by: its uuid where that is text, else its id. */
export function identityOf(row: Json): Json | undefined {
  const { uuid, id } = asObject(row) ?? {};
  return typeof uuid === 'string' ? uuid : id;
}

/** Answers whether it was seen, and remembers it: in two generations, of which the older is dropped. */
function rememberTexts(generation: number): (text: string) => boolean {
  let present = new Set<string>();
  let past = new Set<string>();
  return (text) => {
    if (present.has(text) || past.has(text)) return true;
    if (present.size >= generation) {
      past = present;
      present = new Set();
    }
    present.add(text);
    return false;
  };
}
