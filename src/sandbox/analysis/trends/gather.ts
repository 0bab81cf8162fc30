import type { Json } from '../../../json/kinds.ts';
import { actorsOf } from '../actors.ts';
import {
  type Breakdown,
  type BreakdownKey,
  type BreakdownReader,
  mostFrequent,
  OTHER,
  orderKeys,
  readerOf,
  textsOfKey,
} from '../breakdown.ts';
import type { AnalysisEvent, AnalysisInput, Surroundings } from '../dataset.ts';
import { type Entity, predicateOf } from '../filters/entity.ts';
import { resolveSelection } from '../selection.ts';
import type { DateRange, Periods } from '../time/date-range.ts';
import {
  isCumulative,
  type Measure,
  measureOf,
  measureStart,
  type Sample,
  type TrendsDefinition,
} from './measure.ts';

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
export function gather(definition: TrendsDefinition, span: Span, input: AnalysisInput): Gathered {
  const samples = (entity: Entity) => samplesOf(entity, definition, span, input);
  const breakdown = breakdownOfTrends(definition, span, input);
  const setting = {
    periods: span.periods,
    timezone: input.project.timezone,
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
  const reader = readerOf(breakdown, surroundings);
  const isLast = (key: BreakdownKey) => key === OTHER || key === reader.missing;
  if (breakdown.kind === 'cohorts') {
    return {
      keysOf: reader.keysOf,
      write: (key) => ({ title: String(reader.write(key).title), value: reader.write(key).value }),
      isLast,
    };
  }
  const kept = keptValues(reader, events, breakdown.limit ?? DEFAULT_LIMIT);
  return {
    keysOf: (event) => reader.keysOf(event).map((key) => (kept.has(key) ? key : OTHER)),
    write,
    isLast,
  };
}

function keptValues(reader: BreakdownReader, events: Iterable<AnalysisEvent>, limit: number) {
  const counts = new Map<BreakdownKey, number>();
  for (const event of events) {
    for (const key of reader.keysOf(event)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return mostFrequent(counts, limit);
}

/** A single property is named by its text, several by the list of theirs. */
function write(key: BreakdownKey): { title: string; value: Json } {
  if (key === OTHER) return { title: 'Other', value: OTHER_VALUE };
  const texts = textsOfKey(key);
  const values = texts.map((text) => (text === '' ? MISSING_VALUE : text));
  const title = texts.map((text) => (text === '' ? 'None' : text)).join('::');
  return { title, value: values.length === 1 ? (values[0] ?? null) : values };
}
