import type { Json, JsonObject } from '../../../json/kinds.ts';
import type { Entity } from '../filters/entity.ts';
import type { Exclusion } from '../funnels/funnel-definition.ts';
import { invalidRequest } from '../invalid-request.ts';
import { readFilters } from './fields.ts';
import { asObject, readFlag, readNumber, readObjects, readText } from './reading.ts';

/** The series of a query node. Throws a 400 for nodes that are neither events nor actions. */
export function readQuerySeries(value: Json | undefined): readonly Entity[] {
  return readObjects(value, 'series').map(readNode);
}

/** One events or actions node. */
export function readNode(node: JsonObject): Entity {
  if (readFlag(node.optionalInFunnel))
    throw invalidRequest('Optional steps are not supported here.', { attr: 'series' });
  const shared = {
    name: readText(node.name),
    customName: readText(node.custom_name),
    properties: allFilters(node),
    math: readText(node.math),
    mathProperty: readText(node.math_property),
    mathGroupTypeIndex: readNumber(node.math_group_type_index, 'math_group_type_index'),
  };
  if (node.kind === 'ActionsNode')
    return { ...shared, type: 'actions', id: readNumber(node.id, 'series') ?? null };
  if (node.kind !== 'EventsNode') {
    throw invalidRequest(`Series of the kind "${readText(node.kind)}" are not supported here.`, {
      attr: 'series',
    });
  }
  return { ...shared, type: 'events', id: typeof node.event === 'string' ? node.event : null };
}

function allFilters(node: JsonObject): Json {
  const fixed = readFilters(node.fixedProperties);
  const own = readFilters(node.properties);
  return fixed === null ? own : [own, fixed];
}

/** Exclusions are nodes with a range of steps. */
export function readQueryExclusions(value: Json | undefined, stepCount: number): readonly Exclusion[] {
  return readObjects(value, 'exclusions').map((node) => ({
    entity: readNode(node),
    fromStep: readNumber(node.funnelFromStep, 'funnelFromStep') ?? 0,
    toStep: readNumber(node.funnelToStep, 'funnelToStep') ?? stepCount - 1,
  }));
}

/** A target of retention: `{ id, type, name, properties }`, or a node. */
export function readTarget(value: Json | undefined): Entity | undefined {
  const target = asObject(value);
  if (target === undefined) return undefined;
  if (target.kind === 'EventsNode' || target.kind === 'ActionsNode') return readNode(target);
  const type = target.type === 'actions' ? 'actions' : 'events';
  const id = type === 'actions' ? readNumber(target.id, 'targetEntity') : readText(target.id);
  return { type, id: id ?? null, name: readText(target.name), properties: readFilters(target.properties) };
}
