import type { Json, JsonObject } from '../../../json/kinds.ts';
import type { CorrelationDefinition } from '../correlation/correlation.ts';
import type { CorrelationActorsSelection } from '../correlation/correlation-actors.ts';
import type { FunnelActorsSelection } from '../funnels/funnel-actors.ts';
import type { FunnelDefinition } from '../funnels/funnel-definition.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { LifecycleDefinition } from '../lifecycle.ts';
import type { RetentionDefinition } from '../retention.ts';
import type { StickinessActorsSelection, StickinessDefinition } from '../stickiness.ts';
import type { TrendActorsSelection } from '../trends/trend-actors.ts';
import type { TrendsDefinition } from '../trends/trends-definition.ts';
import { readBreakdownValue } from './fields.ts';
import { readSingleEntity } from './legacy-entities.ts';
import {
  readLegacyCorrelation,
  readLegacyFunnel,
  readLegacyLifecycle,
  readLegacyStickiness,
  readLegacyTrends,
} from './legacy-filters.ts';
import { readFlag, readNumber, readText, readValue } from './reading.ts';

/** Whose actors are asked for: an analysis, and which of its numbers. */
export type ActorsRequest =
  | { readonly of: FunnelDefinition; readonly wanted: FunnelActorsSelection }
  | { readonly of: TrendsDefinition; readonly wanted: TrendActorsSelection }
  | { readonly of: LifecycleDefinition; readonly wanted: { readonly status: string; readonly day: string } }
  | {
      readonly of: StickinessDefinition;
      readonly wanted: StickinessActorsSelection;
    }
  | { readonly of: RetentionDefinition; readonly wanted: { readonly cohort: number } }
  | { readonly of: CorrelationDefinition; readonly wanted: CorrelationActorsSelection };

/** P13 and P14: a funnel with `funnel_step`, or `entrance_period_start` and `drop_off`. */
export function readFunnelPersons(body: JsonObject): ActorsRequest {
  const breakdown = readBreakdownValue(body.funnel_step_breakdown);
  return {
    of: readLegacyFunnel(body),
    wanted: {
      breakdown,
      ...funnelPoint({
        step: body.funnel_step,
        entrancePeriodStart: body.entrance_period_start,
        dropOff: body.drop_off,
        field: 'funnel_step',
      }),
    },
  };
}

type PointFields = {
  readonly step: Json | undefined;
  readonly entrancePeriodStart: Json | undefined;
  readonly dropOff: Json | undefined;
  readonly field: string;
};

/** Which number of a funnel. Throws a 400 where neither a step nor a period is named. */
export function funnelPoint({ step, entrancePeriodStart, dropOff, field }: PointFields) {
  const period = readText(entrancePeriodStart);
  if (period !== undefined) {
    return { kind: 'period', entrancePeriodStart: period, dropOff: readFlag(dropOff) } as const;
  }
  const number = readNumber(step, field);
  if (number === undefined) throw invalidRequest(`${field} is required.`, { code: 'required', attr: field });
  return { kind: 'step', step: number } as const;
}

/** P15 and P16: a funnel with the correlated event, or the values of properties. */
export function readCorrelationPersons(body: JsonObject): ActorsRequest {
  const converted = readText(body.funnel_correlation_person_converted);
  return {
    of: readLegacyCorrelation(body),
    wanted: {
      converted: converted === undefined ? undefined : readFlag(converted),
      entity: readSingleEntity(body.funnel_correlation_person_entity),
      propertyValues: readValue(body.funnel_correlation_property_values),
    },
  };
}

/** P17: a lifecycle with `lifecycle_type` and `target_date`. */
export function readLifecyclePersons(body: JsonObject): ActorsRequest {
  const status = readText(body.lifecycle_type) ?? 'new';
  return { of: readLegacyLifecycle(body), wanted: { status, day: readText(body.target_date) ?? 'dStart' } };
}

/** P18: stickiness with `stickiness_days`. */
export function readStickinessPersons(body: JsonObject): ActorsRequest {
  const periods = readNumber(body.stickiness_days, 'stickiness_days') ?? 1;
  return { of: readLegacyStickiness(body), wanted: { series: 0, periods } };
}

/** P19: trends whose dates are the point asked for, with `breakdown_value` where there is a breakdown. */
export function readTrendsPersons(body: JsonObject): ActorsRequest {
  const breakdown = readBreakdownValue(body.breakdown_value);
  return { of: readLegacyTrends(body), wanted: { series: 0, breakdown } };
}
