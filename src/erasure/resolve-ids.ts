import type { IdList } from './collect-ids.ts';
import type { Entry, KnownPerson } from './entries.ts';
import { isSendable } from './entries.ts';
import type { IdKind } from './ids.ts';

/** A person that a look-up found, by the id that was asked for. `createdAt` is an ISO date as the service writes it. */
export type LookedUp = KnownPerson & { readonly id: string; readonly createdAt?: string | undefined };

/** Asks the service who exists. At most 200 ids a call; whoever is not in the answer does not exist. */
export type LookUp = (batch: {
  readonly kind: IdKind;
  readonly ids: readonly string[];
}) => Promise<readonly LookedUp[]>;

/** Whom each id of a list belongs to, by its position. */
export type Resolution = {
  readonly found: number;
  readonly nobody: number;
  readonly at: (index: number) => KnownPerson | null;
};

/** The ids of one kind that a run is about, with whom they belong to if that was looked up. */
export type People = { readonly list: IdList; readonly resolution?: Resolution | undefined };

/** What one look-up call takes. */
export const lookUpSize = 200;

/** Gathers people in the order of their ids, null where an id belongs to nobody. */
export function createResolution(): Resolution & { readonly add: (person: KnownPerson | null) => void } {
  // As JSON, which takes a third of the memory that a million objects take.
  const texts: string[] = [];
  let found = 0;
  return {
    get found() {
      return found;
    },
    get nobody() {
      return texts.length - found;
    },
    // Cast: `add` below is the only writer of these texts.
    at: (index) => JSON.parse(texts[index] ?? 'null') as KnownPerson | null,
    add(person) {
      if (person !== null) found += 1;
      texts.push(JSON.stringify(person && { uuid: person.uuid, distinctIds: person.distinctIds }));
    },
  };
}

/** Looks every id up, 200 at a time. Throws what the look-up throws. */
export async function resolveIds(
  list: IdList,
  { lookUp, onProgress }: { readonly lookUp: LookUp; readonly onProgress?: (done: number) => void },
): Promise<Resolution> {
  const resolution = createResolution();
  for (let from = 0; from < list.ids.length; from += lookUpSize) {
    const ids = list.ids.slice(from, from + lookUpSize);
    const found = new Map((await lookUp({ kind: list.kind, ids })).map((person) => [person.id, person]));
    for (const id of ids) resolution.add(found.get(id) ?? null);
    onProgress?.(from + ids.length);
  }
  return resolution;
}

/** The ids of a run in the order they are sent; the ones that cannot be sent come last. */
export function* listEntries(people: readonly People[]): Generator<Entry> {
  for (const sendable of [true, false]) {
    for (const one of people) {
      if (!sendable && (one.resolution === undefined || one.list.kind !== 'ids')) continue;
      for (const [index, id] of one.list.ids.entries()) {
        const entry = toEntry(one, id, index);
        if (isSendable(entry) === sendable) yield entry;
      }
    }
  }
}

function toEntry({ list: { kind }, resolution }: People, id: string, index: number): Entry {
  return resolution === undefined ? { kind, id } : { kind, id, person: resolution.at(index) };
}
