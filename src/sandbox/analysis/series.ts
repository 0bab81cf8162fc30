import type { JsonObject } from '../../json/kinds.ts';
import { type Entity, nameOf } from './filters/entity.ts';
import type { Surroundings } from './project-settings.ts';

/** A series as results name it in `action`. */
export function writeEntity(entity: Entity, order: number, surroundings: Surroundings): JsonObject {
  return {
    id: entity.id,
    type: entity.type,
    order,
    name: nameOf(entity, surroundings),
    custom_name: entity.customName ?? null,
    math: entity.math ?? null,
    math_property: entity.mathProperty ?? null,
    math_group_type_index: entity.mathGroupTypeIndex ?? null,
    properties: entity.properties ?? {},
  };
}
