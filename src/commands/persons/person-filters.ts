import type { PropertyFilter } from '../../cli/command/property-filter.ts';
import { usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';

/**
 * The `properties` parameter of a persons list: a flat list of conditions, which is the only form that is safe on the
 * live service. Throws a usage error for anything but a list, and for both ways at once.
 */
export function personFilters(
  conditions: readonly PropertyFilter[] | undefined,
  given: Json | undefined,
): Json | undefined {
  if (conditions !== undefined && given !== undefined) {
    throw usageError('--property and --properties both filter by properties', 'give one of them');
  }
  if (given !== undefined && !Array.isArray(given)) {
    throw usageError('--properties wants a JSON list such as [{"key":"plan","value":"pro"}]');
  }
  return given ?? conditions?.map((condition) => ({ ...condition, type: 'person' }));
}
