import { asObject, type Json, type JsonObject } from '../../../json/kinds.ts';
import { invalid } from '../../refusal.ts';
import type {
  LifecycleDefinition,
  RetentionDefinition,
  StickinessActorsSelection,
  StickinessDefinition,
} from '../activity.ts';
import type {
  CorrelationActorsSelection,
  CorrelationDefinition,
  CorrelationSubject,
} from '../correlation.ts';
import type { Entity } from '../filters/entity.ts';
import type { FunnelActorsSelection } from '../funnels/funnel.ts';
import type { FunnelDefinition } from '../funnels/funnel-entries.ts';
import type { TrendsDefinition } from '../trends/measure.ts';
import type { TrendActorsSelection } from '../trends/trends.ts';
import {
  readLegacyFunnel,
  readLegacyLifecycle,
  readLegacyStickiness,
  readLegacyTrends,
  readQueryDefinition,
  readSingleEntity,
} from './definition.ts';
import {
  readBreakdownValue,
  readChoice,
  readFlag,
  readNumber,
  readObject,
  readText,
  readValue,
} from './fields.ts';
import { readCorrelationFunnel, readFunnelsQuery, readNode } from './query-nodes.ts';

type Reader = (source: JsonObject) => ActorsRequest;

const READERS: Readonly<Record<string, Reader>> = {
  FunnelsActorsQuery: readFunnelsActors,
  InsightActorsQuery: readInsightActors,
  StickinessActorsQuery: readInsightActors,
  FunnelCorrelationActorsQuery: readCorrelationActors,
};

/** Reads an `ActorsQuery` by its source. Throws a 400 for sources that are not calculated here. */
export function readActorsQuery(actorsQuery: JsonObject): ActorsRequest {
  const source = readObject(actorsQuery.source, 'source');
  const kind = readText(source.kind) ?? '';
  const read = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (read === undefined) throw invalid('source', `Actors of the kind "${kind}" are not supported here.`);
  return read(source);
}

function readFunnelsActors(node: JsonObject): ActorsRequest {
  const point = funnelPoint({
    step: node.funnelStep,
    entrancePeriodStart: node.funnelTrendsEntrancePeriodStart,
    dropOff: node.funnelTrendsDropOff,
    field: 'funnelStep',
  });
  const breakdown = readBreakdownValue(node.funnelStepBreakdown);
  return { of: readFunnelsQuery(readObject(node.source, 'source')), wanted: { breakdown, ...point } };
}

function readInsightActors(node: JsonObject): ActorsRequest {
  const definition = readQueryDefinition(readObject(node.source, 'source'));
  const series = readNumber(node.series, 'series') ?? 0;
  if (node.compare === 'previous') {
    throw invalid('compare', 'Actors of the compared time are not supported here.');
  }
  switch (definition.kind) {
    case 'trends':
      return {
        of: definition,
        wanted: { series, day: readText(node.day), breakdown: readBreakdownValue(node.breakdown) },
      };
    case 'lifecycle':
      return {
        of: definition,
        wanted: { status: readText(node.status) ?? 'new', day: readText(node.day) ?? 'dStart' },
      };
    case 'stickiness':
      return {
        of: definition,
        wanted: { series, periods: readNumber(node.day, 'day') ?? 1, operator: readOperator(node) },
      };
    case 'retention':
      return { of: definition, wanted: { cohort: readNumber(node.interval, 'interval') ?? 0 } };
    default:
      throw invalid('source', `Actors of a ${definition.kind} are asked for with a query of their own.`);
  }
}

function readOperator(node: JsonObject) {
  const isGiven = readText(node.operator) !== undefined;
  return isGiven ? readChoice(node.operator, ['exact', 'gte', 'lte'], 'operator') : undefined;
}

function readCorrelationActors(node: JsonObject): ActorsRequest {
  const { funnelCorrelationPersonConverted: converted } = node;
  return {
    of: {
      kind: 'correlation',
      funnel: readCorrelationFunnel(readObject(node.source, 'source')),
      subject: NO_SUBJECT,
    },
    wanted: {
      converted: converted === undefined || converted === null ? undefined : readFlag(converted),
      entity: readPersonEntity(node.funnelCorrelationPersonEntity),
      propertyValues: readValue(node.funnelCorrelationPropertyValues),
    },
  };
}

function readPersonEntity(value: Json | undefined): Entity | undefined {
  const node = asObject(value);
  return node === undefined ? undefined : readNode(node);
}

/** The analysis whose actors are asked for, and which of its numbers. */
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

/** Which number of a funnel. Throws a 400 if neither a step nor a period is named. */
function funnelPoint({ step, entrancePeriodStart, dropOff, field }: PointFields) {
  const period = readText(entrancePeriodStart);
  if (period !== undefined) {
    return { kind: 'period', entrancePeriodStart: period, dropOff: readFlag(dropOff) } as const;
  }
  const number = readNumber(step, field);
  if (number === undefined) throw invalid(field, `${field} is required.`, 'required');
  return { kind: 'step', step: number } as const;
}

/** People are found by an event or by property values, whatever else was correlated. */
const NO_SUBJECT: CorrelationSubject = { kind: 'properties', names: [], exceptNames: [] };

/** P15 and P16: a funnel with the correlated event, or the values of properties. */
export function readCorrelationPersons(body: JsonObject): ActorsRequest {
  const converted = readText(body.funnel_correlation_person_converted);
  return {
    of: { kind: 'correlation', funnel: readLegacyFunnel(body), subject: NO_SUBJECT },
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

/**
 * P19: trends whose dates are the point asked for, with `breakdown_value` if there is a breakdown. A range that begins
 * and ends with the same date is a point, and stands for its whole period.
 */
export function readTrendsPersons(body: JsonObject): ActorsRequest {
  const breakdown = readBreakdownValue(body.breakdown_value);
  const trends = readLegacyTrends(body);
  const { from, to } = trends.dates;
  const dates = { ...trends.dates, isPoint: from !== undefined && from === to };
  return { of: { ...trends, dates }, wanted: { series: 0, breakdown } };
}
