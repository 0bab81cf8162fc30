import type { JsonObject } from '../../../json/kinds.ts';
import { average, median } from '../statistics.ts';
import { stepsOf } from './attempt.ts';
import { entriesOf } from './funnel-entries.ts';
import type { FunnelPlan } from './funnel-plan.ts';

const MOST_AUTOMATIC_BINS = 60;
const EMPTY_BIN_SECONDS = 60;

/**
 * How long those who converted took: `bins` are pairs of a start in seconds and a number of actors, one entry more
 * than there are bins, since the last holds the greatest time. A breakdown has no say.
 */
export function timeToConvertResult(plan: FunnelPlan): JsonObject {
  const { fromStep = 0, toStep = plan.rules.steps - 1, binCount } = plan.definition;
  const { breakdown: _, ...definition } = plan.definition;
  const times: number[] = [];
  for (const { attempt } of entriesOf({ ...plan, definition }).entries) {
    const steps = stepsOf(attempt);
    const from = steps[fromStep];
    const to = steps[toStep];
    if (from !== undefined && to !== undefined) times.push((to.time - from.time) / 1000);
  }
  return {
    bins: binsOf(times, binCount),
    average_conversion_time: average(times),
    median_conversion_time: median(times),
  };
}

function binsOf(
  times: readonly number[],
  wanted: number | undefined,
): readonly (readonly [number, number])[] {
  const automatic = Math.min(Math.max(Math.ceil(Math.cbrt(times.length)), 1), MOST_AUTOMATIC_BINS);
  const count = wanted ?? automatic;
  let least = times[0] ?? 0;
  let greatest = least;
  for (const time of times) {
    least = Math.min(least, time);
    greatest = Math.max(greatest, time);
  }
  const start = Math.floor(least);
  const width = Math.ceil((greatest - start) / count) || EMPTY_BIN_SECONDS;
  const bins = Array.from({ length: count + 1 }, (_, bin): [number, number] => [start + bin * width, 0]);
  for (const time of times) {
    const bin = bins[Math.floor((time - start) / width)];
    if (bin !== undefined) bin[1] += 1;
  }
  return bins;
}
