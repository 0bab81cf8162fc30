import type { Json } from '../../../json/kinds.ts';
import type { Actor } from '../actors.ts';
import type { AnalysisEvent, Dataset } from '../dataset.ts';
import { type Entity, predicateOf } from '../filters/entity.ts';
import { compileFilters } from '../filters/property-filter.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { Surroundings } from '../project-settings.ts';
import { type Conversion, conversionsOf } from './conversions.ts';
import type { CorrelationDefinition } from './correlation.ts';
import { relevantEvents } from './facts.ts';

/** Actors of a funnel who did `entity` on the way, or whose properties match; `converted` undefined takes both. */
export type CorrelationActorsSelection = {
  readonly converted?: boolean | undefined;
  readonly entity?: Entity | undefined;
  readonly propertyValues?: Json | undefined;
};

/** The actors behind a number of a correlation. Throws a 400 without an entity or property values. */
export function correlationActors(
  { funnel }: CorrelationDefinition,
  wanted: CorrelationActorsSelection,
  dataset: Dataset,
  surroundings: Surroundings,
): readonly Actor[] {
  const conversions = conversionsOf(funnel, dataset, surroundings);
  const isWanted = ({ converted }: Conversion) =>
    wanted.converted === undefined || converted === wanted.converted;
  if (wanted.entity !== undefined) {
    const isEvent = predicateOf(wanted.entity, surroundings);
    return [...relevantEvents(funnel, conversions, dataset, surroundings)]
      .filter(({ conversion, events }) => isWanted(conversion) && events.some((event) => isEvent(event)))
      .map(({ conversion }) => conversion.actor);
  }
  if (wanted.propertyValues === undefined) {
    throw invalidRequest('Name an event or property values to list the persons behind a correlation.');
  }
  const matches = compileFilters(wanted.propertyValues, surroundings) ?? (() => true);
  return [...conversions.values()]
    .filter((conversion) => isWanted(conversion) && matches(eventOf(conversion.actor)))
    .map(({ actor }) => actor);
}

/** Filters read events; this one carries the actor's properties as its person's. */
function eventOf(actor: Actor): AnalysisEvent {
  const person =
    actor.kind === 'person'
      ? actor.person
      : { id: 0, uuid: '', distinct_ids: [], properties: actor.properties, created_at: null };
  return { person, event: '', timestamp: 0, order: 0, properties: {} };
}
