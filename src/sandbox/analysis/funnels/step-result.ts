import type { Json, JsonObject } from '../../../json/kinds.ts';
import { type BreakdownKey, type BreakdownReader, order } from '../breakdown.ts';
import { nameOf } from '../filters/entity.ts';
import { average, median } from '../statistics.ts';
import { stepsOf } from './attempt.ts';
import { entriesOf, type FunnelEntry } from './funnel-entries.ts';
import type { FunnelPlan } from './funnel-plan.ts';

/** How many reached each step, and the seconds each of them took from the step before. */
type Tally = { readonly counts: number[]; readonly seconds: number[][] };

/**
 * The result of a funnel by steps: a list of steps, with a breakdown a list of such lists, most conversions first.
 * Empty where nobody entered.
 */
export function stepResult(plan: FunnelPlan): readonly Json[] {
  const { entries, reader } = entriesOf(plan);
  const tallies = new Map<BreakdownKey, Tally>();
  for (const entry of entries) add(entry, tallies, plan);
  if (reader === undefined) return [...tallies.values()].flatMap((tally) => writeSteps(tally, plan));
  return [...tallies]
    .sort(compareTallies)
    .map(([key, tally]) => writeSteps(tally, plan).map((step) => ({ ...step, ...breakdownOf(key, reader) })));
}

function add({ key, attempt }: FunnelEntry, tallies: Map<BreakdownKey, Tally>, { rules }: FunnelPlan): void {
  let tally = tallies.get(key);
  if (tally === undefined) {
    tally = {
      counts: new Array(rules.steps).fill(0),
      seconds: Array.from({ length: rules.steps }, () => []),
    };
    tallies.set(key, tally);
  }
  for (const step of stepsOf(attempt)) {
    const index = step.step - 1;
    tally.counts[index] = (tally.counts[index] ?? 0) + 1;
    if (step.previous !== undefined) tally.seconds[index]?.push((step.time - step.previous.time) / 1000);
  }
}

function compareTallies(
  [oneKey, one]: [BreakdownKey, Tally],
  [otherKey, other]: [BreakdownKey, Tally],
): number {
  for (let step = one.counts.length - 1; step >= 0; step -= 1) {
    const difference = (other.counts[step] ?? 0) - (one.counts[step] ?? 0);
    if (difference !== 0) return difference;
  }
  return order(oneKey, otherKey);
}

function breakdownOf(key: BreakdownKey, reader: BreakdownReader): JsonObject {
  const { title, value } = reader.write(key);
  return { breakdown: title, breakdown_value: value };
}

function writeSteps(
  { counts, seconds }: Tally,
  { definition, surroundings }: FunnelPlan,
): readonly JsonObject[] {
  return definition.steps.map((entity, index) => {
    const isUnordered = definition.order === 'unordered';
    const name = isUnordered
      ? `Completed ${index + 1} ${index === 0 ? 'step' : 'steps'}`
      : nameOf(entity, surroundings);
    return {
      action_id: isUnordered ? null : entity.id,
      name,
      custom_name: isUnordered ? null : (entity.customName ?? null),
      order: index,
      people: [],
      count: counts[index] ?? 0,
      type: entity.type,
      average_conversion_time: average(seconds[index] ?? []),
      median_conversion_time: median(seconds[index] ?? []),
    };
  });
}
