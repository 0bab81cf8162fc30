import { shift } from '../../../service/calendar.ts';
import { invalidRequest } from '../../refusal.ts';
import type { Actor } from '../actors.ts';
import type { Breakdown } from '../breakdown.ts';
import type { AnalysisEvent } from '../dataset.ts';
import type { Entity } from '../filters/entity.ts';
import { numberOf, textOf } from '../filters/operators.ts';
import { groupKeyOf, propertyOf } from '../filters/property-filter.ts';
import { average, quantile, type Selection, sum } from '../selection.ts';
import { type Comparison, type Periods, periodAt } from '../time/date-range.ts';

type Reduce = (numbers: readonly number[]) => number;

const REDUCERS: Readonly<Record<string, Reduce>> = {
  sum,
  avg: (numbers) => average(numbers) ?? 0,
  min: (numbers) => quantile(numbers, 0) ?? 0,
  max: (numbers) => quantile(numbers, 1) ?? 0,
  median: (numbers) => quantile(numbers, 0.5) ?? 0,
  p75: (numbers) => quantile(numbers, 0.75) ?? 0,
  p90: (numbers) => quantile(numbers, 0.9) ?? 0,
  p95: (numbers) => quantile(numbers, 0.95) ?? 0,
  p99: (numbers) => quantile(numbers, 0.99) ?? 0,
};

const PER_ACTOR = '_count_per_actor';

const TRAILING_DAYS: Readonly<Record<string, number>> = { weekly_active: 7, monthly_active: 30 };

/** Days before the end of a period in which an actor still counts as active; undefined for other kinds of math. */
export function trailingDays(math: string | undefined): number | undefined {
  return math !== undefined && Object.hasOwn(TRAILING_DAYS, math) ? TRAILING_DAYS[math] : undefined;
}

/** The first instant that matters to a measure: earlier than the range for those that look back. */
export function measureStart(entity: Entity, periods: Periods, from: number, timezone: string): number {
  const days = trailingDays(entity.math);
  return days === undefined ? from : Math.min(from, shift('day', periods.starts[1] ?? from, -days, timezone));
}

/** Makes the measure for a series' kind of math. Throws a 400 for an unknown one. */
export function measureOf(entity: Entity, setting: MeasureSetting): Measure {
  const math = entity.math ?? 'total';
  const days = trailingDays(math);
  if (days !== undefined) return trailingMeasure(days, setting);
  const reduce = Object.hasOwn(REDUCERS, math) ? REDUCERS[math] : undefined;
  if (reduce !== undefined) return propertyMeasure(entity, reduce, setting);
  if (math.endsWith(PER_ACTOR)) {
    const perActor = REDUCERS[math.slice(0, -PER_ACTOR.length)];
    if (perActor !== undefined) return perActorMeasure(perActor, setting);
  }
  switch (math) {
    case 'total':
      return countMeasure(setting);
    case 'dau':
      return uniqueMeasure(({ actor }) => (actor.kind === 'person' ? actor.person : actor.key), setting);
    case 'unique_group':
      return uniqueMeasure(({ event }) => groupKeyOf(event, entity.mathGroupTypeIndex ?? 0), setting);
    case 'unique_session':
      return uniqueMeasure(({ event }) => textOf(propertyOf(event.properties, '$session_id')), setting);
    default:
      throw invalidRequest(`The math "${math}" is not supported here.`);
  }
}

function countMeasure({ periods }: MeasureSetting): Measure {
  const data = new Array<number>(periods.count).fill(0);
  return {
    take: ({ event }) => {
      const period = periodAt(periods, event.timestamp);
      if (period !== -1) data[period] = (data[period] ?? 0) + 1;
    },
    data: () => data,
    total: () => sum(data),
  };
}

function uniqueMeasure(
  identify: (sample: Sample) => unknown,
  { periods, onlyFirst }: MeasureSetting,
): Measure {
  const seen = Array.from({ length: periods.count }, () => new Set<unknown>());
  const ever = new Set<unknown>();
  return {
    take: (sample) => {
      const identity = identify(sample);
      if (identity === undefined || (onlyFirst && ever.has(identity))) return;
      ever.add(identity);
      seen[periodAt(periods, sample.event.timestamp)]?.add(identity);
    },
    data: () => seen.map(({ size }) => size),
    total: () => ever.size,
  };
}

function propertyMeasure(entity: Entity, reduce: Reduce, { periods }: MeasureSetting): Measure {
  const { mathProperty } = entity;
  if (mathProperty === undefined) throw invalidRequest(`The math "${entity.math}" needs a math_property.`);
  const values = Array.from({ length: periods.count }, (): number[] => []);
  return {
    take: ({ event }) => {
      const value = numberOf(propertyOf(event.properties, mathProperty));
      if (value !== undefined) values[periodAt(periods, event.timestamp)]?.push(value);
    },
    data: () => values.map((numbers) => reduce(numbers)),
    total: () => reduce(values.flat()),
  };
}

/** How often each active actor did it. */
function perActorMeasure(reduce: Reduce, { periods }: MeasureSetting): Measure {
  const counts = Array.from({ length: periods.count }, () => new Map<Actor, number>());
  const totals = new Map<Actor, number>();
  return {
    take: ({ actor, event }) => {
      const period = counts[periodAt(periods, event.timestamp)];
      period?.set(actor, (period.get(actor) ?? 0) + 1);
      totals.set(actor, (totals.get(actor) ?? 0) + 1);
    },
    data: () => counts.map((period) => reduce([...period.values()])),
    total: () => reduce([...totals.values()]),
  };
}

/** An event of a series with its actor. The events of one actor come one after another, in order of time. */
export type Sample = { readonly actor: Actor; readonly event: AnalysisEvent };

/** Gathers the events of one series and says what they amount to, by period and over the whole range. */
export type Measure = {
  readonly take: (sample: Sample) => void;
  readonly data: () => readonly number[];
  readonly total: () => number;
};

type MeasureSetting = {
  readonly periods: Periods;
  readonly timezone: string;
  /** Counts an actor in the first period only, so that running sums stay unique. */
  readonly onlyFirst: boolean;
};

/** Actors seen in the days that end with each period, the period's own last day among them. */
function trailingMeasure(days: number, { periods, timezone, onlyFirst }: MeasureSetting): Measure {
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

/** Series over time, whichever of the request forms they came in. */
export type TrendsDefinition = Selection & {
  readonly kind: 'trends';
  readonly series: readonly Entity[];
  readonly breakdown?: Breakdown | undefined;
  readonly hidesOther: boolean;
  readonly display: string;
  /** Over how many periods values are averaged; 1 leaves them as they are. */
  readonly smoothing: number;
  /** Such as `A / B * 100`, the letters being the series. */
  readonly formulas: readonly string[];
  readonly compare?: Comparison | undefined;
};

const TOTAL_DISPLAYS: readonly string[] = [
  'BoldNumber',
  'ActionsPie',
  'ActionsBarValue',
  'ActionsTable',
  'WorldMap',
];

/** Whether one value for the whole range is asked for instead of one for each period. */
export function showsTotal({ display }: TrendsDefinition): boolean {
  return TOTAL_DISPLAYS.includes(display);
}

export function isCumulative({ display }: TrendsDefinition): boolean {
  return display === 'ActionsLineGraphCumulative';
}
