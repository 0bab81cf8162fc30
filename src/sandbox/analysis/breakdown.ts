import type { Json } from '../../json/kinds.ts';
import type { AnalysisEvent, Surroundings } from './dataset.ts';
import type { Breakdown } from './definitions/fields.ts';
import { membershipOf, readerOf, textOf } from './filters/property-filter.ts';

/** A value as a key of a map: for properties the JSON text of the list of their texts, for cohorts the id. */
export type BreakdownKey = string;

export type BreakdownReader = {
  /** The values of an event: one for properties, any number for cohorts. */
  readonly keysOf: (event: AnalysisEvent) => readonly BreakdownKey[];
  /** Every event of a person has the same values. */
  readonly personal: boolean;
  /** The key of "no value". */
  readonly missing: BreakdownKey;
  /** How results name a value: `title` for people, `value` for programs. */
  readonly write: (key: BreakdownKey) => { readonly title: Json; readonly value: Json };
};

const MISSING_TEXT = '';

export const OTHER: BreakdownKey = JSON.stringify(['Other']);

/** Prepares a breakdown. Throws a 400 for cohorts that do not exist. */
export function breakdownReader(breakdown: Breakdown, surroundings: Surroundings): BreakdownReader {
  return breakdown.kind === 'cohorts'
    ? cohortReader(breakdown.ids, surroundings)
    : propertyReader(breakdown.parts, surroundings);
}

/** The texts behind the key of a property breakdown. */
export function textsOfKey(key: BreakdownKey): readonly string[] {
  // Keys of property breakdowns are made in this module, of lists of texts.
  return JSON.parse(key) as readonly string[];
}

/** What becomes of a value under a limit: only the most frequent stay, of equally frequent ones the first by text. */
export function limitedTo(
  limit: number,
  reader: BreakdownReader,
  events: Iterable<AnalysisEvent>,
): (key: BreakdownKey) => BreakdownKey {
  const counts = new Map<BreakdownKey, number>();
  for (const event of events) {
    for (const key of reader.keysOf(event)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (counts.size <= limit) return (key) => key;
  const ranked = [...counts].sort(
    ([one, times], [other, otherTimes]) => otherTimes - times || order(one, other),
  );
  const kept = new Set(ranked.slice(0, limit).map(([key]) => key));
  return (key) => (kept.has(key) ? key : OTHER);
}

/** Compares two texts by their code units, the same on every computer. */
export function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Compares equally frequent values: all users first, then by text. */
export function orderKeys(one: BreakdownKey, other: BreakdownKey): number {
  return Number(other === ALL_USERS) - Number(one === ALL_USERS) || order(one, other);
}

/** The key of the cohort `all`. Keys of properties are JSON lists, so none is the same. */
const ALL_USERS: BreakdownKey = 'all';

type BreakdownParts = Extract<Breakdown, { kind: 'properties' }>['parts'];

function propertyReader(parts: BreakdownParts, surroundings: Surroundings): BreakdownReader {
  const readers = parts.map(({ type, property, groupTypeIndex = 0 }) =>
    readerOf(type, property, groupTypeIndex, surroundings),
  );
  return {
    keysOf: (event) => [JSON.stringify(readers.map((read) => textOf(read(event)) ?? MISSING_TEXT))],
    personal: parts.every((part) => part.type === 'person'),
    missing: JSON.stringify(parts.map(() => MISSING_TEXT)),
    write: (key) => ({ title: textsOfKey(key), value: textsOfKey(key) }),
  };
}

/** A single cohort also yields those who are not in it. */
function cohortReader(ids: readonly (number | 'all')[], surroundings: Surroundings): BreakdownReader {
  const cohorts = ids.map((id) => ({
    key: String(id),
    isMember: id === 'all' ? () => true : membershipOf(id, surroundings),
  }));
  const [only, second] = cohorts;
  const system =
    only !== undefined && second === undefined && only.key !== ALL_USERS ? `not-in-${only.key}` : undefined;
  return {
    keysOf: ({ person }) => {
      const keys = cohorts.filter(({ isMember }) => isMember(person)).map(({ key }) => key);
      return keys.length === 0 && system !== undefined ? [system] : keys;
    },
    personal: true,
    missing: MISSING_TEXT,
    write: (key) => writeCohort(key, surroundings),
  };
}

function writeCohort(key: BreakdownKey, { project }: Surroundings): { title: Json; value: Json } {
  if (key === ALL_USERS) return { title: 'all users', value: 'all' };
  const id = Number(key.replace('not-in-', ''));
  const name = project.cohorts?.find((cohort) => cohort.id === id)?.name ?? key;
  return key === String(id) ? { title: name, value: id } : { title: `Not in ${name}`, value: key };
}
