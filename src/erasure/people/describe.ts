import { counted } from '../../errors.ts';
import type { KnownPerson } from '../input/given.ts';

/** Somebody for a person who has to agree: a name or an address, the day of creation, how many distinct ids. */
function describePerson({ uuid, name, email, createdAt, distinctIds, mayHaveMore }: KnownPerson): string {
  const who = [name, email].filter((one, at, all) => one && all.indexOf(one) === at).join(', ') || uuid;
  const day =
    createdAt === undefined ? 'created on a day that is not known' : `created ${createdAt.slice(0, 10)}`;
  const more = mayHaveMore ? 'at least ' : '';
  return `${who} (${day}, ${more}${counted(distinctIds.length, 'distinct id')})`;
}

/** People of whom these are the first ones, as lines. */
export function describePeople(first: readonly KnownPerson[], all: number): readonly string[] {
  const rest = all - first.length;
  return [
    ...first.map((one) => `  ${describePerson(one)}`),
    ...(rest > 0 ? [`  and ${counted(rest, 'other')}`] : []),
  ];
}

/** People who are shown to whoever has to agree. */
export const MOST_SHOWN = 10;
