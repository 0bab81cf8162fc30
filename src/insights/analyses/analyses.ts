import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { asList, filled, type JsonObject } from '../../json/kinds.ts';
import { type Ask, chartOption } from '../answers/show.ts';
import { keepingOptions, showAnalysis, type Wanted } from './analysis.ts';
import { type FunnelFlags, funnelOptions, funnelParameters, funnelQuery } from './funnel.ts';
import {
  breakdownFilter,
  breakdownOptions,
  conditionOptions,
  countedBy,
  entitiesOf,
  insightFields,
  readBreakdown,
  seriesParameters,
  stepOptions,
} from './steps.ts';

const analysisOptions = {
  ...stepOptions,
  ...conditionOptions,
  interval: {
    type: 'text',
    choices: ['hour', 'day', 'week', 'month'],
    description: 'Length of an interval (service default day)',
  },
  ...keepingOptions,
  ...chartOption,
} as const satisfies Options;

const trendsOptions = {
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

const retentionOptions = {
  ...retentionConditions,
  intervals: { type: 'integer', minimum: 2, maximum: 100, description: 'Number of intervals' },
  firstTime: { type: 'flag', description: 'Only people who did the first event for the first time' },
} as const satisfies Options;

type AnalysisFlags = OptionsInput<typeof analysisOptions>;

type TrendsFlags = OptionsInput<typeof trendsOptions>;

type RetentionFlags = OptionsInput<typeof retentionOptions>;

/** Throws a usage error for a property that nothing is calculated of. */
function trendsQuery({ math, mathProperty: math_property, ...flags }: TrendsFlags): JsonObject {
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

function stickinessQuery(flags: AnalysisFlags): JsonObject {
  return { kind: 'StickinessQuery', ...insightFields(seriesParameters(flags)) };
}

/** Throws a usage error for more than one event. */
function lifecycleQuery(flags: AnalysisFlags): JsonObject {
  const fields = insightFields(seriesParameters(flags));
  if ((asList(fields.series) ?? []).length > 1)
    throw usageError('a lifecycle takes one event or action', 'give only one');
  return { kind: 'LifecycleQuery', ...fields };
}

/** The first event begins a cohort, the second one counts as coming back. Throws a usage error for more. */
function retentionQuery({ intervals, firstTime, interval, ...flags }: RetentionFlags): JsonObject {
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

export async function showQuery(query: JsonObject, wanted: Wanted, context: Context): Promise<void> {
  const client = await context.client();
  const ask: Ask<unknown> = (notice) => client.query({ query }, notice);
  await showAnalysis(ask, { ...wanted, query, asked: { query } }, context);
}

/** The analyses from options, for commands and for checks. */
export const ANALYSES = {
  trends: { options: trendsOptions, query: trendsQuery },
  funnel: { options: funnelOptions, query: (flags: FunnelFlags) => funnelQuery(funnelParameters(flags)) },
  retention: { options: retentionOptions, query: retentionQuery },
  lifecycle: { options: analysisOptions, query: lifecycleQuery },
  stickiness: { options: analysisOptions, query: stickinessQuery },
} as const;
