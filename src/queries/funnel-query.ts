import { usageError } from '../errors.ts';
import { filled, type Json, type JsonObject } from '../json/kinds.ts';
import {
  actionNode,
  breakdownFilter,
  eventNode,
  type Filters,
  groupTypeIndex,
  insightFields,
  objects,
  refuseUnknown,
} from './series.ts';

const KNOWN = [
  'insight',
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
  'interval',
  'breakdown',
  'breakdown_type',
  'breakdown_limit',
  'breakdown_attribution_type',
  'breakdown_attribution_value',
  'funnel_window_interval',
  'funnel_window_interval_type',
  'funnel_window_interval_unit',
  'funnel_window_days',
  'funnel_viz_type',
  'funnel_order_type',
  'funnel_from_step',
  'funnel_to_step',
  'bin_count',
  'exclusions',
  'aggregation_group_type_index',
];

/** The fields of a funnel calculation as a FunnelsQuery. Throws a usage error for a field that has no counterpart. */
export function funnelQuery(filters: Filters): JsonObject {
  refuseUnknown(filters, KNOWN);
  const details = funnelsFilter(filters);
  return filled({
    kind: 'FunnelsQuery',
    ...insightFields(filters),
    breakdownFilter: breakdownFilter(filters),
    aggregation_group_type_index: groupTypeIndex(filters),
    funnelsFilter: Object.keys(details).length === 0 ? undefined : details,
  });
}

function funnelsFilter(filters: Filters): JsonObject {
  const { exclusions } = filters;
  return filled({
    funnelVizType: filters.funnel_viz_type,
    funnelOrderType: filters.funnel_order_type,
    funnelWindowInterval: filters.funnel_window_interval ?? filters.funnel_window_days,
    funnelWindowIntervalUnit: windowUnit(filters),
    funnelFromStep: filters.funnel_from_step,
    funnelToStep: filters.funnel_to_step,
    binCount: filters.bin_count,
    breakdownAttributionType: filters.breakdown_attribution_type,
    breakdownAttributionValue: filters.breakdown_attribution_value,
    exclusions: exclusions === undefined ? undefined : objects(exclusions).map(exclusionNode),
  });
}

const UNITS: readonly Json[] = ['second', 'minute', 'hour', 'day', 'week', 'month'];

/** The specification writes DAY (and `days` for its default), a query `day`. */
function windowUnit(filters: Filters): Json | undefined {
  const unit = filters.funnel_window_interval_type ?? filters.funnel_window_interval_unit;
  if (unit === undefined) return filters.funnel_window_days === undefined ? undefined : 'day';
  const name = typeof unit === 'string' ? unit.toLowerCase().replace(/s$/, '') : unit;
  if (UNITS.includes(name)) return name;
  throw usageError(
    `a query knows no conversion window in ${JSON.stringify(unit)}`,
    'write DAY, HOUR, MINUTE',
  );
}

function exclusionNode(exclusion: JsonObject): JsonObject {
  const node = exclusion.type === 'actions' ? actionNode(exclusion) : eventNode(exclusion);
  const { funnel_from_step, funnel_to_step } = exclusion;
  return filled({ ...node, funnelFromStep: funnel_from_step, funnelToStep: funnel_to_step });
}
