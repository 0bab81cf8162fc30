import type { Entry } from './entries.ts';
import { isInteger } from './ids.ts';
import type { EventsCheck } from './journal.ts';
import { lookUpSize } from './resolve-ids.ts';
import type { RunRecord } from './run.ts';
import { type Part, partsOf } from './run-state.ts';

/** What the service shows of the deletion of one person's events. */
type EventDeletion = { readonly uuid: string; readonly completed: boolean };

export type EventDeletions = {
  /** Those of at most 200 persons; whoever is not in the answer is not shown. */
  readonly find: (uuids: readonly string[]) => Promise<readonly EventDeletion[]>;
  /** All that the service shows. */
  readonly list: () => Promise<readonly EventDeletion[]>;
};

/**
 * Counts the persons of a run by what the service shows of their events. Where an id was given again, its person is gone
 * and cannot be looked up; the record knows that person by HMAC, and so it is found among all that the service shows.
 */
export async function countEvents(run: RunRecord, deletions: EventDeletions): Promise<EventsCheck> {
  const count = { completed: 0, pending: 0, unconfirmed: 0, unresolved: 0 };
  const findMembers = once(async () => {
    const all = await deletions.list();
    return new Map(all.map(({ uuid, completed }) => [run.memberOf('ids', uuid), completed]));
  });
  const tell = (completed: boolean | undefined, otherwise: 'unconfirmed' | 'unresolved') => {
    if (completed === undefined) count[otherwise] += 1;
    else if (completed) count.completed += 1;
    else count.pending += 1;
  };
  for (const part of partsOf(run.state())) {
    for (const entries of chunksOf(run, part)) {
      const uuids = new Set(entries.flatMap(({ person }) => person?.uuid.toLowerCase() ?? []));
      const members = new Set(entries.flatMap(({ personMember }) => personMember ?? []));
      const guesses = new Set(entries.flatMap((entry) => uuidOf(entry) ?? []));
      const shown = await findByUuid([...uuids, ...guesses], deletions);
      for (const uuid of uuids) tell(shown.get(uuid), 'unconfirmed');
      // Nobody looked whether there was such a person, so that nothing shown proves nothing.
      for (const uuid of guesses) tell(shown.get(uuid), 'unresolved');
      for (const member of members) tell((await findMembers()).get(member), 'unconfirmed');
      count.unresolved += entries.filter(isUnknown).length;
    }
  }
  return count;
}

/** The ids of a part, as many at a time as a look-up takes. */
export function* chunksOf(run: RunRecord, part: Part): Generator<readonly Entry[]> {
  for (let from = 0; from < part.count; from += lookUpSize) {
    yield run.entries(part.from + from, Math.min(lookUpSize, part.count - from));
  }
}

async function findByUuid(
  uuids: readonly string[],
  { find }: EventDeletions,
): Promise<ReadonlyMap<string, boolean>> {
  if (uuids.length === 0) return new Map();
  return new Map((await find(uuids)).map(({ uuid, completed }) => [uuid.toLowerCase(), completed]));
}

/** A person id that nobody looked up is the uuid already, unless it is an integer. */
function uuidOf({ kind, id, person, personMember }: Entry): string | undefined {
  if (person !== undefined || personMember !== undefined) return undefined;
  return kind === 'ids' && !isInteger(id) ? id.toLowerCase() : undefined;
}

function isUnknown(entry: Entry): boolean {
  const { person, personMember } = entry;
  return person === undefined && personMember === undefined && uuidOf(entry) === undefined;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
