import type { Json } from '../../json/kinds.ts';
import { invalidRequest } from '../refusal.ts';
import { type Actor, actorsOf } from './actors.ts';
import type { AnalysisInput } from './dataset.ts';
import { type Entity, nameOf, predicateOf, writeEntity } from './filters/entity.ts';
import { compared, resolveSelection, type Selection } from './selection.ts';
import { type Comparison, type DateRange, type Periods, periodAt, periodsOf } from './time/date-range.ts';

export type StickinessDefinition = Selection & {
  readonly kind: 'stickiness';
  readonly series: readonly Entity[];
  /** Counts those active in at least so many periods instead of exactly so many. */
  readonly cumulative: boolean;
  readonly compare?: Comparison | undefined;
};

const COMPARISONS = {
  exact: (count: number, periods: number) => count === periods,
  gte: (count: number, periods: number) => count >= periods,
  lte: (count: number, periods: number) => count <= periods,
} as const;

/** How many actors were active in exactly 1, 2, 3… periods of the range, one result for each series. */
export function calculateStickiness(definition: StickinessDefinition, input: AnalysisInput): readonly Json[] {
  return compared(definition, input, (range) => resultsOf(definition, range, input));
}

/** Which actors of a series: those active in exactly `periods` periods, in at least or in at most so many. */
export type StickinessActorsSelection = {
  readonly series: number;
  readonly periods: number;
  readonly operator?: 'exact' | 'gte' | 'lte' | undefined;
};

/** The actors behind a number of stickiness. Cumulative numbers are about at least so many periods. */
export function stickinessActors(
  definition: StickinessDefinition,
  wanted: StickinessActorsSelection,
  input: AnalysisInput,
): readonly Actor[] {
  const entity = definition.series[wanted.series];
  if (entity === undefined) throw invalidRequest(`There is no series ${wanted.series}.`);
  const { range } = resolveSelection(definition, input);
  const { active } = activityOf(definition, entity, range, input);
  const operator = wanted.operator ?? (definition.cumulative ? 'gte' : 'exact');
  return [...active]
    .filter(({ count }) => COMPARISONS[operator](count, wanted.periods))
    .map(({ actor }) => actor);
}

function resultsOf(definition: StickinessDefinition, range: DateRange, input: AnalysisInput) {
  return definition.series.map((entity, order) => {
    const { periods, active } = activityOf(definition, entity, range, input);
    const data = new Array<number>(periods.count).fill(0);
    let count = 0;
    for (const activity of active) {
      data[activity.count - 1] = (data[activity.count - 1] ?? 0) + 1;
      count += 1;
    }
    return {
      action: writeEntity(entity, order, input),
      label: nameOf(entity, input),
      count,
      data: definition.cumulative ? atLeast(data) : data,
      days: data.map((_, index) => index + 1),
      labels: data.map((_, index) => label(index + 1, periods)),
    };
  });
}

function atLeast(data: readonly number[]): readonly number[] {
  let total = 0;
  return data
    .toReversed()
    .map((count) => {
      total += count;
      return total;
    })
    .reverse();
}

function label(count: number, { interval }: Periods): string {
  return `${count} ${interval}${count === 1 ? '' : 's'}`;
}

function activityOf(
  definition: StickinessDefinition,
  entity: Entity,
  range: DateRange,
  input: AnalysisInput,
) {
  const { filter, calendar } = resolveSelection(definition, input);
  const periods = periodsOf(range, definition.interval, calendar);
  const isActivity = predicateOf(entity, input);
  function* active(): Generator<{ readonly actor: Actor; readonly count: number }> {
    const selection = { range, filter, groupTypeIndex: definition.groupTypeIndex };
    for (const { actor, events } of actorsOf(input, selection)) {
      const seen = new Set<number>();
      for (const event of events) if (isActivity(event)) seen.add(periodAt(periods, event.timestamp));
      if (seen.size > 0) yield { actor, count: seen.size };
    }
  }
  return { periods, active: active() };
}
