import { asObject, isObject, type Json, type JsonObject } from '../../../json/kinds.ts';
import { invalid, Refusal } from '../../refusal.ts';
import { readChoice, readNumber, readObjects, readText, readTexts, readValue } from './fields.ts';
import {
  type CorrelationDefinition,
  type FunnelDefinition,
  type LifecycleDefinition,
  nodeOf,
  type RetentionDefinition,
  readCorrelationQuery,
  readFunnelsQuery,
  readLifecycleQuery,
  readRetentionQuery,
  readStickinessQuery,
  readSubject,
  readTrendsQuery,
  type StickinessDefinition,
  type TrendsDefinition,
} from './query-nodes.ts';

/**
 * Bodies in the form of `/insights/funnel/` and of insights' `filters`, read as the query nodes that mean the same. From
 * a query string every field may be text.
 */

/** Reads the body of a funnel. Whether the funnel makes sense is checked when it is calculated. */
export function readLegacyFunnel(body: JsonObject): FunnelDefinition {
  return inOldNames(() =>
    readFunnelsQuery({
      ...selectionOf(body),
      series: entitiesOf(body),
      breakdownFilter: body,
      funnelsFilter: { ...inNewNames(body), ...windowOf(body), exclusions: exclusionsOf(body) },
    }),
  );
}

/** Reads the body of a correlation, which is that of its funnel with more fields. */
export function readLegacyCorrelation(body: JsonObject): CorrelationDefinition {
  const subject = inOldNames(() => readSubject(inNewNames(body)));
  return { kind: 'correlation', funnel: readLegacyFunnel(body), subject };
}

/** Reads the body of trends; a single series may be given as `entity_id`, `entity_type` and `entity_math`. */
export function readLegacyTrends(body: JsonObject): TrendsDefinition {
  const formulas = readTexts(body.formula);
  return inOldNames(() =>
    readTrendsQuery({
      ...selectionOf(body),
      series: seriesOf(body),
      breakdownFilter: body,
      trendsFilter: { ...inNewNames(body), formulas },
    }),
  );
}

export function readLegacyLifecycle(body: JsonObject): LifecycleDefinition {
  return inOldNames(() => readLifecycleQuery({ ...selectionOf(body), series: seriesOf(body) }));
}

export function readLegacyStickiness(body: JsonObject): StickinessDefinition {
  return inOldNames(() => readStickinessQuery({ ...selectionOf(body), series: seriesOf(body) }));
}

/** The old form counts back from the end, whatever its start says. */
export function readLegacyRetention(body: JsonObject): RetentionDefinition {
  return inOldNames(() =>
    readRetentionQuery({
      ...selectionOf({ ...body, date_from: null }),
      retentionFilter: {
        ...inNewNames(body),
        targetEntity: singleEntityOf(body.target_entity) ?? null,
        returningEntity: singleEntityOf(body.returning_entity) ?? null,
      },
    }),
  );
}

/** Faults name the fields as the old form spells them. */
export function inOldNames<Definition>(read: () => Definition): Definition {
  try {
    return read();
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.attr === null) throw fault;
    const { status, type, code, attr } = fault;
    const name = attr === 'series' ? 'actions' : oldName(attr);
    throw new Refusal(status, fault.message.replaceAll(attr, name), { type, code, attr: name });
  }
}

function oldName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Fields of the old form as query nodes spell them. */
export function inNewNames(body: JsonObject): JsonObject {
  const newName = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [newName(name), value]));
}

function selectionOf(body: JsonObject): JsonObject {
  const { properties = null, date_from = null, date_to = null, explicit_date: explicitDate = null } = body;
  const { interval = null, filter_test_accounts: filterTestAccounts = null } = body;
  const { compare = null, compare_to = null } = body;
  // Here 0 is "by person"; the query nodes count group types from 0.
  const group = readNumber(body.aggregation_group_type_index, 'aggregation_group_type_index') ?? 0;
  return {
    properties,
    filterTestAccounts,
    dateRange: { date_from, date_to, explicitDate },
    interval,
    compareFilter: { compare, compare_to },
    aggregation_group_type_index: group > 0 ? group : null,
  };
}

function windowOf(body: JsonObject): JsonObject {
  const { funnel_window_interval: amount = null, funnel_window_days: days = null } = body;
  if (readText(amount) === undefined) {
    return { funnelWindowInterval: days, funnelWindowIntervalUnit: 'day' };
  }
  const unit = body.funnel_window_interval_type ?? body.funnel_window_interval_unit ?? null;
  return { funnelWindowInterval: amount, funnelWindowIntervalUnit: unit };
}

function seriesOf(body: JsonObject): readonly JsonObject[] {
  const id = body.entity_id ?? body.entityId;
  if (id === undefined) return entitiesOf(body);
  const type = readChoice(body.entity_type ?? body.type, ['events', 'actions'], 'entity_type');
  const single = { id, math: body.entity_math ?? null, math_property: body.entity_math_property ?? null };
  return [nodeOf(single, type)];
}

/** The events and actions of a body in their common order; those without a number come last. */
function entitiesOf(body: JsonObject): readonly JsonObject[] {
  const events = readObjects(body.events, 'events').map((entity) => ({ entity, type: 'events' }));
  const actions = readObjects(body.actions, 'actions').map((entity) => ({ entity, type: 'actions' }));
  const place = (entity: JsonObject) => readNumber(entity.order, 'order') ?? Number.MAX_SAFE_INTEGER;
  return [...events, ...actions]
    .sort((one, other) => place(one.entity) - place(other.entity))
    .map(({ entity, type }) => nodeOf(entity, type));
}

/** An entity given on its own, as JSON or as text: `{ "id": "signup", "type": "events" }` or just `signup`. */
export function singleEntityOf(value: Json | undefined): JsonObject | undefined {
  const given = readValue(value) ?? null;
  if (given === null) return undefined;
  const entity: JsonObject = asObject(given) ?? { id: given };
  return nodeOf(entity, entity.type);
}

function exclusionsOf(body: JsonObject): readonly JsonObject[] {
  return readObjects(body.exclusions, 'exclusions').map((exclusion) => ({
    ...nodeOf(exclusion, exclusion.type),
    ...inNewNames(exclusion),
  }));
}

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
  CORRELATION: readLegacyCorrelation,
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

/** Reads a query node, or `{ filters }` in the old form. Throws a 400 for kinds that are not calculated here. */
export function readQueryDefinition(node: JsonObject): AnalysisDefinition {
  const query = unwrapQuery(node);
  if (query.kind === undefined && isObject(query.filters)) return readFilterDefinition(query.filters);
  const kind = readText(query.kind) ?? '';
  const read = Object.hasOwn(QUERY_READERS, kind) ? QUERY_READERS[kind] : undefined;
  if (read === undefined) throw invalid('query', `Queries of the kind "${kind}" are not supported here.`);
  return read(query);
}

/** Reads the old `filters` of an insight; trends by default. Throws a 400 for kinds not calculated here. */
function readFilterDefinition(filters: JsonObject): AnalysisDefinition {
  const insight = readText(filters.insight)?.toUpperCase() ?? 'TRENDS';
  const read = Object.hasOwn(FILTER_READERS, insight) ? FILTER_READERS[insight] : undefined;
  if (read === undefined)
    throw invalid('filters', `Insights of the kind "${insight}" are not supported here.`);
  return read(filters);
}
