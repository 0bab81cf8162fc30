import type { Json } from '../../json/kinds.ts';
import { integerOf, jsonOf, type Readable, textOf } from './open-store.ts';

export type StoredCohort = {
  readonly id: bigint;
  readonly name: string;
  /** Property filters of persons, or null for a cohort that lists its persons. */
  readonly definition: Json;
};

/** All cohorts, by number. */
export async function selectCohorts(store: Readable): Promise<readonly StoredCohort[]> {
  const rows = await store.rows(
    'select id, name, filters::varchar as filters from store.cohorts order by id',
  );
  return rows.map((row) => ({
    id: integerOf(row, 'id'),
    name: textOf(row, 'name'),
    definition: jsonOf(row, 'filters'),
  }));
}
