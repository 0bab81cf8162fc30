import { type Calendar, shift, startOf } from '../../../service/calendar.ts';
import { invalidRequest } from '../../refusal.ts';
import { type Actor, actorsOf } from '../actors.ts';
import type { BreakdownKey } from '../breakdown.ts';
import type { AnalysisInput, Surroundings } from '../dataset.ts';
import { predicateOf } from '../filters/entity.ts';
import type { Predicate } from '../filters/property-filter.ts';
import { resolveSelection } from '../selection.ts';
import { type DateRange, type Periods, periodsOf, readDate } from '../time/date-range.ts';
import { breakdownOfTrends } from './gather.ts';
import { isCumulative, type TrendsDefinition, trailingDays } from './measure.ts';

/**
 * Which point of trends: the period that holds `day`, without it the whole range. `breakdown` names a value as
 * `breakdown_value` does in the result, as texts.
 */
export type TrendActorsSelection = {
  readonly series: number;
  readonly day?: string | undefined;
  readonly breakdown?: readonly string[] | undefined;
};

/** The actors behind a point. A cumulative point reaches back to the start, an active-users one over its days. */
export function trendActors(
  definition: TrendsDefinition,
  wanted: TrendActorsSelection,
  input: AnalysisInput,
): readonly Actor[] {
  const entity = definition.series[wanted.series];
  if (entity === undefined) throw invalidRequest(`There is no series ${wanted.series}.`, { attr: 'series' });
  const { filter, range, calendar } = resolveSelection(definition, input);
  const span = spanOf(definition, wanted, { range, calendar }, input);
  const days = trailingDays(entity.math);
  const from = days === undefined ? span.from : shift('day', span.to + 1, -days, calendar.timezone);
  const isOfSeries = predicateOf(entity, input);
  const periods = periodsOf(range, definition.interval, calendar);
  const isWanted = valueTest(definition, wanted, { range, periods }, input);
  const selection = { range: { from, to: span.to }, filter, groupTypeIndex: definition.groupTypeIndex };
  const actors: Actor[] = [];
  for (const { actor, events } of actorsOf(input, selection)) {
    if (events.some((event) => isOfSeries(event) && isWanted(event))) actors.push(actor);
  }
  return actors;
}

function spanOf(
  definition: TrendsDefinition,
  { day }: TrendActorsSelection,
  { range, calendar }: { readonly range: DateRange; readonly calendar: Calendar },
  { now }: Surroundings,
): DateRange {
  if (day === undefined) return range;
  const { interval } = definition;
  const start = startOf(interval, readDate(day, { ...calendar, now }).instant, calendar);
  const to = Math.min(shift(interval, start, 1, calendar.timezone) - 1, range.to);
  return { from: isCumulative(definition) ? range.from : Math.max(start, range.from), to };
}

function valueTest(
  definition: TrendsDefinition,
  wanted: TrendActorsSelection,
  span: { readonly range: DateRange; readonly periods: Periods },
  input: AnalysisInput,
): Predicate {
  const breakdown = breakdownOfTrends(definition, span, input);
  if (breakdown === undefined || wanted.breakdown === undefined) return () => true;
  const text = JSON.stringify(wanted.breakdown);
  const isWanted = (key: BreakdownKey) =>
    JSON.stringify([breakdown.write(key).value].flat().map(String)) === text;
  return (event) => breakdown.keysOf(event).some(isWanted);
}
