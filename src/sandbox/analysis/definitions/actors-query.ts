import type { Json, JsonObject } from '../../../json/kinds.ts';
import type { Entity } from '../filters/entity.ts';
import { invalidRequest } from '../invalid-request.ts';
import { type ActorsRequest, funnelPoint } from './actors-request.ts';
import { readCorrelationQuery } from './correlation-query.ts';
import { readQueryDefinition } from './definition.ts';
import { readBreakdownValue } from './fields.ts';
import { readFunnelsQuery } from './query-nodes.ts';
import { readNode } from './query-series.ts';
import { asObject, readChoice, readFlag, readNumber, readObject, readText, readValue } from './reading.ts';

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
  if (read === undefined)
    throw invalidRequest(`Actors of the kind "${kind}" are not supported here.`, { attr: 'source' });
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
    throw invalidRequest('Actors of the compared time are not supported here.', { attr: 'compare' });
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
      throw invalidRequest(`Actors of a ${definition.kind} are asked for with a query of their own.`, {
        attr: 'source',
      });
  }
}

function readOperator(node: JsonObject) {
  const isGiven = readText(node.operator) !== undefined;
  return isGiven ? readChoice(node.operator, ['exact', 'gte', 'lte'], 'operator') : undefined;
}

function readCorrelationActors(node: JsonObject): ActorsRequest {
  const { funnelCorrelationPersonConverted: converted } = node;
  return {
    of: readCorrelationQuery(readObject(node.source, 'source')),
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
