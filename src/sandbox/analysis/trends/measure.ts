import type { Json } from '../../../json/kinds.ts';
import { shift } from '../../../semantics/calendar.ts';
import { invalidRequest } from '../../refusal.ts';
import { type BreakdownKey, breakdownReader, limitedTo, OTHER, orderKeys, textsOfKey } from '../breakdown.ts';
import type { AnalysisEvent, AnalysisInput, Surroundings } from '../dataset.ts';
import type { Breakdown } from '../definitions/fields.ts';
import type { TrendsDefinition } from '../definitions/query-nodes.ts';
import { type Entity, predicateOf } from '../filters/entity.ts';
import { eventReader, groupKeyReader, numberOf, textOf } from '../filters/property-filter.ts';
import { type Actor, actorsOf, average, quantile, resolveSelection, sum } from '../selection.ts';
import { type DateRange, type Periods, periodAt } from '../time/date-range.ts';

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
function measureStart(entity: Entity, periods: Periods, from: number, timezone: string): number {
  const days = trailingDays(entity.math);
  return days === undefined ? from : Math.min(from, shift('day', periods.starts[1] ?? from, -days, timezone));
}

/** Makes the measure for a series' kind of math. Throws a 400 for an unknown one. */
function measureOf(entity: Entity, setting: MeasureSetting): Measure {
  const { math = 'total' } = entity;
  const days = trailingDays(math);
  if (days !== undefined) return trailingMeasure(days, setting);
  const reduce = Object.hasOwn(REDUCERS, math) ? REDUCERS[math] : undefined;
  if (reduce !== undefined) return propertyMeasure(entity, reduce, setting);
  if (math.endsWith(PER_ACTOR)) {
    const perActor = REDUCERS[math.slice(0, -PER_ACTOR.length)];
    if (perActor !== undefined) return timesMeasure(byActor, perActor, { ...setting, onlyFirst: false });
  }
  switch (math) {
    case 'total':
      return valueMeasure(() => 1, sum, setting);
    case 'dau':
      return timesMeasure(byActor, howMany, setting);
    case 'unique_group': {
      const keyOf = groupKeyReader(entity.mathGroupTypeIndex ?? 0, setting.surroundings);
      return timesMeasure(({ event }) => keyOf(event), howMany, setting);
    }
    case 'unique_session': {
      const read = eventReader('$session_id', setting.surroundings);
      return timesMeasure(({ event }) => textOf(read(event)), howMany, setting);
    }
    default:
      throw invalidRequest(`The math "${math}" is not supported here.`);
  }
}

const byActor = ({ actor }: Sample) => actor;

const howMany: Reduce = ({ length }) => length;

function propertyMeasure(entity: Entity, reduce: Reduce, setting: MeasureSetting): Measure {
  const { math, mathProperty } = entity;
  if (mathProperty === undefined) throw invalidRequest(`The math "${math}" needs a math_property.`);
  const read = eventReader(mathProperty, setting.surroundings);
  return valueMeasure(({ event }) => numberOf(read(event)), reduce, setting);
}

/** A number of each event. */
function valueMeasure(
  numberFrom: (sample: Sample) => number | undefined,
  reduce: Reduce,
  { periods }: MeasureSetting,
): Measure {
  const values = Array.from({ length: periods.count }, (): number[] => []);
  return {
    take: (sample) => {
      const value = numberFrom(sample);
      if (value !== undefined) values[periodAt(periods, sample.event.timestamp)]?.push(value);
    },
    data: () => values.map(reduce),
    total: () => reduce(values.flat()),
  };
}

/** How often each of those who did it did it. */
function timesMeasure(
  identify: (sample: Sample) => unknown,
  reduce: Reduce,
  { periods, onlyFirst }: MeasureSetting,
): Measure {
  const times = Array.from({ length: periods.count }, () => new Map<unknown, number>());
  const totals = new Map<unknown, number>();
  return {
    take: (sample) => {
      const identity = identify(sample);
      if (identity === undefined || (onlyFirst && totals.has(identity))) return;
      for (const counts of [times[periodAt(periods, sample.event.timestamp)], totals]) {
        counts?.set(identity, (counts.get(identity) ?? 0) + 1);
      }
    },
    data: () => times.map((counts) => reduce([...counts.values()])),
    total: () => reduce([...totals.values()]),
  };
}

/** An event of a series with its actor. The events of one actor come one after another, in order of time. */
type Sample = { readonly actor: Actor; readonly event: AnalysisEvent };

/** Gathers the events of one series and says what they amount to, by period and over the whole range. */
type Measure = {
  readonly take: (sample: Sample) => void;
  readonly data: () => readonly number[];
  readonly total: () => number;
};

type MeasureSetting = {
  readonly periods: Periods;
  readonly surroundings: Surroundings;
  /** Counts an actor in the first period only, so that running sums stay unique. */
  readonly onlyFirst: boolean;
};

