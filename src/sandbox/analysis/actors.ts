import type { JsonObject } from '../../json/kinds.ts';
import { type AnalysisEvent, type AnalysisInput, type AnalysisPerson, compareEvents } from './dataset.ts';
import { groupKeyOf, groupsByKey, type Predicate } from './filters/property-filter.ts';
import type { DateRange } from './time/date-range.ts';

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
type ActorSelection = {
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
  { project, people }: AnalysisInput,
  selection: ActorSelection,
  typeIndex: number,
): Generator<ActorEvents> {
  const known = groupsByKey(project.groups ?? [], typeIndex);
  const members = new Map<string, AnalysisEvent[]>();
  for (const { events } of people()) {
    for (const event of keep(events, selection)) {
      const key = groupKeyOf(event, typeIndex);
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
