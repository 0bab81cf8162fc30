import type { IdKind } from '../input/checks.ts';
import type { KnownPerson, People } from '../input/given.ts';

/** One id of a run. `person` is null if the person list knew nobody by this id; `other` is whom only SQL showed then. */
export type Entry = {
  readonly kind: IdKind;
  readonly id: string;
  readonly person: KnownPerson | null;
  readonly other?: KnownPerson | undefined;
};

/** Ids that are planned, asked about and sent together: at most as many persons as one call takes, or ids of nobody. */
export type PlannedBatch = { readonly entries: readonly Entry[]; readonly persons: number };

/** The id that goes over the wire: that of the person, so that only they are hit. */
export function idToSend({ uuid, sendAs }: KnownPerson): string {
  return sendAs ?? uuid;
}

/** Ids without a person that are asked about together. */
const IDS_OF_NOBODY = 1000;

/**
 * The batches of a run: each person once, with all ids that lead to them side by side, in the order in which they were
 * given; then the ids of nobody.
 */
export function* listBatches(people: readonly People[], perCall: number): Generator<PlannedBatch> {
  const shared = gatherShared(people);
  let entries: Entry[] = [];
  let persons = 0;
  for (const entry of listEntries(people)) {
    const uuid = entry.person?.uuid.toLowerCase();
    if (uuid === undefined) continue;
    const own = shared.get(uuid) ?? [entry];
    if (own.length === 0) continue;
    if (shared.has(uuid)) shared.set(uuid, []);
    for (const one of own) entries.push(one);
    persons += 1;
    if (persons < perCall) continue;
    yield { entries, persons };
    entries = [];
    persons = 0;
  }
  if (persons > 0) yield { entries, persons };
  if (people.every(({ resolution }) => resolution.nobody === 0)) return;
  entries = [];
  for (const entry of listEntries(people)) {
    if (entry.person !== null) continue;
    entries.push(entry);
    if (entries.length < IDS_OF_NOBODY) continue;
    yield { entries, persons: 0 };
    entries = [];
  }
  if (entries.length > 0) yield { entries, persons: 0 };
}

/** The ids of those persons to whom several lead. */
function gatherShared(people: readonly People[]): Map<string, readonly Entry[]> {
  const once = new Set<string>();
  const shared = new Map<string, Entry[]>();
  const uuidOf = ({ person }: Entry) => person?.uuid.toLowerCase();
  // A list holds each UUID once. Whether another id leads to the same person is seen below.
  const isGiven = ({ kind, id }: Entry, uuid: string) => kind === 'ids' && id === uuid;
  for (const entry of listEntries(people)) {
    const uuid = uuidOf(entry);
    if (uuid === undefined || isGiven(entry, uuid)) continue;
    if (once.has(uuid)) shared.set(uuid, []);
    once.add(uuid);
  }
  if (once.size === 0) return shared;
  for (const { list } of people)
    if (list.kind === 'ids') for (const id of list.ids) if (once.has(id)) shared.set(id, []);
  once.clear();
  if (shared.size > 0) for (const entry of listEntries(people)) shared.get(uuidOf(entry) ?? '')?.push(entry);
  return shared;
}

function* listEntries(people: readonly People[]): Generator<Entry> {
  for (const { list, resolution } of people) {
    for (const [index, id] of list.ids.entries()) {
      const person = resolution.at(index);
      yield { kind: list.kind, id, person, other: resolution.doubtful(index) };
    }
  }
}
