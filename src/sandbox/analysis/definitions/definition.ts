import { asObject, type Json, type JsonObject } from '../../../json/kinds.ts';
import { invalid } from '../../refusal.ts';
import type { CorrelationDefinition } from '../correlation.ts';
import type { FunnelDefinition } from '../funnels/funnel-definition.ts';
import type { LifecycleDefinition } from '../lifecycle.ts';
import type { RetentionDefinition } from '../retention.ts';
import type { StickinessDefinition } from '../stickiness.ts';
import type { TrendsDefinition } from '../trends/measure.ts';
import { readText } from './fields.ts';
import {
  readLegacyFunnel,
  readLegacyLifecycle,
  readLegacyRetention,
  readLegacyStickiness,
  readLegacyTrends,
} from './legacy-filters.ts';
import {
  readCorrelationQuery,
  readFunnelsQuery,
  readLifecycleQuery,
  readRetentionQuery,
  readStickinessQuery,
  readTrendsQuery,
} from './query-nodes.ts';

/** Anything that can be calculated. */
export type AnalysisDefinition =
  | FunnelDefinition
  | TrendsDefinition
  | LifecycleDefinition
  | StickinessDefinition
  | RetentionDefinition
  | CorrelationDefinition;

type Reader = (source: JsonObject) => AnalysisDefinition;

const QUERY_READERS: Readonly<Record<string, Reader>> = {
  FunnelsQuery: readFunnelsQuery,
  TrendsQuery: readTrendsQuery,
  LifecycleQuery: readLifecycleQuery,
  StickinessQuery: readStickinessQuery,
  RetentionQuery: readRetentionQuery,
  FunnelCorrelationQuery: readCorrelationQuery,
};

const FILTER_READERS: Readonly<Record<string, Reader>> = {
  FUNNELS: readLegacyFunnel,
  TRENDS: readLegacyTrends,
  LIFECYCLE: readLegacyLifecycle,
  STICKINESS: readLegacyStickiness,
  RETENTION: readLegacyRetention,
};

const FRAMES: readonly (Json | undefined)[] = ['InsightVizNode', 'DataVisualizationNode', 'DataTableNode'];

/** What stands in a node that only says how it is shown; undefined for any other. */
export function framedQuery({ kind, source }: JsonObject): JsonObject | undefined {
  return FRAMES.includes(kind) ? asObject(source) : undefined;
}

/** The query behind all frames. */
export function unwrapQuery(node: JsonObject): JsonObject {
  const framed = framedQuery(node);
  return framed === undefined ? node : unwrapQuery(framed);
}

/** Reads a query node. Throws a 400 for kinds that are not calculated here. */
export function readQueryDefinition(node: JsonObject): AnalysisDefinition {
  const query = unwrapQuery(node);
  const kind = readText(query.kind) ?? '';
  const read = Object.hasOwn(QUERY_READERS, kind) ? QUERY_READERS[kind] : undefined;
  if (read === undefined) throw invalid('query', `Queries of the kind "${kind}" are not supported here.`);
  return read(query);
}

/** Reads the old `filters` of an insight; trends by default. Throws a 400 for kinds not calculated here. */
export function readFilterDefinition(filters: JsonObject): AnalysisDefinition {
  const insight = readText(filters.insight)?.toUpperCase() ?? 'TRENDS';
  const read = Object.hasOwn(FILTER_READERS, insight) ? FILTER_READERS[insight] : undefined;
  if (read === undefined)
    throw invalid('filters', `Insights of the kind "${insight}" are not supported here.`);
  return read(filters);
}
