import type { Options, OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import type { Via } from '../cli/fallback.ts';
import { CliError, usageError } from '../errors.ts';
import { asList, asObject, filled, type JsonObject } from '../json/kinds.ts';
import type { Asked } from '../service/answer.ts';
import type { Endpoint, InputOf } from '../service/endpoint.ts';
import { insights } from '../service/insights.ts';
import { platform } from '../service/platform.ts';
import {
  type FunnelFlags,
  type FunnelParameters,
  type funnelOptions,
  funnelParameters,
  funnelQuery,
  type getOption,
  readFunnel,
} from './funnel.ts';
import { describeInsight, timed } from './insight.ts';
import {
  breakdownOptions,
  conditionOptions,
  countedBy,
  type ExpectInput,
  entitiesOf,
  expectOptions,
  intervalOption,
  readBreakdown,
  seriesParameters,
  stepOptions,
} from './series.ts';
import { chartOption, printFigures, readChart, sayAnalysisState } from './show.ts';
import { breakdownFilter, insightFields } from './steps.ts';

type Analysis<Row extends Endpoint> = {
  readonly row: Row;
  readonly input: InputOf<Row>;
  /** What `--body` gave. */
  readonly body: JsonObject | undefined;
  readonly via: Via | undefined;
  readonly query: () => JsonObject;
  /** What was asked, since the answer does not repeat it. */
  readonly asked: Asked;
  /** What `--chart` or `--no-chart` said. */
  readonly chart: boolean | undefined;
};

/** Calculates an analysis, prints its figures, and returns them with the service's time. Throws if there are none. */
export async function askAnalysis<Row extends Endpoint>(
  { row, input, body, via, query, asked, chart }: Analysis<Row>,
  context: Context,
): Promise<{ readonly figures: JsonObject; readonly now: number }> {
  refuseBodyInAddress(row, body);
  const choice = readChart(chart, context);
  const { answer: answered, now } = await timed(
    (notice) => context.callOrQuery(row, input, { via, body, query, ...notice }),
    context,
  );
  const figures = jsonOf(answered.answer);
  const remarks = await printFigures(figures, { asked, choice, now }, context);
  sayAnalysisState(figures, remarks, context);
  return { figures, now };
}

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
  refuseNameless(create);
  const hold = await readExpected({ expect, maxDrop, maxLag, unfinished }, context);
  const parameters = readFunnel(flags, context);
  // What no query can express cannot be kept either, which is said before anything is sent.
  const query = create === undefined ? undefined : funnelQuery(parameters);
  const filters = filled({ insight: 'FUNNELS', ...parameters });
  const { figures, now } = await askAnalysis(
    {
      row: get ? insights.funnelGet : insights.funnel,
      input: parameters,
      body: flags.body,
      via,
      chart,
      query: () => funnelQuery(parameters),
      asked: { filters },
    },
    context,
  );
  if (create !== undefined && query !== undefined) await keepQuery(query, create, context);
  hold?.({ ...figures, filters }, now);
}

function refuseNameless(create: string | undefined): void {
  if (create === '') throw usageError('--create is empty', 'give a name for the insight');
}

/** Keeps a query as a saved insight. */
async function keepQuery(query: JsonObject, name: string, context: Context): Promise<void> {
  const client = await context.client();
  const node = { kind: 'InsightVizNode', source: query };
  const made = await client.call(insights.create, { name, query: node, saved: true });
  context.report(`Created ${describeInsight(made)}.`);
}

/** Throws a usage error for a body with GET, which has none. */
export function refuseBodyInAddress({ method }: Endpoint, body: JsonObject | undefined): void {
  if (method === 'GET' && body !== undefined)
    throw usageError('--get sends no body', 'leave out --get or --body');
}

/** An answer is JSON by whatever type its row has; an empty one is no answer to a calculation. */
function jsonOf(answer: unknown): JsonObject {
  if (typeof answer === 'object' && answer !== null) return answer as JsonObject;
  throw new CliError('unavailable', 'the service answered with something that is not an object');
}

/** The funnel of a correlation, and the whole body where one was given: the funnel is its field `filters`. */
type CorrelatedFunnel = { readonly filters: FunnelParameters; readonly body: JsonObject | undefined };

/** Throws a usage error without events and actions. */
export function correlatedFunnel(flags: FunnelFlags, context: Context): CorrelatedFunnel {
  const { body, ...others } = flags;
  if (body === undefined) return { filters: readFunnel(flags, context), body };
  return { filters: funnelParameters({ ...others, body: asObject(body.filters) ?? {} }), body };
}

/** What an analysis from options can be beside a picture: a saved insight, and a check. */
export const keepingOptions = {
  create: { type: 'text', placeholder: 'name', description: 'Save it as an insight with this name' },
  ...expectOptions,
} as const satisfies Options;

