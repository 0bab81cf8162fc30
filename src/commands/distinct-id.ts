import type { Person } from '../api/schemas.ts';

/** The live service lists at most 1,000 distinct ids of a person, so a longer list proves nothing. */
const LISTED_DISTINCT_IDS = 1000;

/** Whether a person has a distinct id, as far as the service lists them. */
export function hasDistinctId({ distinct_ids: ids }: Person, id: string): boolean {
  const listed = Array.isArray(ids) ? ids : [];
  return listed.includes(id) || listed.length >= LISTED_DISTINCT_IDS;
}
