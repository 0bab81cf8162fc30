import type { Json, JsonObject } from '../../json/kinds.ts';
import {
  type AnalysisEvent,
  type AnalysisInput,
  type AnalysisPerson,
  compareEvents,
  type Surroundings,
} from './dataset.ts';
import type { Selection } from './definitions/query-nodes.ts';
import {
  compileFilters,
  every,
  groupKeyReader,
  groupsByKey,
  type Predicate,
} from './filters/property-filter.ts';
import {
  type Comparison,
  calendarOf,
  type DateRange,
  previousRange,
  resolveRange,
} from './time/date-range.ts';

/** Compiles the filters and reads the dates; `events` narrows what `all` looks at for its first event. */
export function resolveSelection(
  selection: Selection,
  input: AnalysisInput,
  { weekStart = 0, events }: { readonly weekStart?: number; readonly events?: Predicate } = {},
) {
  const filter = populationFilter(selection, input);
  const calendar = calendarOf(input, weekStart);
  const isCounted: Predicate = (event) => (events?.(event) ?? true) && (filter?.(event) ?? true);
  const earliest = () => earliestTime(input, isCounted);
  const { interval, dates } = selection;
  return { filter, calendar, range: resolveRange(dates, { ...input, calendar, interval, earliest }) };
}

/** The filters of a whole analysis: its own and, if asked for, the project's against test accounts. */
export function populationFilter(selection: Selection, surroundings: Surroundings): Predicate | undefined {
  const testAccounts = selection.filterTestAccounts ? surroundings.project.test_account_filters : undefined;
  return every([compileFilters(selection.filters, surroundings), compileFilters(testAccounts, surroundings)]);
}

/** The time of the first event that counts, undefined without any. */
export function earliestTime(
  { people, needs }: AnalysisInput,
  filter: Predicate | undefined,
): number | undefined {
  needs.anyEvent = true;
  let earliest: number | undefined;
  for (const { events } of people()) {
    const first = filter === undefined ? events[0] : events.find((event) => filter(event));
    if (first !== undefined && (earliest === undefined || first.timestamp < earliest))
      earliest = first.timestamp;
  }
  return earliest;
}

/** What is counted: a person, or a group if the analysis is by group. */
export type Actor =
  | { readonly kind: 'person'; readonly person: AnalysisPerson }
  | {
      readonly kind: 'group';
      readonly typeIndex: number;
      readonly key: string;
      readonly properties: JsonObject;
    };

export type ActorEvents = { readonly actor: Actor; readonly events: readonly AnalysisEvent[] };

/** Without `groupTypeIndex` actors are persons; with it, events without the group have no actor. */
export type ActorSelection = {
  readonly groupTypeIndex?: number | undefined;
  readonly range: DateRange;
  readonly filter: Predicate | undefined;
};

/** Each actor with those of its events that lie in the range and pass the filter, in order. */
export function* actorsOf(input: AnalysisInput, selection: ActorSelection): Generator<ActorEvents> {
  if (selection.groupTypeIndex !== undefined) {
    yield* groupsOf(input, selection, selection.groupTypeIndex);
    return;
  }
  for (const { person, events } of input.people()) {
    const kept = keep(events, selection);
    if (kept.length > 0) yield { actor: { kind: 'person', person }, events: kept };
  }
}

function keep(events: readonly AnalysisEvent[], { range, filter }: ActorSelection): readonly AnalysisEvent[] {
  const first = events[0]?.timestamp ?? 0;
  const last = events[events.length - 1]?.timestamp ?? 0;
  if (filter === undefined && first >= range.from && last <= range.to) return events;
  return events.filter(
    (event) => event.timestamp >= range.from && event.timestamp <= range.to && (filter?.(event) ?? true),
  );
}

function* groupsOf(
  input: AnalysisInput,
  selection: ActorSelection,
  typeIndex: number,
): Generator<ActorEvents> {
  const keyOf = groupKeyReader(typeIndex, input);
  const known = groupsByKey(input.project.groups ?? [], typeIndex);
  const members = new Map<string, AnalysisEvent[]>();
  for (const { events } of input.people()) {
    for (const event of keep(events, selection)) {
      const key = keyOf(event);
      if (key === undefined) continue;
      const others = members.get(key);
      if (others === undefined) members.set(key, [event]);
      else others.push(event);
    }
  }
  for (const [key, events] of members) {
    const properties = known.get(key)?.properties ?? {};
    yield { actor: { kind: 'group', typeIndex, key, properties }, events: events.sort(compareEvents) };
  }
}

/** The results of the range, and with a comparison those of the earlier one, each labelled. */
export function compared<Result extends JsonObject>(
  definition: Selection & { readonly compare?: Comparison | undefined },
  input: AnalysisInput,
  resultsOf: (range: DateRange) => readonly Result[],
): readonly Json[] {
  const { range, calendar } = resolveSelection(definition, input);
  const { dates, compare } = definition;
  if (compare === undefined) return resultsOf(range);
  const labelled = (label: string, span: DateRange) =>
    resultsOf(span).map((result) => ({ ...result, compare: true, compare_label: label }));
  const before = previousRange(range, dates, compare, calendar);
  return [...labelled('current', range), ...labelled('previous', before)];
}

/** The sum of numbers divided by how many there are; null of none. */
export function average(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null;
  return sum(numbers) / numbers.length;
}

/** The number below which a share of all numbers lies, interpolated between neighbours; null of none. */
export function quantile(numbers: readonly number[], share: number): number | null {
  if (numbers.length === 0) return null;
  const sorted = Float64Array.from(numbers).sort();
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? 0;
  return below + (above - below) * (position - Math.floor(position));
}

export function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Rounds to two places, as the service writes percentages. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;
}
