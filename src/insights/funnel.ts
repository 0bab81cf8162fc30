import type { Options, OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import { filled, type Json, type JsonObject } from '../json/kinds.ts';
import type { InputOf } from '../service/endpoint.ts';
import type { insights } from '../service/insights.ts';
import { funnelFields } from '../service/parameters.ts';
import {
  breakdownOptions,
  conditionOptions,
  readBreakdown,
  seriesParameters,
  stepOptions,
} from './series.ts';
import {
  actionNode,
  analysisFields,
  breakdownFilter,
  eventNode,
  type Filters,
  groupTypeIndex,
  insightFields,
  objects,
  readSteps,
  refuseUnknown,
  requireSteps,
  wordsOf,
} from './steps.ts';

/** The fields of a funnel calculation, by the service's names. */
export type FunnelParameters = InputOf<typeof insights.funnel>;

/** A funnel as it was typed. `body` is all of it, without other options. */
export type FunnelFlags = OptionsInput<typeof funnelOptions>;

/**
 * The fields of a funnel; what was not given is absent, so that the service's defaults stay the service's. Throws a
 * usage error without events and actions, and for a body beside other options.
 */
export function funnelParameters(flags: FunnelFlags): FunnelParameters {
  const { body, ...others } = flags;
  if (body === undefined) return fromFlags(flags);
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  if (given.length > 0) {
    throw usageError('--body gives the whole funnel', 'leave out the other options of the funnel');
  }
  requireSteps(body);
  // The body is sent as it was given; its fields are the service's, whatever their values.
  return body as FunnelParameters;
}

function fromFlags(flags: FunnelFlags): FunnelParameters {
  if (flags.window !== undefined && flags.windowDays !== undefined) {
    throw usageError('--window and --window-days cannot be used together', 'give --window');
  }
  const fields = filled({
    ...seriesParameters(flags),
    breakdown: flags.breakdown && readBreakdown(flags.breakdown, flags.breakdown_type),
    breakdown_type: flags.breakdown_type,
    breakdown_limit: flags.breakdown_limit,
    funnel_window_interval: flags.window?.count,
    funnel_window_interval_type: flags.window?.unit,
    funnel_viz_type: flags.viz,
    funnel_order_type: flags.orderType,
    exclusions: readSteps(wordsOf(flags)).exclusions,
    aggregation_group_type_index: flags.groupTypeIndex,
    funnel_window_days: flags.windowDays,
  });
  // Each field above is named after, and typed as, the row's parameter of that name.
  return fields as FunnelParameters;
}

const KNOWN = [
  'insight',
  ...analysisFields,
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
    `a query cannot have a conversion window in ${JSON.stringify(unit)}`,
    'use DAY, HOUR or MINUTE',
  );
}

function exclusionNode(exclusion: JsonObject): JsonObject {
  const node = exclusion.type === 'actions' ? actionNode(exclusion) : eventNode(exclusion);
  const { funnel_from_step, funnel_to_step } = exclusion;
  return filled({ ...node, funnelFromStep: funnel_from_step, funnelToStep: funnel_to_step });
}

/** Every option of a funnel. */
export const funnelOptions = {
  ...stepOptions,
  exclude: {
    type: 'steps',
    placeholder: 'event',
    description: 'Leave out who did it between two steps',
  },
  excludeFrom: {
    type: 'steps',
    placeholder: 'n',
    description: 'Exclude after this step (default first step)',
  },
  excludeTo: { type: 'steps', placeholder: 'n', description: 'Exclude before this step (default last step)' },
  ...conditionOptions,
  ...breakdownOptions,
  window: {
    type: 'duration',
    description: 'Conversion window: 30min, 7d (default 14d)',
  },
  windowDays: {
    type: 'integer',
    minimum: 1,
    deprecated: '--window',
    description: 'Conversion window in days',
  },
  orderType: {
    type: 'text',
    placeholder: 'order',
    choices: ['ordered', 'strict', 'unordered'],
    description: 'ordered, strict (nothing between), unordered',
  },
  viz: {
    type: 'text',
    placeholder: 'type',
    choices: ['steps', 'trends', 'time_to_convert'],
    description: 'steps, trends, time_to_convert',
  },
  groupTypeIndex: { type: 'integer', minimum: 0, description: '0 counts persons, above 0 a group type' },
  body: { type: 'object', description: 'The whole body of the request: JSON, @file or -' },
} as const satisfies Options;

/** Fields of the row that the options above stand for. */
export const funnelFieldNames = funnelFields.map(({ name }) => name);

/** What a funnel seldom needs; `hogctl help` shows it. */
export const rareNames = [
  'excludeFrom',
  'excludeTo',
  'breakdown_limit',
  'windowDays',
  'groupTypeIndex',
  'get',
] as const;

export const getOption = {
  get: { type: 'flag', description: 'Use GET, with the options in the URL' },
} as const satisfies Options;

/** The fields of a funnel as the service names them, with a warning if one is deprecated. Throws a usage error. */
export function readFunnel(flags: FunnelFlags, context: Context): FunnelParameters {
  const parameters = funnelParameters(flags);
  if (flags.windowDays !== undefined)
    context.warn('warning: funnel_window_days is deprecated; --window does the same');
  return parameters;
}
