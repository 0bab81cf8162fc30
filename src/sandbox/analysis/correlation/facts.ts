import { type Actor, actorsOf } from '../actors.ts';
import type { AnalysisEvent, Dataset } from '../dataset.ts';
import { eventNamesOf } from '../filters/entity.ts';
import { propertyOf } from '../filters/property-filter.ts';
import { textOf } from '../filters/property-value.ts';
import type { FunnelDefinition } from '../funnels/funnel-definition.ts';
import type { Surroundings } from '../project-settings.ts';
import { resolveSelection } from '../selection.ts';
import { type ActorIdentity, type Conversion, identityOf } from './conversions.ts';

/** What is correlated. `$all` among the names of properties stands for all of them. */
export type CorrelationSubject =
  | { readonly kind: 'events'; readonly exceptEvents: readonly string[] }
  | {
      readonly kind: 'properties';
      readonly names: readonly string[];
      readonly exceptNames: readonly string[];
    }
  | {
      readonly kind: 'event_with_properties';
      readonly events: readonly string[];
      readonly exceptProperties: readonly string[];
    };

/** What is true of one actor, each fact once: an event's name, `property::value` or `event::property::value`. */
type ActorFacts = { readonly conversion: Conversion; readonly facts: ReadonlySet<string> };

/** What is true of each actor of a funnel. */
export function* factsOf(
  funnel: FunnelDefinition,
  subject: CorrelationSubject,
  conversions: ReadonlyMap<ActorIdentity, Conversion>,
  dataset: Dataset,
  surroundings: Surroundings,
): Generator<ActorFacts> {
  if (subject.kind === 'properties') {
    for (const conversion of conversions.values()) {
      yield { conversion, facts: new Set(propertyFacts(conversion.actor, subject)) };
    }
    return;
  }
  const stepNames = new Set(funnel.steps.flatMap((step) => eventNamesOf(step, surroundings) ?? []));
  for (const { conversion, events } of relevantEvents(funnel, conversions, dataset, surroundings)) {
    const facts = new Set<string>();
    for (const event of events) {
      if (stepNames.has(event.event)) continue;
      for (const fact of eventFacts(event, subject)) facts.add(fact);
    }
    yield { conversion, facts };
  }
}

/** The events of each actor between entering and leaving the funnel. The funnel's filters choose actors, not these. */
export function* relevantEvents(
  funnel: FunnelDefinition,
  conversions: ReadonlyMap<ActorIdentity, Conversion>,
  dataset: Dataset,
  surroundings: Surroundings,
): Generator<{ readonly conversion: Conversion; readonly events: readonly AnalysisEvent[] }> {
  const { range } = resolveSelection(funnel, dataset, surroundings);
  const selection = { range, filter: undefined, groupTypeIndex: funnel.groupTypeIndex };
  for (const { actor, events } of actorsOf(dataset, selection, surroundings)) {
    const conversion = conversions.get(identityOf(actor));
    if (conversion === undefined) continue;
    const { from, before } = conversion;
    yield { conversion, events: events.filter(({ timestamp }) => timestamp > from && timestamp < before) };
  }
}

function propertyFacts(
  actor: Actor,
  subject: Extract<CorrelationSubject, { kind: 'properties' }>,
): readonly string[] {
  const properties = actor.kind === 'person' ? actor.person.properties : actor.properties;
  const names = subject.names.includes('$all') ? Object.keys(properties) : subject.names;
  return names
    .filter(
      (name) => !subject.exceptNames.includes(name) && textOf(propertyOf(properties, name)) !== undefined,
    )
    .map((name) => `${name}::${textOf(propertyOf(properties, name))}`);
}

function eventFacts(
  event: AnalysisEvent,
  subject: Exclude<CorrelationSubject, { kind: 'properties' }>,
): readonly string[] {
  if (subject.kind === 'events') return subject.exceptEvents.includes(event.event) ? [] : [event.event];
  if (!subject.events.includes(event.event)) return [];
  return Object.keys(event.properties)
    .filter(
      (name) => !subject.exceptProperties.includes(name) && textOf(event.properties[name]) !== undefined,
    )
    .map((name) => `${event.event}::${name}::${textOf(event.properties[name])}`);
}
