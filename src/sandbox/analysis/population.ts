import type { Json } from '../../json/kinds.ts';
import type { Dataset } from './dataset.ts';
import { both } from './filters/entity.ts';
import { compileFilters, type Predicate } from './filters/property-filter.ts';
import type { Surroundings } from './project-settings.ts';

type PopulationSelection = { readonly filters: Json; readonly filterTestAccounts: boolean };

/** The filters of a whole analysis: its own and, where asked for, the project's against test accounts. */
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
