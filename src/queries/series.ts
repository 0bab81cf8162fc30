import { usageError } from '../errors.ts';
import { asList, asObject, filled, type Json, type JsonObject } from '../json/kinds.ts';

/** Fields of the older filters, by the service's names. */
export type Filters = { readonly [name: string]: Json | undefined };

/** Throws a usage error for a field that was given and that a query cannot express. */
export function refuseUnknown(filters: Filters, known: readonly string[]): void {
  const unknown = Object.entries(filters).find(
    ([name, value]) => value !== undefined && !known.includes(name),
  );
  if (unknown) throw usageError(`the field "${unknown[0]}" has no counterpart in a query`, 'leave it out');
}

/** Events and actions in the order of their steps, as nodes of a query. */
function seriesOf(filters: Filters): readonly JsonObject[] {
  const entities = [
    ...objects(filters.events).map((entity) => ({ entity, node: eventNode(entity) })),
    ...objects(filters.actions).map((entity) => ({ entity, node: actionNode(entity) })),
  ];
  const orderOf = ({ entity }: { entity: JsonObject }, at: number) =>
    typeof entity.order === 'number' ? entity.order : at;
  return entities
    .map((one, at) => ({ node: one.node, order: orderOf(one, at) }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ node }) => node);
}

/** What an event is called in a query; `id` null is any event. */
export function eventNode(entity: JsonObject): JsonObject {
  return { kind: 'EventsNode', event: entity.id ?? null, ...details(entity) };
}

export function actionNode(entity: JsonObject): JsonObject {
  return { kind: 'ActionsNode', id: actionId(entity.id), ...details(entity) };
}

function actionId(id: Json | undefined): Json {
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : (id ?? null);
}

function details({ name, custom_name, properties, math, math_property }: JsonObject): JsonObject {
  return filled({ name, custom_name, properties: properties ?? undefined, math, math_property });
}

/** The objects of a list; older filters may hold a bare event name or action id in place of an object. */
export function objects(value: Json | undefined): readonly JsonObject[] {
  return (asList(value) ?? []).map((item) => asObject(item) ?? { id: item });
}

/** What every kind of insight has in common: series, filters, dates. */
export function insightFields(filters: Filters): JsonObject {
  const { date_from, date_to, properties, filter_test_accounts, interval } = filters;
  const dates = filled({ date_from, date_to });
  return filled({
    series: seriesOf(filters),
    properties: properties ?? undefined,
    filterTestAccounts: filter_test_accounts,
    dateRange: Object.keys(dates).length === 0 ? undefined : dates,
    interval,
  });
}

/** The breakdown of a query, undefined where there is none. */
export function breakdownFilter(filters: Filters): JsonObject | undefined {
  const { breakdown, breakdown_type, breakdown_limit } = filters;
  return breakdown === undefined ? undefined : filled({ breakdown, breakdown_type, breakdown_limit });
}

/** The specification's 0 counts persons, which a query says by leaving the index out. */
export function groupTypeIndex({ aggregation_group_type_index: index }: Filters): Json | undefined {
  return index === 0 || index === null ? undefined : index;
}
