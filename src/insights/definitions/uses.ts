import { asObject, isList, isNumber, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { textField } from '../../semantics/answer.ts';
import { idText } from '../../service/endpoint.ts';
import type { Definition, Names } from './files.ts';

/** What has a number of its own in each project, and is told by its name. */
export type Numbered = 'cohort' | 'action' | 'variable';

/** A variable has its name beside it. */
export type Used = { readonly kind: Numbered; readonly id: string; readonly name?: string | undefined };

/** What a definition names by number, and what it expects to have been seen. */
export type Uses = {
  /** By kind and number. */
  readonly numbered: ReadonlyMap<string, Used>;
  readonly seen: ReadonlyMap<string, Seen>;
  readonly sql: readonly string[];
  /** What is not looked for in another project. */
  readonly unchecked: ReadonlySet<string>;
};

export type Seen = { readonly kind: 'event' | 'event property' | 'person property'; readonly name: string };

export function usesOf(definition: Definition): Uses {
  const numbered = new Map<string, Used>();
  withNumbers(definition, (kind, id, name) => {
    numbered.set(`${kind} ${id}`, { kind, id, name });
    return id;
  });
  const objects = objectsIn([definition.query ?? null, definition.filters ?? null]);
  const sql = objects.flatMap(sqlIn);
  return {
    numbered,
    seen: new Map(objects.flatMap(seenIn).map((one) => [`${one.kind} ${one.name}`, one])),
    sql,
    unchecked: new Set([...(sql.length > 0 ? ['SQL'] : []), ...objects.flatMap(uncheckedIn)]),
  };
}

function objectsIn(value: Json): readonly JsonObject[] {
  if (isList(value)) return value.flatMap(objectsIn);
  const object = asObject(value);
  return object === undefined ? [] : [object, ...Object.values(object).flatMap(objectsIn)];
}

function uncheckedIn(object: JsonObject): readonly string[] {
  const isByGroup = Object.keys(object).some((key) => /group_type_index$/.test(key) && isNumber(object[key]));
  return [
    ...(object.kind === 'DataWarehouseNode' ? ['warehouse tables'] : []),
    ...(isByGroup ? ['group types'] : []),
  ];
}

/** What definitions name by number. */
export function kindsOf(definitions: readonly Definition[]): ReadonlySet<Numbered> {
  return new Set(definitions.flatMap((one) => [...usesOf(one).numbered.values()].map(({ kind }) => kind)));
}

/** Those names that a definition uses. */
export function usedNames(definition: Definition, { cohorts, actions }: Names): Names {
  const { numbered } = usesOf(definition);
  const used = (kind: Numbered, names: Names['cohorts']) =>
    Object.fromEntries(Object.entries(names).filter(([id]) => numbered.has(`${kind} ${id}`)));
  return { cohorts: used('cohort', cohorts), actions: used('action', actions) };
}

type NumberOf = (kind: Numbered, id: string, name?: string) => Json;

/** The same definition with other numbers. */
export function withNumbers({ query, filters, ...others }: Definition, numberOf: NumberOf): Definition {
  return {
    ...others,
    ...(filters === undefined ? {} : { filters: renumbered(filters, numberOf) }),
    ...(query === undefined ? {} : { query: renumbered(query, numberOf) }),
  };
}

function renumbered(value: Json, numberOf: NumberOf): Json {
  if (isList(value)) return value.map((one) => renumbered(one, numberOf));
  const object = asObject(value);
  if (object === undefined) return value;
  const entries = Object.entries(object).map(([key, field]): readonly [string, Json] => {
    if (key === 'variables' && isObject(field)) return [key, withVariables(field, numberOf)];
    const kind = numberedBy(object, key);
    return [key, kind === undefined ? renumbered(field, numberOf) : withNumber(field, kind, numberOf)];
  });
  return Object.fromEntries(entries);
}

/** What a field holds the number of, in query nodes and in the older filters. */
function numberedBy({ kind, type, ...object }: JsonObject, key: string): Numbered | undefined {
  if (key === 'actionId') return 'action';
  if (key === 'id' && (kind === 'ActionsNode' || type === 'actions')) return 'action';
  if (key === 'breakdown' && object.breakdown_type === 'cohort') return 'cohort';
  const isCohort = typeof type === 'string' && /(^|-)cohort$/.test(type);
  return isCohort && (key === 'value' || key === 'property') ? 'cohort' : undefined;
}

function withNumber(value: Json, kind: Numbered, numberOf: NumberOf): Json {
  if (isList(value)) return value.map((one) => withNumber(one, kind, numberOf));
  const id = typeof value === 'string' || isNumber(value) ? idText(value) : '';
  // Beside numbers stand "all" and 0, which are all users.
  if (!/^[1-9]\d*$/.test(id)) return value;
  const number = numberOf(kind, id);
  return typeof value === 'string' ? idText(number) : number;
}

/** Variables of SQL stand under their ids, each with the name that SQL writes. */
function withVariables(variables: JsonObject, numberOf: NumberOf): JsonObject {
  const entries = Object.entries(variables).map(([id, value]): readonly [string, Json] => {
    const name = textField(value, 'code_name');
    if (name === undefined) return [id, value];
    const number = idText(numberOf('variable', id, name));
    return [number, { ...asObject(value), variableId: number }];
  });
  return Object.fromEntries(entries);
}

function seenIn(object: JsonObject): readonly Seen[] {
  const { kind, type, breakdown, breakdown_type: splitBy = 'event', math_property_type: mathBy } = object;
  const events = [
    ...(kind === undefined ? [] : [object.event]),
    ...(type === 'events' ? [object.id] : []),
    object.customEventName,
  ];
  const isFilter = object.operator !== undefined || object.value !== undefined;
  const math = typeof mathBy === 'string' && mathBy.includes('person') ? 'person' : 'event';
  const isOthers = typeof mathBy === 'string' && !/event|person/.test(mathBy);
  const properties = [
    ...(isFilter ? [{ of: type ?? 'event', name: object.key }] : []),
    { of: type ?? 'event', name: object.property },
    ...[breakdown ?? []].flat().map((name) => ({ of: splitBy, name })),
    { of: isOthers ? undefined : math, name: object.math_property },
  ];
  return [
    ...events.filter(isText).map((name) => ({ kind: 'event', name }) as const),
    ...properties.flatMap(({ of, name }): readonly Seen[] => {
      if (!isText(name) || UNLISTED.test(name)) return [];
      return of === 'event' || of === 'person' ? [{ kind: `${of} property`, name }] : [];
    }),
  ];
}

/** Properties that the service derives, or leaves out of its definitions. */
const UNLISTED =
  /^(distinct_id|\$virt_.*|\$session_duration|\$group_\d|\$groups|\$group_(type|key|set)|\$set(_once)?)$/;

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function sqlIn(object: JsonObject): readonly string[] {
  const { kind, type, breakdown, breakdown_type: splitBy } = object;
  const texts = [
    ...(kind === 'HogQLQuery' ? [object.query] : []),
    ...(type === 'hogql' ? [object.key, object.property] : []),
    ...(splitBy === 'hogql' ? [breakdown ?? []].flat() : []),
    ...(kind === 'EventsQuery' ? [object.select ?? [], object.where ?? [], object.orderBy ?? []].flat() : []),
    object.math_hogql,
    object.funnelAggregateByHogQL,
  ];
  return texts.filter(isText);
}
