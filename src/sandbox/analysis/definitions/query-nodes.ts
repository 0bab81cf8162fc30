import type { JsonObject } from '../../../json/kinds.ts';
import type { FunnelDefinition } from '../funnels/funnel-definition.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { LifecycleDefinition } from '../lifecycle.ts';
import type { RetentionDefinition } from '../retention.ts';
import type { Selection } from '../selection.ts';
import type { StickinessDefinition } from '../stickiness.ts';
import type { TrendsDefinition } from '../trends/trends-definition.ts';
import { readAttribution, readBreakdown, readFilters, readInterval, readWindow } from './fields.ts';
import { pageview, readBinCount, requireSeries } from './legacy-filters.ts';
import { readQueryExclusions, readQuerySeries, readTarget } from './query-series.ts';
import { readChoice, readFlag, readNumber, readObject, readObjects, readText } from './reading.ts';

/** Query nodes as they stand in an insight's `query` and in calls to `query/`. */

function readSelection(node: JsonObject): Selection {
  const range = readObject(node.dateRange, 'dateRange');
  return {
    filters: readFilters(node.properties),
    filterTestAccounts: readFlag(node.filterTestAccounts),
    dates: {
      from: readText(range.date_from),
      to: readText(range.date_to),
      exact: readFlag(range.explicitDate),
    },
    interval: readInterval(node.interval),
    groupTypeIndex: readNumber(node.aggregation_group_type_index, 'aggregation_group_type_index'),
  };
}

function readComparison(node: JsonObject) {
  const comparison = readObject(node.compareFilter, 'compareFilter');
  return readFlag(comparison.compare) ? { to: readText(comparison.compare_to) } : undefined;
}

export function readFunnelsQuery(node: JsonObject): FunnelDefinition {
  const filter = readObject(node.funnelsFilter, 'funnelsFilter');
  if (readText(filter.funnelAggregateByHogQL) !== undefined) {
    throw invalidRequest('Funnels by an SQL expression are not supported here.', { attr: 'funnelsFilter' });
  }
  const steps = readQuerySeries(node.series);
  const amount = readNumber(filter.funnelWindowInterval, 'funnelWindowInterval');
  return {
    kind: 'funnel',
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

export function readTrendsQuery(node: JsonObject): TrendsDefinition {
  const filter = readObject(node.trendsFilter, 'trendsFilter');
  const breakdown = readObject(node.breakdownFilter, 'breakdownFilter');
  return {
    kind: 'trends',
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

export function readLifecycleQuery(node: JsonObject): LifecycleDefinition {
  const [entity = pageview] = requireSeries(readQuerySeries(node.series));
  return { kind: 'lifecycle', ...readSelection(node), entity };
}

export function readStickinessQuery(node: JsonObject): StickinessDefinition {
  const filter = readObject(node.stickinessFilter, 'stickinessFilter');
  const computed = readChoice(filter.computedAs, ['non_cumulative', 'cumulative'], 'computedAs');
  return {
    kind: 'stickiness',
    ...readSelection(node),
    series: requireSeries(readQuerySeries(node.series)),
    cumulative: computed === 'cumulative',
    compare: readComparison(node),
  };
}

export function readRetentionQuery(node: JsonObject): RetentionDefinition {
  const filter = readObject(node.retentionFilter, 'retentionFilter');
  if (readBreakdown(readObject(node.breakdownFilter, 'breakdownFilter')) !== undefined) {
    throw invalidRequest('Retention with a breakdown is not supported here.', { attr: 'breakdownFilter' });
  }
  const target = readTarget(filter.targetEntity) ?? pageview;
  const type = readText(filter.retentionType) ?? 'retention_recurring';
  return {
    kind: 'retention',
    ...readSelection(node),
    interval: readChoice(filter.period, ['day', 'hour', 'week', 'month'], 'period'),
    target,
    returning: readTarget(filter.returningEntity) ?? target,
    type: type === 'retention_recurring' ? 'recurring' : 'first_time',
    totalIntervals: readNumber(filter.totalIntervals, 'totalIntervals') ?? 11,
  };
}
