import { readTime } from '../../semantics/service-time.ts';
import type { Batch, Person, Sighting, StoreName, Target } from '../facts.ts';

/**
 * A sighting as a line of the journal: ids by their position among those that the batch knows by then, and in full only
 * people who are not there as planned.
 */
export type Saw = {
  readonly store: StoreName;
  readonly asked: string;
  readonly controls: readonly boolean[];
  /** Ids whose person was shown just as the batch knows them. */
  readonly asPlanned: string;
  readonly others: readonly Other[];
  /** What the service's clock said (ISO). */
  readonly serviceTime?: string | undefined;
  readonly overdue?: readonly number[];
};

/** Whoever else was shown with an id. */
export type Other = WrittenPerson & { readonly id: number };

/** A person in the record: HMACs, the date of creation with its unit, and whether there may be more ids. */
export type WrittenPerson = {
  readonly uuid: string;
  readonly born?: readonly [at: number, unit: number];
  readonly ids: readonly string[];
  readonly hasMore?: true;
};

export function encodePerson({ uuid, born, ids, hasMore }: Person): WrittenPerson {
  return { uuid, ...(born ? { born: [born.at, born.unit] } : {}), ids, ...(hasMore ? { hasMore } : {}) };
}

export function decodePerson({ uuid, born, ids, hasMore }: WrittenPerson): Person {
  return { uuid, born: born && { at: born[0], unit: born[1] }, ids, hasMore: hasMore === true };
}

/** All ids that a batch knows, those that came since its plan included, in the order in which they became known. */
export function idsOf({ targets }: Batch): readonly string[] {
  return [...new Set([...targets.values()].flatMap(({ ids }) => ids))];
}

/** The UUIDs of the persons whom calls may be about, in the order of the plan. */
export function personsOf({ targets }: Batch): readonly string[] {
  return [...targets.values()].flatMap(({ isPlanned, uuid }) => (isPlanned ? uuid : []));
}

/** Throws a `RangeError` for a sighting of ids that the batch does not know. */
export function encodeSighting(batch: Batch, sighting: Sighting): Saw {
  const { store, asked, controls, found, time, overdue } = sighting;
  const positions = new Map(idsOf(batch).map((id, at) => [id, at]));
  const owners = ownersOf(batch);
  const placeOf = (id: string) => {
    const at = positions.get(id);
    if (at === undefined) throw new RangeError('A store was asked about an id that the batch does not know');
    return at;
  };
  const asPlanned: number[] = [];
  const others: Other[] = [];
  for (const { id, person } of found) {
    const owner = owners.get(id);
    if (owner !== undefined && isAsKnown(owner, person)) asPlanned.push(placeOf(id));
    else others.push({ id: placeOf(id), ...encodePerson(person) });
  }
  return {
    store,
    asked: toRanges(asked.map(placeOf)),
    controls,
    asPlanned: toRanges(asPlanned),
    others,
    serviceTime: time === undefined ? undefined : new Date(time).toISOString(),
    ...(overdue && overdue.length > 0 ? { overdue } : {}),
  };
}

/** What a line says about the batch as it was before it. */
export function decodeSighting(batch: Batch, saw: Saw): Sighting {
  const ids = idsOf(batch);
  const owners = ownersOf(batch);
  const idAt = (at: number) => ids[at] ?? '';
  const known = fromRanges(saw.asPlanned).flatMap((at) => {
    const owner = owners.get(idAt(at));
    return owner === undefined ? [] : { id: idAt(at), person: personOf(owner) };
  });
  const others = saw.others.map(({ id, ...person }) => ({ id: idAt(id), person: decodePerson(person) }));
  return {
    store: saw.store,
    asked: fromRanges(saw.asked).map(idAt),
    controls: saw.controls,
    found: [...known, ...others],
    time: readTime(saw.serviceTime),
    ...(saw.overdue ? { overdue: saw.overdue } : {}),
  };
}

/** The person of the plan who has an id, as far as the batch knows. */
function ownersOf({ targets }: Batch): ReadonlyMap<string, Target> {
  const owners = new Map<string, Target>();
  for (const target of targets.values())
    if (target.isPlanned) for (const id of target.ids) if (!owners.has(id)) owners.set(id, target);
  return owners;
}

function personOf({ uuid, born, ids, hasMore }: Target): Person {
  return { uuid, born, ids, hasMore };
}

function isAsKnown(target: Target, person: Person): boolean {
  const { born, ids, hasMore } = target;
  const all = new Set([...person.ids, person.uuid]);
  return (
    target.uuid === person.uuid &&
    born?.at === person.born?.at &&
    born?.unit === person.born?.unit &&
    hasMore === (person.hasMore === true) &&
    all.size === ids.length &&
    ids.every((id) => all.has(id))
  );
}

/** Numbers in short, in their order: `0-2,7` for 0, 1, 2 and 7. */
export function toRanges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((one, other) => one - other);
  const parts: [number, number][] = [];
  for (const number of sorted) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] + 1 === number) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

export function fromRanges(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}
