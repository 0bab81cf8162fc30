import { asObject, type Json, type JsonObject } from '../../../json/kinds.ts';
import { invalid, invalidRequest } from '../../refusal.ts';
import type { CorrelationDefinition, CorrelationSubject } from '../correlation.ts';
import type { Entity } from '../filters/entity.ts';
import type { Exclusion, FunnelDefinition } from '../funnels/funnel-definition.ts';
import type { LifecycleDefinition } from '../lifecycle.ts';
import type { RetentionDefinition } from '../retention.ts';
import type { Selection } from '../selection.ts';
import type { StickinessDefinition } from '../stickiness.ts';
import type { TrendsDefinition } from '../trends/measure.ts';
import {
  readAttribution,
  readBreakdown,
  readChoice,
  readFilters,
  readFlag,
  readInterval,
  readNumber,
  readObjects,
  readText,
  readTexts,
  readValue,
  readWindow,
} from './fields.ts';

/** Bodies in the form of `/insights/funnel/` and of insights' `filters`; from a query string every field may be text. */

function readSelection(body: JsonObject): Selection {
  // Here 0 is "by person"; the query nodes count group types from 0.
  const group = readNumber(body.aggregation_group_type_index, 'aggregation_group_type_index') ?? 0;
  return {
    filters: readFilters(body.properties),
    filterTestAccounts: readFlag(body.filter_test_accounts),
    dates: {
      from: readText(body.date_from),
      to: readText(body.date_to),
      exact: readFlag(body.explicit_date),
    },
    interval: readInterval(body.interval),
    groupTypeIndex: group > 0 ? group : undefined,
  };
}

function readComparison(body: JsonObject) {
  return readFlag(body.compare) ? { to: readText(body.compare_to) } : undefined;
}

/** Reads the body of a funnel. Whether the funnel makes sense is checked when it is calculated. */
export function readLegacyFunnel(body: JsonObject): FunnelDefinition {
  const steps = readEntities(body);
  const amount = readNumber(body.funnel_window_interval, 'funnel_window_interval');
  const days = readNumber(body.funnel_window_days, 'funnel_window_days');
  const unit = body.funnel_window_interval_type ?? body.funnel_window_interval_unit;
  return {
    kind: 'funnel',
    ...readSelection(body),
    steps,
    exclusions: readExclusions(body, steps.length),
    order: readChoice(body.funnel_order_type, ['ordered', 'strict', 'unordered'], 'funnel_order_type'),
    view: readChoice(body.funnel_viz_type, ['steps', 'trends', 'time_to_convert'], 'funnel_viz_type'),
    windowSeconds: amount === undefined ? readWindow(days, 'day') : readWindow(amount, unit),
    breakdown: readBreakdown(body),
    attribution: readAttribution(body.breakdown_attribution_type, body.breakdown_attribution_value),
    fromStep: readNumber(body.funnel_from_step, 'funnel_from_step'),
    toStep: readNumber(body.funnel_to_step, 'funnel_to_step'),
    binCount: readBinCount(body.bin_count),
    compare: readComparison(body),
  };
}

/** The number of bins of a time to convert; the service draws at most 90. */
export function readBinCount(value: Json | undefined): number | undefined {
  if (value === 'auto') return undefined;
  const count = readNumber(value, 'bin_count');
  if (count === undefined) return undefined;
  if (!(Number.isInteger(count) && count >= 1 && count <= 90)) {
    throw invalid('bin_count', 'bin_count must be a whole number from 1 to 90.');
  }
  return count;
}

/** Reads the body of a correlation, which is that of its funnel with more fields. */
export function readLegacyCorrelation(body: JsonObject): CorrelationDefinition {
  return { kind: 'correlation', funnel: readLegacyFunnel(body), subject: readSubject(body) };
}

function readSubject(body: JsonObject): CorrelationSubject {
  const kinds = ['events', 'properties', 'event_with_properties'] as const;
  const kind = readChoice(body.funnel_correlation_type, kinds, 'funnel_correlation_type');
  if (kind === 'events')
    return { kind, exceptEvents: readTexts(body.funnel_correlation_exclude_event_names) };
  if (kind === 'properties') {
    return {
      kind,
      names: readNames(body, 'funnel_correlation_names'),
      exceptNames: readTexts(body.funnel_correlation_exclude_names),
    };
  }
  return {
    kind,
    events: readNames(body, 'funnel_correlation_event_names'),
    exceptProperties: readTexts(body.funnel_correlation_event_exclude_property_names),
  };
}

/** What a correlation is about. Throws a 400 without any name, as the service does. */
export function readNames(fields: JsonObject, attr: string): readonly string[] {
  const names = readTexts(fields[attr]);
  if (names.length > 0) return names;
  throw invalid(attr, `${attr} must name at least one.`, 'required');
}

