import type { Json } from '../../json/kinds.ts';
import type { Calendar, Interval } from '../../service/calendar.ts';
import type { Dataset, Surroundings } from './dataset.ts';
import { both } from './filters/entity.ts';
import { compileFilters, type Predicate } from './filters/property-filter.ts';
import { calendarOf, type DateRange, type DateSelection, resolveRange } from './time/date-range.ts';

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

type PopulationSelection = { readonly filters: Json; readonly filterTestAccounts: boolean };

/** The filters of a whole analysis: its own and, if asked for, the project's against test accounts. */
export function populationFilter(
  selection: PopulationSelection,
  surroundings: Surroundings,
): Predicate | undefined {
  const testAccounts = selection.filterTestAccounts ? surroundings.project.test_account_filters : undefined;
  return both(compileFilters(selection.filters, surroundings), compileFilters(testAccounts, surroundings));
}

/** The time of the first event that counts, undefined without any. */
export function earliestTime(dataset: Dataset, filter: Predicate | undefined): number | undefined {
  let earliest: number | undefined;
  for (const { events } of dataset.people()) {
    const first = filter === undefined ? events[0] : events.find((event) => filter(event));
    if (first !== undefined && (earliest === undefined || first.timestamp < earliest))
      earliest = first.timestamp;
  }
  return earliest;
}
