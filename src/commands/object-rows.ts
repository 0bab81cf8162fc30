import { CliError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../json/kinds.ts';

/** The rows of a page as what the list documents. Throws `unavailable` for a row that is no object at all. */
export function objectRows<Row extends JsonObject>(page: { rows(): readonly Json[] }): readonly Row[] {
  const rows = page.rows();
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
