import { counted } from '../../errors.ts';
import type { KnownPerson, People } from '../input/given.ts';

/** Somebody for a person who has to agree: a name or an address, the day of creation, how many distinct ids. */
export function describePerson({
  uuid,
  name,
  email,
  createdAt,
  distinctIds,
  mayHaveMore,
}: KnownPerson): string {
  const who = [name, email].filter((one, at, all) => one && all.indexOf(one) === at).join(', ') || uuid;
  const day =
    createdAt === undefined ? 'created on a day that is not known' : `created ${createdAt.slice(0, 10)}`;
  const more = mayHaveMore ? 'at least ' : '';
  // A name may not begin a line of its own.
  return [who.replaceAll('\n', '\\n'), day, `${more}${counted(distinctIds.length, 'distinct id')}`].join(
    ', ',
  );
}

/** People who are shown to whoever has to agree. */
export const MOST_SHOWN = 10;

/** The first people whom these lists lead to, as lines. */
export function describeFirst(people: readonly People[], all: number): readonly string[] {
  const first = new Map<string, KnownPerson>();
  for (const { list, resolution } of people)
    for (let at = 0; at < list.ids.length && first.size < MOST_SHOWN; at += 1) {
      const person = resolution.at(at);
      if (person !== null) first.set(person.uuid, person);
    }
  return describePeople([...first.values()], all);
}

/** People of whom these are the first ones, as lines. */
export function describePeople(first: readonly KnownPerson[], all: number): readonly string[] {
  const rest = all - first.length;
  return [
    ...first.map((one) => `  ${describePerson(one)}`),
    ...(rest > 0 ? [`  and ${counted(rest, 'other')}`] : []),
  ];
}
