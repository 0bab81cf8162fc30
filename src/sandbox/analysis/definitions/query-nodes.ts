import { asObject, type Json, type JsonObject } from '../../../json/kinds.ts';
import { invalid, invalidRequest } from '../../refusal.ts';
import type { Entity } from '../filters/entity.ts';
import type { DateSelection } from '../time/date-range.ts';
import {
  readAttribution,
  readBreakdown,
  readChoice,
  readFlag,
  readNumber,
  readObject,
  readObjects,
  readText,
  readTexts,
  readValue,
  readWindow,
} from './fields.ts';

/** Query nodes as they stand in an insight's `query` and in calls to `query/`. */

/** What every analysis says about whom and when. */
export type Selection = Readonly<ReturnType<typeof readSelection>>;

function readSelection(node: JsonObject) {
  const range = readObject(node.dateRange, 'dateRange');
  const dates: DateSelection = {
    from: readText(range.date_from),
    to: readText(range.date_to),
    exact: readFlag(range.explicitDate),
  };
  return {
    filters: readValue(node.properties) ?? null,
    filterTestAccounts: readFlag(node.filterTestAccounts),
    dates,
    interval: readChoice(node.interval, ['day', 'minute', 'hour', 'week', 'month'], 'interval'),
    groupTypeIndex: readNumber(node.aggregation_group_type_index, 'aggregation_group_type_index'),
  };
}

function readComparison(node: JsonObject) {
  const comparison = readObject(node.compareFilter, 'compareFilter');
  return readFlag(comparison.compare) ? { to: readText(comparison.compare_to) } : undefined;
}

export type FunnelDefinition = Readonly<ReturnType<typeof readFunnelsQuery>>;

/** Steps count from 0, the window is in seconds. */
export function readFunnelsQuery(node: JsonObject) {
  const filter = readObject(node.funnelsFilter, 'funnelsFilter');
  if (readText(filter.funnelAggregateByHogQL) !== undefined) {
    throw invalid('funnelsFilter', 'Funnels by an SQL expression are not supported here.');
  }
  const steps = readQuerySeries(node.series);
  const amount = readNumber(filter.funnelWindowInterval, 'funnelWindowInterval');
  return {
    kind: 'funnel' as const,
    ...readSelection(node),
    steps,
    exclusions: readQueryExclusions(filter.exclusions, steps.length),
    order: readChoice(filter.funnelOrderType, ['ordered', 'strict', 'unordered'], 'funnelOrderType'),
    view: readChoice(filter.funnelVizType, ['steps', 'trends', 'time_to_convert'], 'funnelVizType'),
    windowSeconds: readWindow(amount, filter.funnelWindowIntervalUnit),
    breakdown: readBreakdown(readObject(node.breakdownFilter, 'breakdownFilter')),
    attribution: readAttribution(filter.breakdownAttributionType, filter.breakdownAttributionValue),
    fromStep: readNumber(filter.funnelFromStep, 'funnelFromStep'),
    toStep: readNumber(filter.funnelToStep, 'funnelToStep'),
    binCount: readBinCount(filter.binCount),
    compare: readComparison(node),
  };
}

export type TrendsDefinition = Readonly<ReturnType<typeof readTrendsQuery>>;

/** Smoothing is over how many periods, and the letters of formulas such as `A / B * 100` are the series. */
export function readTrendsQuery(node: JsonObject) {
  const filter = readObject(node.trendsFilter, 'trendsFilter');
  const breakdown = readObject(node.breakdownFilter, 'breakdownFilter');
  return {
    kind: 'trends' as const,
    ...readSelection(node),
    series: requireSeries(readQuerySeries(node.series)),
    breakdown: readBreakdown(breakdown),
    hidesOther: readFlag(breakdown.breakdown_hide_other_aggregation),
    display: readText(filter.display) ?? 'ActionsLineGraph',
    smoothing: readNumber(filter.smoothingIntervals, 'smoothingIntervals') ?? 1,
    formulas: readFormulas(filter),
    compare: readComparison(node),
  };
}

/** The newest of the three places where formulas may stand. */
function readFormulas(filter: JsonObject): readonly string[] {
  const nodes = readObjects(filter.formulaNodes, 'formulaNodes').map(({ formula }) => readText(formula));
  const texts = Array.isArray(filter.formulas) ? filter.formulas.map((text) => readText(text)) : [];
  const found = [nodes, texts, [readText(filter.formula)]].find((list) => list.length > 0) ?? [];
  return found.filter((text) => text !== undefined);
}

export type LifecycleDefinition = Readonly<ReturnType<typeof readLifecycleQuery>>;

export function readLifecycleQuery(node: JsonObject) {
  const [entity = pageview] = requireSeries(readQuerySeries(node.series));
  return { kind: 'lifecycle' as const, ...readSelection(node), entity };
}

export type StickinessDefinition = Readonly<ReturnType<typeof readStickinessQuery>>;

/** A cumulative one counts those active in at least so many periods instead of exactly so many. */
export function readStickinessQuery(node: JsonObject) {
  const filter = readObject(node.stickinessFilter, 'stickinessFilter');
  const computed = readChoice(filter.computedAs, ['non_cumulative', 'cumulative'], 'computedAs');
  return {
    kind: 'stickiness' as const,
    ...readSelection(node),
    series: requireSeries(readQuerySeries(node.series)),
    cumulative: computed === 'cumulative',
    compare: readComparison(node),
  };
}

export type RetentionDefinition = Readonly<ReturnType<typeof readRetentionQuery>>;