/** Actors seen in the days that end with each period, the period's own last day among them. */
function trailingMeasure(days: number, { periods, surroundings, onlyFirst }: MeasureSetting): Measure {
  const ends = periods.starts.slice(1);
  const begins = ends.map((end) => shift('day', end, -days, surroundings.project.timezone));
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

const TOTAL_DISPLAYS = /^(BoldNumber|ActionsPie|ActionsBarValue|ActionsTable|WorldMap)$/;

/** Whether one value for the whole range is asked for instead of one for each period. */
export function showsTotal({ display }: TrendsDefinition): boolean {
  return TOTAL_DISPLAYS.test(display);
}

export function isCumulative({ display }: TrendsDefinition): boolean {
  return display === 'ActionsLineGraphCumulative';
}

type Figures = { readonly data: readonly number[]; readonly total: number };

/** The figures of one series by value of the breakdown, greatest total first. */
export type GatheredSeries = ReadonlyMap<BreakdownKey, Figures>;

type Span = { readonly range: DateRange; readonly periods: Periods };

const NO_BREAKDOWN: readonly BreakdownKey[] = [''];

/** Counts every series of a definition over a range. */
export function gather(definition: TrendsDefinition, span: Span, input: AnalysisInput) {
  const breakdown = breakdownOfTrends(definition, span, input);
  const setting = { periods: span.periods, surroundings: input, onlyFirst: isCumulative(definition) };
  const series = definition.series.map((entity) => {
    const measures = new Map<BreakdownKey, Measure>();
    // Made with a breakdown, too: that it is known, and what it reads, shows without any event.
    const first = measureOf(entity, setting);
    if (breakdown === undefined) measures.set('', first);
    for (const sample of samplesOf(entity, definition, span, input)) {
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

/** The breakdown of a definition with the values that are kept over a range, undefined if there is none. */
export function breakdownOfTrends(
  definition: TrendsDefinition,
  span: Span,
  input: AnalysisInput,
): TrendBreakdown | undefined {
  if (definition.breakdown === undefined) return undefined;
  function* allEvents(): Generator<AnalysisEvent> {
    for (const entity of definition.series) {
      for (const { event } of samplesOf(entity, definition, span, input)) yield event;
    }
  }
  return trendBreakdown(definition.breakdown, allEvents(), input);
}

function* samplesOf(
  entity: Entity,
  definition: TrendsDefinition,
  { range, periods }: Span,
  input: AnalysisInput,
): Generator<Sample> {
  const { filter } = resolveSelection(definition, input);
  const isOfSeries = predicateOf(entity, input);
  const from = measureStart(entity, periods, range.from, input.project.timezone);
  const { groupTypeIndex } = definition;
  const selection = { range: { from, to: range.to }, filter, groupTypeIndex };
  for (const { actor, events } of actorsOf(input, selection)) {
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
      isLast(one.key) - isLast(other.key) || other.total - one.total || orderKeys(one.key, other.key),
  );
  return new Map(figures.map(({ key, data, total }) => [key, { data, total }]));
}

/** The values of an event after the limit, and how results name them. */
type TrendBreakdown = {
  readonly keysOf: (event: AnalysisEvent) => readonly BreakdownKey[];
  readonly write: (key: BreakdownKey) => { readonly title: string; readonly value: Json };
  /** "Other" and "no value" come after all others. */
  readonly isLast: (key: BreakdownKey) => boolean;
};

const DEFAULT_LIMIT = 25;

const OTHER_VALUE = '$$_posthog_breakdown_other_$$';

const MISSING_VALUE = '$$_posthog_breakdown_null_$$';

/** Prepares the breakdown of trends; `events` are those of all series, of which the most frequent values are kept. */
function trendBreakdown(
  breakdown: Breakdown,
  events: Iterable<AnalysisEvent>,
  surroundings: Surroundings,
): TrendBreakdown {
  const reader = breakdownReader(breakdown, surroundings);
  const isLast = (key: BreakdownKey) => key === OTHER || key === reader.missing;
  if (breakdown.kind === 'cohorts') {
    return {
      keysOf: reader.keysOf,
      write: (key) => ({ title: String(reader.write(key).title), value: reader.write(key).value }),
      isLast,
    };
  }
  const nameOf = limitedTo(breakdown.limit ?? DEFAULT_LIMIT, reader, events);
  return { keysOf: (event) => reader.keysOf(event).map(nameOf), write, isLast };
}

/** A single property is named by its text, several by the list of theirs. */
function write(key: BreakdownKey): { title: string; value: Json } {
  if (key === OTHER) return { title: 'Other', value: OTHER_VALUE };
  const texts = textsOfKey(key);
  const values = texts.map((text) => (text === '' ? MISSING_VALUE : text));
  const title = texts.map((text) => (text === '' ? 'None' : text)).join('::');
  return { title, value: values.length === 1 ? (values[0] ?? null) : values };
}
