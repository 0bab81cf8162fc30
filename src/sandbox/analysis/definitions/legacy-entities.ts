import type { Json, JsonObject } from '../../../json/kinds.ts';
import type { Entity } from '../filters/entity.ts';
import type { Exclusion } from '../funnels/funnel-definition.ts';
import { readFilters } from './fields.ts';
import { asObject, readNumber, readObjects, readText, readValue } from './reading.ts';

/** The events and actions of an old filter body in their common order; those without a number come last. */
export function readEntities(body: JsonObject): readonly Entity[] {
  const events = readObjects(body.events, 'events').map((entity) => ({ entity, type: 'events' as const }));
  const actions = readObjects(body.actions, 'actions').map((entity) => ({
    entity,
    type: 'actions' as const,
  }));
  const place = (entity: JsonObject) => readNumber(entity.order, 'order') ?? Number.MAX_SAFE_INTEGER;
  return [...events, ...actions]
    .sort((one, other) => place(one.entity) - place(other.entity))
    .map(({ entity, type }) => readEntity(entity, type));
}

/** One entity of an old filter body. */
export function readEntity(entity: JsonObject, type: Entity['type']): Entity {
  return {
    type,
    id: type === 'actions' ? (readNumber(entity.id, 'actions') ?? null) : readEventName(entity.id),
    name: readText(entity.name),
    customName: readText(entity.custom_name),
    properties: readFilters(entity.properties),
    math: readText(entity.math),
    mathProperty: readText(entity.math_property),
    mathGroupTypeIndex: readNumber(entity.math_group_type_index, 'math_group_type_index'),
  };
}

/** The empty text is a name of its own, null is any event. */
function readEventName(id: Json | undefined): string | null {
  return typeof id === 'string' ? id : (readText(id) ?? null);
}

/** An entity given on its own, as JSON or as text: `{ "id": "signup", "type": "events" }` or just `signup`. */
export function readSingleEntity(value: Json | undefined): Entity | undefined {
  const given = readValue(value);
  if (given === undefined || given === null) return undefined;
  const entity: JsonObject = asObject(given) ?? { id: given };
  return readEntity(entity, entity.type === 'actions' ? 'actions' : 'events');
}

/** The exclusions of an old filter body. Without a range they span the whole funnel. */
export function readExclusions(body: JsonObject, stepCount: number): readonly Exclusion[] {
  return readObjects(body.exclusions, 'exclusions').map((exclusion) => ({
    entity: readEntity(exclusion, exclusion.type === 'actions' ? 'actions' : 'events'),
    fromStep: readNumber(exclusion.funnel_from_step, 'funnel_from_step') ?? 0,
    toStep: readNumber(exclusion.funnel_to_step, 'funnel_to_step') ?? stepCount - 1,
  }));
}
