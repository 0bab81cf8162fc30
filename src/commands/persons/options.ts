import type { Options } from '../../cli/command/options.ts';
import type { PropertyFilter } from '../../cli/command/values.ts';
import { viaOption } from '../../cli/fallback.ts';
import { usageError } from '../../errors.ts';
import { conditionOptions, stepOptions } from '../../insights/funnel.ts';
import type { Column, Json } from '../../json/kinds.ts';

/** How lists of people are read, whatever they are behind. */
export const peopleOptions = {
  all: { type: 'flag', description: 'Every page; --limit is then the page size' },
  via: viaOption,
} as const satisfies Options;

/** The options of the analyses that people are behind. */
export const seriesOptions = {
  ...stepOptions,
  ...conditionOptions,
  ...peopleOptions,
} as const satisfies Options;

/** Fields of the row that these options stand for. */
export const seriesFieldNames = [
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
] as const;

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

export const personColumns: readonly Column[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'distinct_ids' },
  { key: 'created_at' },
];

export const activityColumns: readonly Column[] = [
  { key: 'created_at' },
  { key: 'user.email', title: 'user' },
  { key: 'activity' },
  { key: 'item_id' },
  { key: 'detail.changes', title: 'changes' },
];
