import { asObject, type JsonObject } from '../../../json/kinds.ts';
import { invalid } from '../../refusal.ts';
import { lifecycleActors, retentionActors, stickinessActors } from '../activity.ts';
import { correlationActors } from '../correlation.ts';
import type { AnalysisInput } from '../dataset.ts';
import { funnelActors } from '../funnels/funnel.ts';
import type { Actor } from '../selection.ts';
import { trendActors } from '../trends/trends.ts';
import {
  type AnalysisDefinition,
  inNewNames,
  inOldNames,
  readLegacyFunnel,
  readLegacyLifecycle,
  readLegacyStickiness,
  readLegacyTrends,
  readQueryDefinition,
  singleEntityOf,
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
import {
  type CorrelationSubject,
  type FunnelDefinition,
  readCorrelationFunnel,
  readFunnelsQuery,
  readNode,
} from './query-nodes.ts';

/** One of the numbers of an analysis, and how to find all actors behind it: each once, in the order of the dataset. */
export type ActorsRequest = {
  readonly of: AnalysisDefinition;
  readonly find: (input: AnalysisInput) => readonly Actor[];
};

function request<Definition extends AnalysisDefinition, Wanted>(
  find: (definition: Definition, wanted: Wanted, input: AnalysisInput) => readonly Actor[],
  of: Definition,
  wanted: Wanted,
): ActorsRequest {
  return { of, find: (input) => find(of, wanted, input) };
}

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
  return funnelRequest(readFunnelsQuery(readObject(node.source, 'source')), node);
}

/** P13 and P14: a funnel with `funnel_step`, or `entrance_period_start` and `drop_off`. */
export function readFunnelPersons(body: JsonObject): ActorsRequest {
  const { entrance_period_start: start = null, drop_off: dropOff = null } = body;
  const period = { funnelTrendsEntrancePeriodStart: start, funnelTrendsDropOff: dropOff };
  const funnel = readLegacyFunnel(body);
  return inOldNames(() => funnelRequest(funnel, { ...inNewNames(body), ...period }));
}

/** Throws a 400 if neither a step nor a period is named. */
function funnelRequest(funnel: FunnelDefinition, point: JsonObject): ActorsRequest {
  const breakdown = readBreakdownValue(point.funnelStepBreakdown);
  const entrancePeriodStart = readText(point.funnelTrendsEntrancePeriodStart);
  if (entrancePeriodStart !== undefined) {
    const dropOff = readFlag(point.funnelTrendsDropOff);
    return request(funnelActors, funnel, { kind: 'period', entrancePeriodStart, dropOff, breakdown });
  }
  const step = readNumber(point.funnelStep, 'funnelStep');
  if (step === undefined) throw invalid('funnelStep', 'funnelStep is required.', 'required');
  return request(funnelActors, funnel, { kind: 'step', step, breakdown });
}

function readInsightActors(node: JsonObject): ActorsRequest {
  const definition = readQueryDefinition(readObject(node.source, 'source'));
  const series = readNumber(node.series, 'series') ?? 0;
  if (node.compare === 'previous') {
    throw invalid('compare', 'Actors of the compared time are not supported here.');
  }
  switch (definition.kind) {
    case 'trends': {
      const breakdown = readBreakdownValue(node.breakdown);
      return request(trendActors, definition, { series, day: readText(node.day), breakdown });
    }
    case 'lifecycle': {
      const status = readText(node.status) ?? 'new';
      return request(lifecycleActors, definition, { status, day: readText(node.day) ?? 'dStart' });
    }
    case 'stickiness': {
      const periods = readNumber(node.day, 'day') ?? 1;
      return request(stickinessActors, definition, { series, periods, operator: readOperator(node) });
    }
    case 'retention':
      return request(retentionActors, definition, { cohort: readNumber(node.interval, 'interval') ?? 0 });
    default:
      throw invalid('source', `Actors of a ${definition.kind} are asked for with a query of their own.`);
  }
}

function readOperator(node: JsonObject) {
  const isGiven = readText(node.operator) !== undefined;
  return isGiven ? readChoice(node.operator, ['exact', 'gte', 'lte'], 'operator') : undefined;
}

function readCorrelationActors(node: JsonObject): ActorsRequest {
  const entity = asObject(node.funnelCorrelationPersonEntity);
  return correlationRequest(readCorrelationFunnel(readObject(node.source, 'source')), node, entity);
}

/** P15 and P16: a funnel with the correlated event, or the values of properties. */
export function readCorrelationPersons(body: JsonObject): ActorsRequest {
  const entity = singleEntityOf(body.funnel_correlation_person_entity);
  return correlationRequest(readLegacyFunnel(body), inNewNames(body), entity);
}

function correlationRequest(
  funnel: FunnelDefinition,
  point: JsonObject,
  entity: JsonObject | undefined,
): ActorsRequest {
  const { funnelCorrelationPersonConverted: converted, funnelCorrelationPropertyValues: values } = point;
  return request(correlationActors, { kind: 'correlation', funnel, subject: NO_SUBJECT } as const, {
    converted: readText(converted) === undefined ? undefined : readFlag(converted),
    entity: entity === undefined ? undefined : readNode(entity),
    propertyValues: readValue(values),
  });
}

/** People are found by an event or by property values, whatever else was correlated. */
const NO_SUBJECT: CorrelationSubject = { kind: 'properties', names: [], exceptNames: [] };

/** P17: a lifecycle with `lifecycle_type` and `target_date`. */
export function readLifecyclePersons(body: JsonObject): ActorsRequest {
  const status = readText(body.lifecycle_type) ?? 'new';
  const day = readText(body.target_date) ?? 'dStart';
  return request(lifecycleActors, readLegacyLifecycle(body), { status, day });
}

/** P18: stickiness with `stickiness_days`. */
export function readStickinessPersons(body: JsonObject): ActorsRequest {
  const periods = readNumber(body.stickiness_days, 'stickiness_days') ?? 1;
  return request(stickinessActors, readLegacyStickiness(body), { series: 0, periods });
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
  return request(trendActors, { ...trends, dates }, { series: 0, breakdown });
}
