import { readMoment, readTime } from '../../semantics/service-time.ts';
import type { Person, Sighting, StoreName } from '../facts.ts';
import type { IdKind } from '../input/checks.ts';
import type { KnownPerson } from '../input/given.ts';

/** An id that a store is asked about: one of a person, or a distinct id. */
export type AskedId = { readonly kind: IdKind; readonly id: string };

/** What one store said about some ids in one answer, or in a row of answers between two controls. */
export type StoreAnswer = {
  readonly store: StoreName;
  readonly asked: readonly AskedId[];
  /** Whether somebody who is known to be there was shown, too: once, or before and after requests about one each. */
  readonly controls: readonly boolean[];
  readonly found: readonly { readonly asked: AskedId; readonly person: KnownPerson }[];
  /** What the service's clock said (ISO). */
  readonly serviceTime: string | undefined;
};

export type Looking = {
  /** Whether people are expected to be there: then a control is only asked for once somebody is missing. */
  readonly expect: 'there' | 'gone';
  /** Told how many ids of this look have been asked about. */
  readonly onProgress?: ((asked: number) => void) | undefined;
};

export type Look = (ids: readonly AskedId[], looking: Looking) => Promise<readonly StoreAnswer[]>;

/** How an id is called in front of the core: as it is compared, or by its HMAC. */
export type NameOf = (kind: IdKind, id: string) => string;

/** The ids of a person that a store is asked about. */
export function idsOfPerson({ uuid, distinctIds }: KnownPerson): readonly AskedId[] {
  return [{ kind: 'ids', id: uuid }, ...distinctIds.map((id): AskedId => ({ kind: 'distinct-ids', id }))];
}

/** A person as the core has them. */
export function toPerson(
  { uuid, createdAt, distinctIds, mayHaveMore = false }: KnownPerson,
  nameOf: NameOf,
): Person {
  const ids = distinctIds.map((one) => nameOf('distinct-ids', one));
  return { uuid: nameOf('ids', uuid), born: readMoment(createdAt), ids, hasMore: mayHaveMore };
}

/** What a store said, as the core is told it. */
export function toSighting(
  { store, asked, controls, found, serviceTime }: StoreAnswer,
  nameOf: NameOf,
): Sighting {
  // SQL shows somebody once for each of their ids.
  const people = new Map<KnownPerson, Person>();
  for (const { person } of found) if (!people.has(person)) people.set(person, toPerson(person, nameOf));
  return {
    store,
    asked: asked.map(({ kind, id }) => nameOf(kind, id)),
    controls,
    found: found.map((one) => {
      return { id: nameOf(one.asked.kind, one.asked.id), person: toPerson(one.person, nameOf) };
    }),
    time: readTime(serviceTime),
  };
}
