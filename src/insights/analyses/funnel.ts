import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import type { Via } from '../../cli/requests.ts';
import { usageError } from '../../errors.ts';
import { asObject, filled, type Json, type JsonObject } from '../../json/kinds.ts';
import type { InputOf } from '../../service/endpoint.ts';
import { insights } from '../../service/insights.ts';
import { funnelFields } from '../../service/parameters.ts';
import type { chartOption } from '../answers/show.ts';
import { askOperation, type keepingOptions } from './analysis.ts';
import {
  breakdownFilter,
  breakdownOptions,
  conditionOptions,
  entityNode,
  type Filters,
  insightFields,
  objects,
  queryFields,
  readBreakdown,
  readSteps,
  requireSteps,
  seriesParameters,
  stepOptions,
} from './steps.ts';

type FunnelInput = OptionsInput<
  typeof funnelOptions & typeof getOption & typeof keepingOptions & typeof chartOption
> & {
  readonly via?: Via | undefined;
};

/** Calculates a funnel from its options, or from the query that does its job, prints it, and keeps it if wanted. */
export async function askFunnel(
  { get, via, chart, title, create, expect, maxDrop, maxLag, unfinished, ...flags }: FunnelInput,
  context: Context,
): Promise<void> {
  const parameters = readFunnel(flags, context);
  const query = () => funnelQuery(parameters);
  // What no query can express cannot be kept either, which is said before anything is sent.
  const kept = create === undefined ? undefined : query();
  const asked = { filters: filled({ insight: 'FUNNELS', ...parameters }) };
  await askOperation(
    { row: get ? insights.funnelGet : insights.funnel, input: parameters, body: flags.body, via, query },
    { asked, query: kept, chart, title, create, expect, maxDrop, maxLag, unfinished },
    context,
  );
}

/** The funnel of a correlation, and the whole body if one was given: the funnel is its field `filters`. */
type CorrelatedFunnel = { readonly filters: FunnelParameters; readonly body: JsonObject | undefined };

export function correlatedFunnel(flags: FunnelFlags, context: Context): CorrelatedFunnel {
  const { body, ...others } = flags;
  if (body === undefined) return { filters: readFunnel(flags, context), body };
  return { filters: funnelParameters({ ...others, body: asObject(body.filters) ?? {} }), body };
}

export type FunnelParameters = InputOf<typeof insights.funnel>;

/** A funnel as it was typed. `body` is all of it, without other options. */
export type FunnelFlags = OptionsInput<typeof funnelOptions>;

/** What was not given is absent, so that the service's defaults stay the service's. */
export function funnelParameters(flags: FunnelFlags): FunnelParameters {
  const { body, ...others } = flags;
  if (body === undefined) return fromFlags(flags);
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  if (given.length > 0) {
    throw usageError('--body gives the whole funnel', 'leave out the other options of the funnel');
  }
  requireSteps(body);
  // The body is sent as it was given: its fields and their values are the service's.
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
    exclusions: readSteps(flags).exclusions,
    aggregation_group_type_index: flags.groupTypeIndex,
    funnel_window_days: flags.windowDays,
  });
  // Each field above is named after, and typed as, the row's parameter of that name.
  return fields as FunnelParameters;
}

export const funnelFieldNames = funnelFields.map(({ name }) => name);

/** What a query spells alike. */
const DETAILS = [
  'funnel_viz_type',
  'funnel_order_type',
  'funnel_from_step',
  'funnel_to_step',
  'bin_count',
  'breakdown_attribution_type',
  'breakdown_attribution_value',
];

const KNOWN = [...funnelFieldNames, ...DETAILS, 'insight', 'interval', 'funnel_window_interval_unit'];

/** The fields of a funnel calculation as a FunnelsQuery. Throws a usage error for a field that has no counterpart. */
export function funnelQuery(filters: Filters): JsonObject {
  const unknown = Object.entries(filters).find(
    ([name, value]) => value !== undefined && !KNOWN.includes(name),
  );
  if (unknown) throw usageError(`the field "${unknown[0]}" cannot be sent in a query`, 'leave it out');
  const details = funnelsFilter(filters);
  const { aggregation_group_type_index: index } = filters;
  return filled({
    kind: 'FunnelsQuery',
    ...insightFields(filters),
    breakdownFilter: breakdownFilter(filters),
    // The specification's 0 counts persons, which a query says by leaving the index out.
    aggregation_group_type_index: index === 0 || index === null ? undefined : index,
    funnelsFilter: Object.keys(details).length === 0 ? undefined : details,
  });
}

function funnelsFilter(filters: Filters): JsonObject {
  const { exclusions } = filters;
  return filled({
    ...queryFields(filters, DETAILS),
    funnelWindowInterval: filters.funnel_window_interval ?? filters.funnel_window_days,
    funnelWindowIntervalUnit: windowUnit(filters),
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
  return { ...entityNode(exclusion), ...queryFields(exclusion, ['funnel_from_step', 'funnel_to_step']) };
}

export const funnelOptions = {
  ...stepOptions,
  exclude: { type: 'steps', placeholder: 'event', description: 'Leave out who did it between two steps' },
  excludeFrom: {
    type: 'steps',
    placeholder: 'n',
    description: 'Exclude after this step (default first step)',
  },
  excludeTo: { type: 'steps', placeholder: 'n', description: 'Exclude before this step (default last step)' },
  ...conditionOptions,
  ...breakdownOptions,
  window: { type: 'duration', description: 'Conversion window: 30min, 7d (default 14d)' },
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
