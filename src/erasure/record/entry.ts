import type { IdKind } from '../input/checks.ts';
import type { KnownPerson, People } from '../input/given.ts';
/** One id of a run. `person` is absent without a look-up, and null if the service knew no person by this id. */
export type Entry = {
  readonly kind: IdKind;
  readonly id: string;
  readonly person?: KnownPerson | null;
};

/** The id that goes over the wire: that of the person as soon as the plan resolved one, so that only they are hit. */
export function idToSend({ id, person }: Entry): string {
  return person ? (person.sendAs ?? person.uuid) : id;
}

/** The id by which somebody is looked for: as it was given, since another person may have it by now. */
export function askedAs(entry: Entry): string {
  return entry.kind === 'ids' ? idToSend(entry) : entry.id;
}

/** Who is not there cannot be sent: somebody else may come to have the id later. */
function isSendable({ person }: Entry): boolean {
  return person !== null;
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

/** How many ids of each list are sent. */
export function countSent(people: readonly People[]): readonly number[] {
  const counts = people.map(() => 0);
  for (const { at, isSent } of arrange(people)) if (isSent) counts[at] = (counts[at] ?? 0) + 1;
  return counts;
}

function* arrange(people: readonly People[]) {
  const persons = new Set<string>();
  for (const [at, { list, resolution }] of people.entries()) {
    for (const [index, id] of list.ids.entries()) {
      const entry: Entry =
        resolution === undefined
          ? { kind: list.kind, id }
          : { kind: list.kind, id, person: resolution.at(index) };
      const uuid = entry.person?.uuid.toLowerCase();
      yield { at, entry, isSent: isSendable(entry) && (uuid === undefined || !persons.has(uuid)) };
      if (uuid !== undefined) persons.add(uuid);
    }
  }
}
