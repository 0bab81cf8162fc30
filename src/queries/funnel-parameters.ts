import type { InputOf } from '../api/endpoint.ts';
import type { insights } from '../api/endpoints/insights.ts';
import { usageError } from '../errors.ts';
import { asList, filled, type Json, type JsonObject } from '../json/kinds.ts';
import { type Condition, propertyFilter } from './conditions.ts';
import { readSteps, type StepFlags, wordsOf } from './steps.ts';

/** The fields of a funnel calculation, by the service's names. */
export type FunnelParameters = InputOf<typeof insights.funnel>;

type Shared = Pick<
  FunnelParameters,
  'date_from' | 'date_to' | 'filter_test_accounts' | 'breakdown_type' | 'breakdown_limit'
>;

/** A funnel as it was typed. `body` is the whole of it and stands alone. */
export type FunnelFlags = StepFlags &
  Shared & {
    readonly property?: readonly Condition[] | undefined;
    readonly breakdown?: readonly string[] | undefined;
    readonly window?: Window | undefined;
    readonly windowDays?: number | undefined;
    readonly orderType?: FunnelParameters['funnel_order_type'];
    readonly viz?: FunnelParameters['funnel_viz_type'];
    readonly groupTypeIndex?: number | undefined;
    readonly body?: JsonObject | undefined;
  };

type Window = {
  readonly count: number;
  readonly unit: NonNullable<FunnelParameters['funnel_window_interval_type']>;
};

/**
 * The fields of a funnel; what was not given is absent, so that the service's defaults stay the service's. Throws a
 * usage error where there are neither events nor actions, and for a body beside other options.
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
    throw usageError('--window and --window-days both give the conversion window', 'give --window');
  }
  const { events, actions, exclusions } = readSteps(wordsOf(flags));
  requireSteps({ events: events ?? [], actions: actions ?? [] });
  const fields = filled({
    events,
    actions,
    properties: flags.property?.map(propertyFilter),
    filter_test_accounts: flags.filter_test_accounts,
    date_from: flags.date_from,
    date_to: flags.date_to,
    breakdown: flags.breakdown && readBreakdown(flags.breakdown, flags.breakdown_type),
    breakdown_type: flags.breakdown_type,
    breakdown_limit: flags.breakdown_limit,
    funnel_window_interval: flags.window?.count,
    funnel_window_interval_type: flags.window?.unit,
    funnel_viz_type: flags.viz,
    funnel_order_type: flags.orderType,
    exclusions,
    aggregation_group_type_index: flags.groupTypeIndex,
    funnel_window_days: flags.windowDays,
  });
  // Each field above is named after, and typed as, the row's parameter of that name.
  return fields as FunnelParameters;
}

/** Throws a usage error where there is neither an event nor an action: the service needs one of them. */
export function requireSteps(fields: { readonly [name: string]: Json | undefined }): void {
  const isGiven = (name: string) => (asList(fields[name]) ?? []).length > 0;
  if (isGiven('events') || isGiven('actions')) return;
  throw usageError(
    'there are neither events nor actions',
    'name the steps with --events a,b or --actions 1,2',
  );
}

/** One property key, several of them, or cohort ids. Throws a usage error for a cohort that is none. */
export function readBreakdown(texts: readonly string[], type: string | undefined): Json {
  if (texts.includes('')) throw usageError('--breakdown is empty', 'quote names that begin with $');
  if (type === 'cohort') return texts.flatMap((text) => text.split(',')).map(cohortId);
  return texts.length === 1 ? (texts[0] ?? '') : texts;
}

function cohortId(text: string): Json {
  if (text === 'all') return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`--breakdown of cohorts wants cohort ids, not "${text}"`);
}