export function readRetentionQuery(node: JsonObject) {
  const filter = readObject(node.retentionFilter, 'retentionFilter');
  if (readBreakdown(readObject(node.breakdownFilter, 'breakdownFilter')) !== undefined) {
    throw invalid('breakdownFilter', 'Retention with a breakdown is not supported here.');
  }
  const target = readTarget(filter.targetEntity) ?? pageview;
  const type = readText(filter.retentionType) ?? 'retention_recurring';
  return {
    kind: 'retention' as const,
    ...readSelection(node),
    interval: readChoice(filter.period, ['day', 'hour', 'week', 'month'], 'period'),
    target,
    returning: readTarget(filter.returningEntity) ?? target,
    isRecurring: type === 'retention_recurring',
    totalIntervals: readNumber(filter.totalIntervals, 'totalIntervals') ?? 11,
  };
}

/** The series of a query node. Throws a 400 for nodes that are neither events nor actions. */
function readQuerySeries(value: Json | undefined): readonly Entity[] {
  return readObjects(value, 'series').map(readNode);
}

/** One events or actions node. */
export function readNode(node: JsonObject): Entity {
  if (readFlag(node.optionalInFunnel)) throw invalid('series', 'Optional steps are not supported here.');
  const shared = {
    name: readText(node.name),
    customName: readText(node.custom_name),
    properties: allFilters(node),
    math: readText(node.math),
    mathProperty: readText(node.math_property),
    mathGroupTypeIndex: readNumber(node.math_group_type_index, 'math_group_type_index'),
  };
  if (node.kind === 'ActionsNode')
    return { ...shared, type: 'actions', id: readNumber(node.id, 'series') ?? null };
  if (node.kind !== 'EventsNode') {
    throw invalid('series', `Series of the kind "${readText(node.kind)}" are not supported here.`);
  }
  return { ...shared, type: 'events', id: typeof node.event === 'string' ? node.event : null };
}

function allFilters(node: JsonObject): Json {
  const [own = null, fixed = null] = [readValue(node.properties), readValue(node.fixedProperties)];
  return fixed === null ? own : [own, fixed];
}

export type Exclusion = FunnelDefinition['exclusions'][number];

/** Exclusions are nodes with a range of steps, both counted from 0. */
function readQueryExclusions(value: Json | undefined, stepCount: number) {
  return readObjects(value, 'exclusions').map((node) => ({
    entity: readNode(node),
    fromStep: readNumber(node.funnelFromStep, 'funnelFromStep') ?? 0,
    toStep: readNumber(node.funnelToStep, 'funnelToStep') ?? stepCount - 1,
  }));
}

/** A target of retention: `{ id, type, name, properties }`, or a node. */
function readTarget(value: Json | undefined): Entity | undefined {
  const target = asObject(value);
  if (target === undefined) return undefined;
  return readNode(target.kind === undefined ? nodeOf(target, target.type) : target);
}

/** The node of `{ id, type }`. Of events the empty text is a name of its own, null is any event. */
export function nodeOf(entity: JsonObject, type: Json | undefined): JsonObject {
  if (type === 'actions') return { ...entity, kind: 'ActionsNode' };
  const { id = null } = entity;
  return { ...entity, kind: 'EventsNode', event: typeof id === 'string' ? id : (readText(id) ?? null) };
}

/** What goes with converting in a funnel: events, properties of the actors, or properties of chosen events. */
export type CorrelationDefinition = Readonly<ReturnType<typeof readCorrelationQuery>>;

export function readCorrelationQuery(node: JsonObject) {
  return { kind: 'correlation' as const, funnel: readCorrelationFunnel(node), subject: readSubject(node) };
}

/** The funnel of a correlation query, which stands over the actors of the funnel or over the funnel itself. */
export function readCorrelationFunnel(node: JsonObject): FunnelDefinition {
  const source = readObject(node.source, 'source');
  return readFunnelsQuery(source.kind === 'FunnelsQuery' ? source : readObject(source.source, 'source'));
}

export type CorrelationSubject = Readonly<ReturnType<typeof readSubject>>;

/** What is correlated. `$all` among the names of properties stands for all of them. */
export function readSubject(node: JsonObject) {
  const kinds = ['events', 'properties', 'event_with_properties'] as const;
  const kind = readChoice(node.funnelCorrelationType, kinds, 'funnelCorrelationType');
  if (kind === 'events') return { kind, exceptEvents: readTexts(node.funnelCorrelationExcludeEventNames) };
  if (kind === 'properties') {
    return {
      kind,
      names: readNames(node, 'funnelCorrelationNames'),
      exceptNames: readTexts(node.funnelCorrelationExcludeNames),
    };
  }
  return {
    kind,
    events: readNames(node, 'funnelCorrelationEventNames'),
    exceptProperties: readTexts(node.funnelCorrelationEventExcludePropertyNames),
  };
}

/** What a correlation is about. Throws a 400 without any name, as the service does. */
function readNames(fields: JsonObject, attr: string): readonly string[] {
  const names = readTexts(fields[attr]);
  if (names.length > 0) return names;
  throw invalid(attr, `${attr} must contain at least one.`, 'required');
}

/** The number of bins of a time to convert; the service draws at most 90. */
function readBinCount(value: Json | undefined): number | undefined {
  if (value === 'auto') return undefined;
  const count = readNumber(value, 'bin_count');
  if (count === undefined) return undefined;
  if (!(Number.isInteger(count) && count >= 1 && count <= 90)) {
    throw invalid('bin_count', 'bin_count must be a whole number from 1 to 90.');
  }
  return count;
}

/** Throws a 400 if there is nothing to count. */
function requireSeries(series: readonly Entity[]): readonly Entity[] {
  if (series.length === 0) throw invalidRequest('One of events or actions is required.', 'required');
  return series;
}

/** What retention counts if nothing is named. */
const pageview: Entity = { type: 'events', id: '$pageview' };
