import { type CliError, usageError } from '../errors.ts';
import { type HeadingWatch, watchHeading } from './heading.ts';
import { findOddity, type Oddity, oddityTexts, roundedDigits } from './odd-id.ts';

/** What the places are called, and where they are: lines of `people.csv`. */
export type Source = { readonly places: 'line' | 'argument'; readonly name: string };

/** The ids of one source that look damaged. */
export type OddIds = {
  /** The name of the column, which stands among the ids where files were put together. */
  columnName: string | undefined;
  /** Takes the first line of a list, which may name its column. */
  readonly begin: (id: string, place: number) => void;
  /** Whether further ids tell more of that line. */
  readonly isWatching: boolean;
  /** Takes the next one. */
  readonly next: (id: string) => void;
  /** Looks at an id by itself; one that came before tells nothing new but its place. */
  readonly look: (id: string, place: number, seen: { readonly isNew: boolean }) => void;
  /** How many different ones there are. */
  readonly count: () => number;
  /** How many there are, why, and where the first ones stand; nothing if there are none. */
  readonly describe: (source: Source) => string | undefined;
};

type Places = { count: number; different: number; readonly first: number[] };
type Found = Map<Oddity, Places>;

const mostPlaces = 3;
/** Ids that nobody rounded end in so many zeros together once in a thousand files. */
const fewestZeros = 3;

/** Gathers odd ids: how many there are for each reason, and where the first ones stand. */
export function createOddIds(): OddIds {
  const found: Found = new Map();
  const rounded = { ...noPlaces(), zeros: 0 };
  let heading: (HeadingWatch & { readonly place: number }) | undefined;
  const all = (): Found => {
    const places: Found = new Map(found);
    if (heading?.isHeading()) places.set('first line', { count: 1, different: 1, first: [heading.place] });
    if (rounded.zeros >= fewestZeros) places.set('rounded', rounded);
    return places;
  };
  const odd = {
    isWatching: false,
    columnName: undefined as string | undefined,
    begin(id: string, place: number) {
      const watch = watchHeading(id);
      if (watch === undefined) return;
      heading = { ...watch, place };
      odd.isWatching = true;
    },
    next(id: string) {
      odd.isWatching = heading?.next(id) ?? false;
    },
    look(id: string, place: number, { isNew }: { readonly isNew: boolean }) {
      const oddity = id === odd.columnName ? 'column' : findOddity(id);
      if (oddity !== undefined) addPlace(placesOf(found, oddity), place, isNew ? 1 : 0);
      const zeros = roundedDigits(id);
      if (zeros > 0) addPlace(rounded, place, isNew ? 1 : 0);
      // One number with other digits there shows that nobody rounded.
      if (isNew) rounded.zeros += zeros < 0 ? Number.NEGATIVE_INFINITY : zeros;
    },
    count: () => [...all().values()].reduce((sum, { different }) => sum + different, 0),
    describe: (source: Source) => describe(all(), source),
  };
  return odd;
}

function noPlaces(): Places {
  return { count: 0, different: 0, first: [] };
}

function placesOf(found: Found, oddity: Oddity): Places {
  const places = found.get(oddity) ?? noPlaces();
  found.set(oddity, places);
  return places;
}

function addPlace(places: Places, place: number, different: number): void {
  places.count += 1;
  places.different += different;
  if (places.first.length < mostPlaces) places.first.push(place);
}

function describe(found: Found, { places, name }: Source): string | undefined {
  const count = [...found.values()].reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return undefined;
  const reasons = [...found].map(([oddity, one]) => `${listPlaces(one, places)}: ${oddityTexts[oddity]}`);
  return `${count} of the ids in ${name} ${count === 1 ? 'looks' : 'look'} damaged (${reasons.join('; ')})`;
}

function listPlaces({ count, first }: Places, places: Source['places']): string {
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  return `${places}${count === 1 ? '' : 's'} ${first.join(', ')}${more}`;
}

/** What to do about odd ids, for whoever did not say that they are meant. */
export function refuseOdd(text: string): CliError {
  const heading = [oddityTexts['first line'], oddityTexts.quoted].some((reason) => text.includes(reason))
    ? 'say --column <name> where the first line is the name of the column; '
    : '';
  return usageError(
    text,
    `${heading}correct them, or say --allow-odd-ids where they are meant as they stand; nothing was sent`,
  );
}
