import type { Actor } from '../actors.ts';
import { shift } from '../time/interval.ts';
import type { Measure, MeasureSetting } from './measurement.ts';

/** Actors seen in the days that end with each period, the period's own last day among them. */
export function trailingMeasure(days: number, { periods, timezone, onlyFirst }: MeasureSetting): Measure {
  const ends = periods.starts.slice(1);
  const begins = ends.map((end) => shift('day', end, -days, timezone));
  const data = new Array<number>(periods.count).fill(0);
  let current: Actor | undefined;
  let next = 0;
  let isCounted = false;
  return {
    take: ({ actor, event }) => {
      if (actor !== current) {
        current = actor;
        next = 0;
        isCounted = false;
      }
      while (next < periods.count && (ends[next] ?? 0) <= event.timestamp) next += 1;
      while (next < periods.count && (begins[next] ?? 0) <= event.timestamp && !(onlyFirst && isCounted)) {
        data[next] = (data[next] ?? 0) + 1;
        next += 1;
        isCounted = true;
      }
    },
    data: () => data,
    total: () => data.at(-1) ?? 0,
  };
}
