import { CliError } from '../errors.ts';
import { asObject, isExactNumber, isObject, type Json, type JsonObject } from '../json/kinds.ts';
import { LARGEST_PAGE } from './endpoint.ts';
import type { Person } from './schemas.ts';

/** An id with the digits that the service sent. */
export function idText(id: Json | undefined): string {
  return isExactNumber(id) ? id.value : String(id);
}

/** What a row is known by: its uuid if that is text, else its id. */
export function identityOf(row: Json): Json | undefined {
  const { uuid, id } = asObject(row) ?? {};
  return typeof uuid === 'string' ? uuid : id;
}

/** The same as text; undefined for a row that has neither. */
export function rowName(row: Json): string | undefined {
  const identity = identityOf(row);
  if (isExactNumber(identity)) return identity.value;
  return typeof identity === 'string' || typeof identity === 'number' ? String(identity) : undefined;
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
 * How a list of persons is read if no one may be missed: in pages as large as the service is asked for
 * (docs/service.md), which share rows, so that people who go meanwhile shift no one else out.
 */
export const WHOLE_LIST = { pageSize: LARGEST_PAGE, shared: 20 } as const;

/** The service lists no more distinct ids of a person than these, and does not say that there are more. */
const LISTED_DISTINCT_IDS = 1000;

/** Whether a person of a list may have more distinct ids than it names. */
export function mayHaveMoreIds({ distinct_ids: ids }: Person): boolean {
  return Array.isArray(ids) && ids.length >= LISTED_DISTINCT_IDS;
}

/** Whether a person has a distinct id, as far as the service lists them. */
export function hasDistinctId(person: Person, id: string): boolean {
  return (Array.isArray(person.distinct_ids) && person.distinct_ids.includes(id)) || mayHaveMoreIds(person);
}
