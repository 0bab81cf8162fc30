import { CliError } from '../errors.ts';
import { isExactNumber, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { LARGEST_PAGE } from './endpoint.ts';
import type { Person } from './schemas.ts';

/** An id with the digits that the service sent. */
export function idText(id: Json | undefined): string {
  return isExactNumber(id) ? id.value : String(id);
}

/** The rows of a page as what the list documents. Throws `unavailable` for a row that is no object at all. */
export function objectRows<Row extends JsonObject>(page: { readonly rows: readonly Json[] }): readonly Row[] {
  const { rows } = page;
  if (!rows.every(isObject)) {
    throw new CliError(
      'unavailable',
      'the service answered with a list whose rows are not what it documents',
      {
        hint: 'check the base address of the service',
      },
    );
  }
  // The client keeps rows as plain JSON; which objects a list holds is the list's to say.
  return rows as readonly Row[];
}

/**
 * How a list of persons is read of which nobody may be missed: in pages as large as the service is asked for
 * (docs/service.md), which share rows, so that whoever goes meanwhile shifts nobody out.
 */
export const WHOLE_LIST = { pageSize: LARGEST_PAGE, shared: 20 } as const;

/** The live service lists at most 1,000 distinct ids of a person, so a longer list proves nothing. */
const LISTED_DISTINCT_IDS = 1000;

/** Whether a person has a distinct id, as far as the service lists them. */
export function hasDistinctId({ distinct_ids: ids }: Person, id: string): boolean {
  const listed = Array.isArray(ids) ? ids : [];
  return listed.includes(id) || listed.length >= LISTED_DISTINCT_IDS;
}