/** The options of analyses that a query answers. */
export const analysisOptions = {
  ...stepOptions,
  ...conditionOptions,
  ...intervalOption,
  ...keepingOptions,
  ...chartOption,
} as const satisfies Options;

export const trendsOptions = {
  ...analysisOptions,
  math: {
    type: 'text',
    placeholder: 'name',
    description: 'How events are counted: total, dau, weekly_active, sum, avg, p95 (service default total)',
  },
  mathProperty: { type: 'text', placeholder: 'key', description: 'Property for --math' },
  ...breakdownOptions,
} as const satisfies Options;

// The service counts back from the end by the number of intervals.
const { date_from: _start, ...retentionConditions } = analysisOptions;

export const retentionOptions = {
  ...retentionConditions,
  intervals: { type: 'integer', minimum: 2, maximum: 100, description: 'Number of intervals' },
  firstTime: { type: 'flag', description: 'Only people who did the first event for the first time' },
} as const satisfies Options;

type AnalysisFlags = OptionsInput<typeof analysisOptions>;

type TrendsFlags = OptionsInput<typeof trendsOptions>;

type RetentionFlags = OptionsInput<typeof retentionOptions>;

/** Throws a usage error for a property that nothing is calculated of. */
export function trendsQuery({ math, mathProperty: math_property, ...flags }: TrendsFlags): JsonObject {
  if (math_property !== undefined && math === undefined)
    throw usageError('--math-property needs --math', 'add --math, such as --math sum');
  const { breakdown, breakdown_type, breakdown_limit } = flags;
  const parameters = seriesParameters(flags);
  const by = breakdown && readBreakdown(breakdown, breakdown_type);
  return filled({
    kind: 'TrendsQuery',
    ...insightFields({ ...parameters, ...countedBy({ math, math_property }, parameters) }),
    breakdownFilter: breakdownFilter({ breakdown: by, breakdown_type, breakdown_limit }),
  });
}

export function stickinessQuery(flags: AnalysisFlags): JsonObject {
  return { kind: 'StickinessQuery', ...insightFields(seriesParameters(flags)) };
}

/** Throws a usage error for more than one event. */
export function lifecycleQuery(flags: AnalysisFlags): JsonObject {
  const fields = insightFields(seriesParameters(flags));
  if ((asList(fields.series) ?? []).length > 1)
    throw usageError('a lifecycle takes one event or action', 'give only one');
  return { kind: 'LifecycleQuery', ...fields };
}

/** The first event begins a cohort, the second one counts as coming back. Throws a usage error for more. */
export function retentionQuery({ intervals, firstTime, interval, ...flags }: RetentionFlags): JsonObject {
  const parameters = seriesParameters(flags);
  const { series: _series, ...fields } = insightFields(parameters);
  const [target, returning = target, ...more] = entitiesOf(parameters);
  if (more.length > 0)
    throw usageError(
      'retention takes two events or actions at most',
      'give the first one, and the one that counts as coming back',
    );
  const period = interval && `${interval.slice(0, 1).toUpperCase()}${interval.slice(1)}`;
  const retentionFilter = filled({
    targetEntity: target,
    returningEntity: returning,
    retentionType: firstTime ? 'retention_first_time' : 'retention_recurring',
    period,
    totalIntervals: intervals,
  });
  return { kind: 'RetentionQuery', ...fields, retentionFilter };
}

type Wanted = OptionsInput<typeof keepingOptions & typeof chartOption>;

/**
 * Runs the query of an analysis, prints its figures, and keeps it as an insight if that is wanted. Throws `check` unless
 * what is expected of it holds.
 */
export async function askQuery(
  query: JsonObject,
  { create, chart, ...expected }: Wanted,
  context: Context,
): Promise<void> {
  refuseNameless(create);
  const hold = await readExpected(expected, context);
  const choice = readChart(chart, context);
  const client = await context.client();
  const { answer: given, now } = await timed(
    (notice) => client.call(platform.query, { query }, notice),
    context,
  );
  const answer = jsonOf(given);
  const remarks = await printFigures(answer, { asked: { query }, choice, now }, context);
  sayAnalysisState(answer, remarks, context);
  if (create !== undefined) await keepQuery(query, create, context);
  hold?.({ ...answer, query }, now);
}

/** What holds the figures to what is expected of them, if something is. Throws a usage error before anything is sent. */
async function readExpected({ expect, maxDrop, maxLag, unfinished }: ExpectInput, context: Context) {
  if ((expect ?? maxDrop ?? maxLag ?? unfinished) === undefined) return undefined;
  const { expectOfAnalysis } = await import('./check.ts');
  return expectOfAnalysis({ expect, maxDrop, maxLag, unfinished }, context);
}
