import type { IdKind } from '../input/checks.ts';
import type { KnownPerson, People } from '../input/given.ts';

/** One id of a run, and its person; null if the service knew no person by this id. */
export type Entry = { readonly kind: IdKind; readonly id: string; readonly person: KnownPerson | null };

/** The id that goes over the wire: that of the person whom the plan found, so that only they are hit. */
export function idToSend({ id, person }: Entry): string {
  return person?.sendAs ?? person?.uuid ?? id;
}

/** The id by which somebody is looked for: as it was given, since another person may have it by now. */
export function askedAs(entry: Entry): string {
  return entry.kind === 'ids' ? idToSend(entry) : entry.id;
}

/**
 * The ids of a run in the order they are sent. Those that are not sent come last: ids without a person, and further
 * ids of a person who is sent once already.
 */
export function* listEntries(people: readonly People[]): Generator<Entry> {
  for (const isWanted of [true, false]) {
    for (const { entry, isSent } of arrange(people)) if (isSent === isWanted) yield entry;
  }
}

/** How many persons the ids belong to: each is sent once. */
export function countSent(people: readonly People[]): number {
  let count = 0;
  for (const { isSent } of arrange(people)) if (isSent) count += 1;
  return count;
}

function* arrange(people: readonly People[]) {
  const persons = new Set<string>();
  for (const { list, resolution } of people) {
    for (const [index, id] of list.ids.entries()) {
      const entry: Entry = { kind: list.kind, id, person: resolution.at(index) };
      const uuid = entry.person?.uuid.toLowerCase();
      yield { entry, isSent: uuid !== undefined && !persons.has(uuid) };
      if (uuid !== undefined) persons.add(uuid);
    }
  }
}