/** Reads the body of trends; a single series may be given as `entity_id`, `entity_type` and `entity_math`. */
export function readLegacyTrends(body: JsonObject): TrendsDefinition {
  return {
    kind: 'trends',
    ...readSelection(body),
    series: readSeries(body),
    breakdown: readBreakdown(body),
    hidesOther: readFlag(body.breakdown_hide_other_aggregation),
    display: readText(body.display) ?? 'ActionsLineGraph',
    smoothing: readNumber(body.smoothing_intervals, 'smoothing_intervals') ?? 1,
    formulas: readTexts(body.formula),
    compare: readComparison(body),
  };
}

function readSeries(body: JsonObject): readonly Entity[] {
  const id = body.entity_id ?? body.entityId;
  if (id === undefined) return requireSeries(readEntities(body));
  const type = readChoice(body.entity_type ?? body.type, ['events', 'actions'], 'entity_type');
  const single = { id, math: body.entity_math ?? null, math_property: body.entity_math_property ?? null };
  return [readEntity(single, type)];
}

/** Throws a 400 if there is nothing to count. */
export function requireSeries(series: readonly Entity[]): readonly Entity[] {
  if (series.length === 0) throw invalidRequest('One of events or actions is required.', 'required');
  return series;
}

export function readLegacyLifecycle(body: JsonObject): LifecycleDefinition {
  const [entity = pageview] = readSeries(body);
  return { kind: 'lifecycle', ...readSelection(body), entity };
}

export function readLegacyStickiness(body: JsonObject): StickinessDefinition {
  return {
    kind: 'stickiness',
    ...readSelection(body),
    series: readSeries(body),
    cumulative: false,
    compare: readComparison(body),
  };
}

export function readLegacyRetention(body: JsonObject): RetentionDefinition {
  const selection = readSelection(body);
  const target = readSingleEntity(body.target_entity) ?? pageview;
  const type = readText(body.retention_type) ?? 'retention_recurring';
  return {
    kind: 'retention',
    ...selection,
    // The old form counts back from the end, whatever its start says.
    dates: { ...selection.dates, from: undefined },
    interval: readChoice(body.period, ['day', 'hour', 'week', 'month'], 'period'),
    target,
    returning: readSingleEntity(body.returning_entity) ?? target,
    type: type === 'retention_recurring' ? 'recurring' : 'first_time',
    totalIntervals: readNumber(body.total_intervals, 'total_intervals') ?? 11,
  };
}

/** What retention counts if nothing is named. */
export const pageview: Entity = { type: 'events', id: '$pageview' };

/** The events and actions of an old filter body in their common order; those without a number come last. */
function readEntities(body: JsonObject): readonly Entity[] {
  const events = readObjects(body.events, 'events').map((entity) => ({ entity, type: 'events' as const }));
  const actions = readObjects(body.actions, 'actions').map((entity) => ({
    entity,
    type: 'actions' as const,
  }));
  const place = (entity: JsonObject) => readNumber(entity.order, 'order') ?? Number.MAX_SAFE_INTEGER;
  return [...events, ...actions]
    .sort((one, other) => place(one.entity) - place(other.entity))
    .map(({ entity, type }) => readEntity(entity, type));
}

/** One entity of an old filter body. */
function readEntity(entity: JsonObject, type: Entity['type']): Entity {
  return {
    type,
    id: type === 'actions' ? (readNumber(entity.id, 'actions') ?? null) : readEventName(entity.id),
    name: readText(entity.name),
    customName: readText(entity.custom_name),
    properties: readFilters(entity.properties),
    math: readText(entity.math),
    mathProperty: readText(entity.math_property),
    mathGroupTypeIndex: readNumber(entity.math_group_type_index, 'math_group_type_index'),
  };
}

/** The empty text is a name of its own, null is any event. */
function readEventName(id: Json | undefined): string | null {
  return typeof id === 'string' ? id : (readText(id) ?? null);
}

/** An entity given on its own, as JSON or as text: `{ "id": "signup", "type": "events" }` or just `signup`. */
export function readSingleEntity(value: Json | undefined): Entity | undefined {
  const given = readValue(value);
  if (given === undefined || given === null) return undefined;
  const entity: JsonObject = asObject(given) ?? { id: given };
  return readEntity(entity, entity.type === 'actions' ? 'actions' : 'events');
}

/** The exclusions of an old filter body. Without a range they span the whole funnel. */
function readExclusions(body: JsonObject, stepCount: number): readonly Exclusion[] {
  return readObjects(body.exclusions, 'exclusions').map((exclusion) => ({
    entity: readEntity(exclusion, exclusion.type === 'actions' ? 'actions' : 'events'),
    fromStep: readNumber(exclusion.funnel_from_step, 'funnel_from_step') ?? 0,
    toStep: readNumber(exclusion.funnel_to_step, 'funnel_to_step') ?? stepCount - 1,
  }));
}
