import { actorsOf } from '../actors.ts';
import type { BreakdownKey } from '../breakdown.ts';
import { OTHER, order } from '../breakdown.ts';
import type { AnalysisEvent, Dataset } from '../dataset.ts';
import { type Entity, predicateOf } from '../filters/entity.ts';
import type { Surroundings } from '../project-settings.ts';
import { resolveSelection } from '../selection.ts';
import type { DateRange } from '../time/date-range.ts';
import type { Periods } from '../time/periods.ts';
import { measureOf, measureStart } from './measure.ts';
import type { Measure, Sample } from './measurement.ts';
import { type TrendBreakdown, trendBreakdown } from './trend-breakdown.ts';
import { isCumulative, type TrendsDefinition } from './trends-definition.ts';

type Figures = { readonly data: readonly number[]; readonly total: number };

/** The figures of one series by value of the breakdown, greatest total first. */
export type GatheredSeries = ReadonlyMap<BreakdownKey, Figures>;

type Gathered = {
  readonly series: readonly GatheredSeries[];
  readonly breakdown: TrendBreakdown | undefined;
};

type Span = { readonly range: DateRange; readonly periods: Periods };

const NO_BREAKDOWN: readonly BreakdownKey[] = [''];

/** Counts every series of a definition over a range. */
export function gather(
  definition: TrendsDefinition,
  span: Span,
  dataset: Dataset,
  surroundings: Surroundings,
): Gathered {
  const samples = (entity: Entity) => samplesOf(entity, definition, span, dataset, surroundings);
  const breakdown = breakdownOfTrends(definition, span, dataset, surroundings);
  const setting = {
    periods: span.periods,
    timezone: surroundings.project.timezone,
    onlyFirst: isCumulative(definition),
  };
  const series = definition.series.map((entity) => {
    const measures = new Map<BreakdownKey, Measure>();
    if (breakdown === undefined) measures.set('', measureOf(entity, setting));
    for (const sample of samples(entity)) {
      for (const key of breakdown?.keysOf(sample.event) ?? NO_BREAKDOWN) {
        const measure = measures.get(key) ?? measureOf(entity, setting);
        measures.set(key, measure);
        measure.take(sample);
      }
    }
    if (definition.hidesOther) measures.delete(OTHER);
    return ranked(measures, breakdown);
  });
  return { series, breakdown };
}

/** The breakdown of a definition with the values that are kept over a range, undefined where there is none. */
export function breakdownOfTrends(
  definition: TrendsDefinition,
  span: Span,
  dataset: Dataset,
  surroundings: Surroundings,
): TrendBreakdown | undefined {
  if (definition.breakdown === undefined) return undefined;
  function* allEvents(): Generator<AnalysisEvent> {
    for (const entity of definition.series) {
      for (const { event } of samplesOf(entity, definition, span, dataset, surroundings)) yield event;
    }
  }
  return trendBreakdown(definition.breakdown, allEvents(), surroundings);
}

function* samplesOf(
  entity: Entity,
  definition: TrendsDefinition,
  { range, periods }: Span,
  dataset: Dataset,
  surroundings: Surroundings,
): Generator<Sample> {
  const { filter } = resolveSelection(definition, dataset, surroundings);
  const isOfSeries = predicateOf(entity, surroundings);
  const from = measureStart(entity, periods, range.from, surroundings.project.timezone);
  const { groupTypeIndex } = definition;
  const selection = { range: { from, to: range.to }, filter, groupTypeIndex };
  for (const { actor, events } of actorsOf(dataset, selection, surroundings)) {
    for (const event of events) if (isOfSeries(event)) yield { actor, event };
  }
}

function ranked(
  measures: ReadonlyMap<BreakdownKey, Measure>,
  breakdown: TrendBreakdown | undefined,
): GatheredSeries {
  const figures = [...measures].map(([key, measure]) => ({
    key,
    data: measure.data(),
    total: measure.total(),
  }));
  const isLast = (key: BreakdownKey) => Number(breakdown?.isLast(key) ?? false);
  figures.sort(
    (one, other) =>
      isLast(one.key) - isLast(other.key) || other.total - one.total || order(one.key, other.key),
  );
  return new Map(figures.map(({ key, data, total }) => [key, { data, total }]));
}
