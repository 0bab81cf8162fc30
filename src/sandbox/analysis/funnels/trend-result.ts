import type { Json, JsonObject } from '../../../json/kinds.ts';
import { type BreakdownKey, OTHER, order } from '../breakdown.ts';
import { percentage, sum } from '../statistics.ts';
import { type Periods, periodsOf } from '../time/periods.ts';
import { type PeriodEntry, periodEntriesOf } from './funnel-entries.ts';
import type { FunnelPlan } from './funnel-plan.ts';

type Tally = { readonly from: number[]; readonly to: number[] };

/**
 * The conversion of a funnel over time: one series, with a breakdown one for each value but "Other". `data` holds
 * percentages by the period of the first step.
 */
export function trendResult(plan: FunnelPlan): readonly Json[] {
  const periods = periodsOf(plan.range, plan.definition.interval, plan.calendar);
  const { entries, reader } = periodEntriesOf(plan, periods);
  const tallies = new Map<BreakdownKey, Tally>();
  for (const entry of entries) if (entry.key !== OTHER) add(entry, tallies, plan, periods);
  if (reader === undefined) return [writeSeries(tallies.get('') ?? emptyTally(periods), periods)];
  return [...tallies].sort(compareTallies).map(([key, tally]) => {
    const { title, value } = reader.write(key);
    return { ...writeSeries(tally, periods), breakdown: title, breakdown_value: value };
  });
}

/** Whether an attempt reached the steps between which conversion is asked for; both count from 0. */
export function reachedSteps(
  reached: number,
  { definition, rules }: FunnelPlan,
): { from: boolean; to: boolean } {
  const from = reached > (definition.fromStep ?? 0);
  return { from, to: reached > (definition.toStep ?? rules.steps - 1) };
}

function add(
  entry: PeriodEntry,
  tallies: Map<BreakdownKey, Tally>,
  plan: FunnelPlan,
  periods: Periods,
): void {
  const tally = tallies.get(entry.key) ?? emptyTally(periods);
  tallies.set(entry.key, tally);
  const { from, to } = reachedSteps(entry.attempt.step, plan);
  if (from) tally.from[entry.period] = (tally.from[entry.period] ?? 0) + 1;
  if (to) tally.to[entry.period] = (tally.to[entry.period] ?? 0) + 1;
}

function emptyTally(periods: Periods): Tally {
  return { from: new Array(periods.count).fill(0), to: new Array(periods.count).fill(0) };
}

function compareTallies(
  [oneKey, one]: [BreakdownKey, Tally],
  [otherKey, other]: [BreakdownKey, Tally],
): number {
  return sum(other.to) - sum(one.to) || sum(other.from) - sum(one.from) || order(oneKey, otherKey);
}

function writeSeries({ from, to }: Tally, { count, days, labels }: Periods): JsonObject {
  return {
    count,
    data: from.map((entered, period) => percentage(to[period] ?? 0, entered)),
    days,
    labels,
    reached_from_step_count: from,
    reached_to_step_count: to,
  };
}
