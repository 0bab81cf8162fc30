import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import type { Via } from '../../cli/requests.ts';
import { CliError, usageError } from '../../errors.ts';
import { asObject, filled, type Json, type JsonObject } from '../../json/kinds.ts';
import type { Endpoint, InputOf } from '../../service/endpoint.ts';
import { insights } from '../../service/insights.ts';
import { funnelFields } from '../../service/parameters.ts';
import { describeInsight } from '../answers/insight.ts';
import {
  type Ask,
  type Asked,
  type chartOption,
  type ExpectInput,
  expectOptions,
  printFigures,
  readChart,
  sayAnalysisState,
  timed,
} from '../answers/show.ts';
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
  { get, via, chart, create, expect, maxDrop, maxLag, unfinished, ...flags }: FunnelInput,
  context: Context,
): Promise<void> {
  const parameters = readFunnel(flags, context);
  const query = () => funnelQuery(parameters);
  // What no query can express cannot be kept either, which is said before anything is sent.
  const kept = create === undefined ? undefined : query();
  const asked = { filters: filled({ insight: 'FUNNELS', ...parameters }) };
  await askOperation(
    { row: get ? insights.funnelGet : insights.funnel, input: parameters, body: flags.body, via, query },
    { asked, query: kept, chart, create, expect, maxDrop, maxLag, unfinished },
    context,
  );
}

type Operation<Row extends Endpoint> = {
  readonly row: Row;
  readonly input: InputOf<Row>;
  readonly body: JsonObject | undefined;
  readonly via: Via | undefined;
  readonly query: () => JsonObject;
};

/** Asks for an analysis by its own operation, or by the query that does its job, and shows it. */
export async function askOperation<Row extends Endpoint>(
  { row, input, body, via, query }: Operation<Row>,
  analysis: Analysis,
  context: Context,
): Promise<void> {
  refuseBodyInAddress(row, body);
  const ask: Ask<unknown> = async (notice) =>
    (await context.callOrQuery(row, input, { via, body, query, ...notice })).answer;
  await showAnalysis(ask, analysis, context);
}

export function refuseBodyInAddress({ method }: Endpoint, body: JsonObject | undefined): void {
  if (method === 'GET' && body !== undefined)
    throw usageError('--get sends no body', 'leave out --get or --body');
}

/** The funnel of a correlation, and the whole body if one was given: the funnel is its field `filters`. */
type CorrelatedFunnel = { readonly filters: FunnelParameters; readonly body: JsonObject | undefined };

export function correlatedFunnel(flags: FunnelFlags, context: Context): CorrelatedFunnel {
  const { body, ...others } = flags;
  if (body === undefined) return { filters: readFunnel(flags, context), body };
  return { filters: funnelParameters({ ...others, body: asObject(body.filters) ?? {} }), body };
}

export const keepingOptions = {
  create: { type: 'text', placeholder: 'name', description: 'Save it as an insight with this name' },
  ...expectOptions,
} as const satisfies Options;

export type Wanted = OptionsInput<typeof keepingOptions & typeof chartOption>;

type Analysis = Wanted & {
  /** What was asked, since the answer does not repeat it. */
  readonly asked: Asked;
  readonly query?: JsonObject | undefined;
};

/** Throws if there are no figures, and `check` unless what is expected of them holds. */
export async function showAnalysis(
  ask: Ask<unknown>,
  { asked, query, create, chart, ...expected }: Analysis,
  context: Context,
): Promise<void> {
  if (create === '') throw usageError('--create is empty', 'give a name for the insight');
  const hold = await readExpected(expected, context);
  const choice = readChart(chart, context);
  const { answer, now } = await timed(ask, context);
  const figures = jsonOf(answer);
  const remarks = await printFigures(figures, { asked, choice, now }, context);
  sayAnalysisState(figures, remarks, context);
  if (create !== undefined && query !== undefined) await keepQuery(query, create, context);
  hold?.({ ...figures, ...asked }, now);
}

/** What holds the figures to what is expected of them, if something is. Throws a usage error before anything is sent. */
async function readExpected({ expect, maxDrop, maxLag, unfinished }: ExpectInput, context: Context) {
  if ((expect ?? maxDrop ?? maxLag ?? unfinished) === undefined) return undefined;
  const { expectOfAnalysis } = await import('../checks/report.ts');
  return expectOfAnalysis({ expect, maxDrop, maxLag, unfinished }, context);
}

async function keepQuery(query: JsonObject, name: string, context: Context): Promise<void> {
  const client = await context.client();
  const node = { kind: 'InsightVizNode', source: query };
  const made = await client.call(insights.create, { name, query: node, saved: true });
  context.report(`Created ${describeInsight(made)}.`);
}

/** Every answer is JSON, whose type its row narrows; an empty one is no answer to a calculation. */
function jsonOf(answer: unknown): JsonObject {
  if (typeof answer === 'object' && answer !== null) return answer as JsonObject;
  throw new CliError('unavailable', 'the service answered with something that is not an object');
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
