import { usageError } from '../errors.ts';
import { asObject, filled, type JsonObject } from '../json/kinds.ts';
import { correlationQuery } from './correlation-query.ts';
import { funnelQuery } from './funnel-query.ts';
import {
  actionNode,
  breakdownFilter,
  eventNode,
  type Filters,
  insightFields,
  refuseUnknown,
} from './series.ts';

const COMMON = [
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
  'interval',
] as const;

/** The people behind one figure, one column with everything about each. */
function actorsOf(source: JsonObject): JsonObject {
  return { kind: 'ActorsQuery', select: ['actor'], source };
}

/** P13, P14: the people of a funnel step. Throws a usage error where no step is named. */
export function funnelActorsQuery({ funnel_step, ...funnel }: Filters): JsonObject {
  if (funnel_step === undefined) throw usageError('the query needs the step', 'name it with --step');
  return actorsOf({ kind: 'FunnelsActorsQuery', source: funnelQuery(funnel), funnelStep: funnel_step });
}

/** P15, P16: the people who did the correlated event, and converted or not. */
export function correlationActorsQuery(filters: Filters): JsonObject {
  const {
    funnel_correlation_person_entity: given,
    funnel_correlation_person_converted: converted,
    ...funnel
  } = filters;
  const entity = asObject(given);
  if (entity === undefined) throw usageError('the query needs the correlated event', 'name it with --entity');
  return actorsOf(
    filled({
      kind: 'FunnelCorrelationActorsQuery',
      source: correlationQuery(funnel),
      funnelCorrelationPersonConverted: converted,
      funnelCorrelationPersonEntity: entity.type === 'actions' ? actionNode(entity) : eventNode(entity),
    }),
  );
}

/** P17: the people of one status on one day. Throws a usage error where one of the two is missing. */
export function lifecycleActorsQuery({ target_date, lifecycle_type, ...filters }: Filters): JsonObject {
  refuseUnknown(filters, COMMON);
  if (target_date === undefined || lifecycle_type === undefined) {
    throw usageError('the query needs day and status', 'name them with --day and --status');
  }
  return actorsOf({
    kind: 'InsightActorsQuery',
    source: { kind: 'LifecycleQuery', ...insightFields(filters) },
    day: target_date,
    status: lifecycle_type,
  });
}

/** P18: the people who did it in so many periods. Throws a usage error where the number is missing. */
export function stickinessActorsQuery({ stickiness_days, ...filters }: Filters): JsonObject {
  refuseUnknown(filters, COMMON);
  if (stickiness_days === undefined) {
    throw usageError('the query needs the number of days', 'give it with --days');
  }
  return actorsOf({
    kind: 'StickinessActorsQuery',
    source: { kind: 'StickinessQuery', ...insightFields(filters) },
    day: stickiness_days,
  });
}

/** Which point of a trend: the series counted from 0, and the day, if one is meant. */
export type TrendPoint = { readonly series: number; readonly day?: string | undefined };

/** P19: the people behind one point of a trend; without a day, those of the whole range. */
export function trendsActorsQuery(filters: Filters, { series, day }: TrendPoint): JsonObject {
  // The entity is the series that the index names, so it needs no place of its own.
  const { entity_id, entity_type, entity_math, breakdown_value, display, ...rest } = filters;
  refuseUnknown(rest, [...COMMON, 'breakdown', 'breakdown_type', 'breakdown_limit']);
  return actorsOf(
    filled({
      kind: 'InsightActorsQuery',
      source: filled({
        kind: 'TrendsQuery',
        ...insightFields(rest),
        breakdownFilter: breakdownFilter(rest),
        trendsFilter: display === undefined ? undefined : { display },
      }),
      day,
      series,
      breakdown: breakdown_value,
    }),
  );
}
