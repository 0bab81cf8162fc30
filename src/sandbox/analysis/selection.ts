import type { Json } from '../../json/kinds.ts';
import type { Dataset } from './dataset.ts';
import type { Predicate } from './filters/property-filter.ts';
import { earliestTime, populationFilter } from './population.ts';
import type { Surroundings } from './project-settings.ts';
import { calendarOf, type DateRange, type DateSelection, resolveRange } from './time/date-range.ts';
import type { Calendar, Interval } from './time/interval.ts';

/** What every analysis says about whom and when. */
export type Selection = {
  readonly filters: Json;
  readonly filterTestAccounts: boolean;
  readonly dates: DateSelection;
  readonly interval: Interval;
  readonly groupTypeIndex?: number | undefined;
};

type ResolvedSelection = {
  readonly filter: Predicate | undefined;
  readonly range: DateRange;
  readonly calendar: Calendar;
};

/** Compiles the filters and reads the dates; `events` narrows what `all` looks at for its first event. */
export function resolveSelection(
  selection: Selection,
  dataset: Dataset,
  surroundings: Surroundings,
  { weekStart = 0, events }: { readonly weekStart?: number; readonly events?: Predicate } = {},
): ResolvedSelection {
  const filter = populationFilter(selection, surroundings);
  const calendar = calendarOf(surroundings, weekStart);
  const isCounted: Predicate = (event) => (events?.(event) ?? true) && (filter?.(event) ?? true);
  const earliest = () => earliestTime(dataset, isCounted);
  const { interval, dates } = selection;
  return { filter, calendar, range: resolveRange(dates, { ...surroundings, calendar, interval, earliest }) };
}
