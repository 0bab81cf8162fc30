import type { Batch, Person, Sighting, Target } from '../facts.ts';

/** A sighting as a journal keeps it: persons who are shown as they are known are not written out. */
export type ShortSighting = Omit<Sighting, 'asked'> & {
  /** `all`: every id of the batch. `uuids`: those of its persons. */
  readonly asked: readonly string[] | 'all' | 'uuids';
  /** Whoever is planned and not in `found` is shown as known, but for the ids in `free`. */
  readonly others?: 'as known';
  readonly free?: readonly string[];
};

const planned = ({ targets }: Batch) => [...targets.values()].filter(({ isPlanned }) => isPlanned);

function idsOf(batch: Batch, asked: ShortSighting['asked']): readonly string[] {
  if (asked === 'uuids') return planned(batch).map(({ uuid }) => uuid);
  if (asked === 'all') return [...new Set([...batch.targets.values()].flatMap(({ ids }) => ids))];
  return asked;
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && new Set([...one, ...other]).size === one.length;

function isKnown(id: string, person: Person, one: Target | undefined): boolean {
  if (!one?.isPlanned || !one.ids.includes(id) || one.hasMore !== (person.hasMore === true)) return false;
  if (one.born?.at !== person.born?.at || one.born?.unit !== person.born?.unit) return false;
  return isSameList([...new Set([person.uuid, ...person.ids])], one.ids);
}

/** The sighting in as few words as the batch allows, before it is told of it. */
export function shorten(batch: Batch, sighting: Sighting): ShortSighting {
  const { asked, found, ...rest } = sighting;
  const short = (['all', 'uuids'] as const).find((word) => isSameList(idsOf(batch, word), asked)) ?? asked;
  const wanted = new Set(asked);
  const shown = new Set(found.map(({ id }) => id));
  const free = planned(batch).flatMap(({ ids }) => ids.filter((id) => wanted.has(id) && !shown.has(id)));
  const others = found.filter(({ id, person }) => !isKnown(id, person, batch.targets.get(person.uuid)));
  if (others.length + free.length >= found.length) return { ...rest, asked: short, found };
  return { ...rest, asked: short, found: others, others: 'as known', ...(free.length > 0 ? { free } : {}) };
}

/** The sighting that was shortened, for the same batch. */
export function expand(batch: Batch, { asked, found, others, free = [], ...rest }: ShortSighting): Sighting {
  const ids = idsOf(batch, asked);
  if (others === undefined) return { ...rest, asked: ids, found };
  const wanted = new Set(ids);
  const told = new Set([...free, ...found.map(({ id }) => id)]);
  const known = planned(batch).flatMap((one) => {
    const { uuid, born, hasMore } = one;
    const person: Person = { uuid, born, ids: one.ids, ...(hasMore ? { hasMore } : {}) };
    return one.ids.filter((id) => wanted.has(id) && !told.has(id)).map((id) => ({ id, person }));
  });
  return { ...rest, asked: ids, found: [...known, ...found] };
}
