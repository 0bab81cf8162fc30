import type { StepWord } from '../cli/command/values.ts';
import { usageError } from '../errors.ts';
import { asList, asObject, filled, type Json, type JsonObject } from '../json/kinds.ts';
import type { PropertyFilter } from '../service/person-conditions.ts';

/** What the options that describe steps say, each under its own name; all of them hold the same words. */
export type StepFlags = {
  readonly [Name in 'event' | 'events' | 'actions' | 'where' | 'exclude' | 'excludeFrom' | 'excludeTo']?:
    | readonly StepWord[]
    | undefined;
};

/** Steps as the service's filters name them; a list that is empty is left out. */
type Steps = {
  readonly events?: readonly JsonObject[];
  readonly actions?: readonly JsonObject[];
  readonly exclusions?: readonly JsonObject[];
};

type Entity = {
  readonly type: 'events' | 'actions';
  readonly id: string | number;
  readonly conditions: PropertyFilter[];
};

type Exclusion = {
  readonly event: string;
  readonly conditions: PropertyFilter[];
  from?: number;
  to?: number;
};

type Reading = {
  readonly entities: Entity[];
  readonly exclusions: Exclusion[];
  /** The conditions of what was named last; undefined if that was a list, or nothing. */
  conditions: PropertyFilter[] | undefined;
};

/**
 * Events, actions and exclusions of the words in their order. Throws a usage error for a word in the wrong place, and
 * without events and actions.
 */
export function readSteps(words: readonly StepWord[]): Steps {
  const reading: Reading = { entities: [], exclusions: [], conditions: undefined };
  for (const word of words) readWord(word, reading);
  const entities = reading.entities.map(({ type, id, conditions }, order) =>
    filled({ id, type, order, properties: filtersOf(conditions) }),
  );
  const last = reading.entities.length;
  const steps = {
    events: entities.filter(({ type }) => type === 'events'),
    actions: entities.filter(({ type }) => type === 'actions'),
    exclusions: reading.exclusions.map((exclusion) => exclusionFilter(exclusion, last)),
  };
  requireSteps(steps);
  return nonEmpty(steps);
}

/** Throws a usage error without an event or an action: the service needs one of them. */
export function requireSteps(fields: { readonly [name: string]: Json | undefined }): void {
  const isGiven = (name: string) => (asList(fields[name]) ?? []).length > 0;
  if (isGiven('events') || isGiven('actions')) return;
  throw usageError('no event and no action was given', 'give the steps with --events a,b or --actions 1,2');
}

/** The words of whichever option was given. */
export function wordsOf(flags: StepFlags): readonly StepWord[] {
  const { event, events, actions, where, exclude, excludeFrom, excludeTo } = flags;
  return event ?? events ?? actions ?? where ?? exclude ?? excludeFrom ?? excludeTo ?? [];
}

function readWord(word: StepWord, reading: Reading): void {
  const { exclusions } = reading;
  switch (word.option) {
    case 'event':
      addEntities('events', [word.event], reading);
      return;
    case 'events':
      addEntities('events', word.events, reading);
      return;
    case 'actions':
      addEntities('actions', word.actions, reading);
      return;
    case 'where':
      if (reading.conditions === undefined) throw misplaced('--where', '--event, one action or --exclude');
      reading.conditions.push(word.condition);
      return;
    case 'exclude': {
      const exclusion: Exclusion = { event: word.event, conditions: [] };
      exclusions.push(exclusion);
      reading.conditions = exclusion.conditions;
      return;
    }
    default: {
      const exclusion = exclusions.at(-1);
      if (exclusion === undefined) throw misplaced(`--${word.option}`, '--exclude');
      exclusion[word.option === 'exclude-from' ? 'from' : 'to'] = word.step;
    }
  }
}

function addEntities(type: Entity['type'], ids: readonly (string | number)[], reading: Reading): void {
  const added = ids.map((id): Entity => ({ type, id, conditions: [] }));
  reading.entities.push(...added);
  reading.conditions = added.length === 1 ? added[0]?.conditions : undefined;
}

function misplaced(flag: string, owner: string) {
  return usageError(`${flag} needs an option before it`, `write it after ${owner}`);
}

function filtersOf(conditions: readonly PropertyFilter[]): readonly JsonObject[] | undefined {
  return conditions.length === 0 ? undefined : conditions.map(propertyFilter);
}

/** The service counts the steps of an exclusion from 0; without a range it is the whole funnel. */
function exclusionFilter({ event, conditions, from = 1, to }: Exclusion, last: number): JsonObject {
  const end = to ?? last;
  if (end <= from) {
    throw usageError(
      `the exclusion of "${event}" ends at step ${end}, which is not after step ${from}`,
      'give two steps with --exclude-from and --exclude-to, from 1',
    );
  }
  if (end > last) throw usageError(`the exclusion of "${event}" ends at step ${end} of ${last}`);
  return filled({
    id: event,
    type: 'events',
    funnel_from_step: from - 1,
    funnel_to_step: end - 1,
    properties: filtersOf(conditions),
  });
}

function nonEmpty(lists: { readonly [Name in keyof Steps]-?: NonNullable<Steps[Name]> }): Steps {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/** How SQL names the properties of the person who did an event. */
const PERSON = 'person.properties.';

/** A property filter of an analysis: about the event, or with `person.properties.plan` about its person. */
export function propertyFilter({ key, operator, value }: PropertyFilter): JsonObject {
  const ofPerson = key.startsWith(PERSON) && key.length > PERSON.length;
  return filled({
    key: ofPerson ? key.slice(PERSON.length) : key,
    operator,
    value,
    type: ofPerson ? 'person' : 'event',
  });
}

/** Fields of the older filters, by the service's names. */
export type Filters = { readonly [name: string]: Json | undefined };

/** The fields that options of every analysis stand for, by the service's names. */
export const seriesFields = [
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
] as const;

export const analysisFields = [...seriesFields, 'interval'];

/** Throws a usage error for a field that was given and that a query cannot express. */
export function refuseUnknown(filters: Filters, known: readonly string[]): void {
  const unknown = Object.entries(filters).find(
    ([name, value]) => value !== undefined && !known.includes(name),
  );
  if (unknown) throw usageError(`the field "${unknown[0]}" cannot be sent in a query`, 'leave it out');
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

/** The breakdown of a query, undefined without one. */
export function breakdownFilter(filters: Filters): JsonObject | undefined {
  const { breakdown, breakdown_type, breakdown_limit } = filters;
  return breakdown === undefined ? undefined : filled({ breakdown, breakdown_type, breakdown_limit });
}

/** The specification's 0 counts persons, which a query says by leaving the index out. */
export function groupTypeIndex({ aggregation_group_type_index: index }: Filters): Json | undefined {
  return index === 0 || index === null ? undefined : index;
}
