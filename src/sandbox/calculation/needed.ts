import { isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { toText } from '../../json/write.ts';
import type { Breakdown } from '../analysis/breakdown.ts';
import type { Surroundings } from '../analysis/dataset.ts';
import type { ActorsRequest } from '../analysis/definitions/actors.ts';
import type { AnalysisDefinition } from '../analysis/definitions/definition.ts';
import { type Entity, eventNamesOf } from '../analysis/filters/entity.ts';
import { splitOldKey } from '../analysis/filters/property-filter.ts';
import { resolveSelection, type Selection } from '../analysis/selection.ts';
import type { DateRange } from '../analysis/time/date-range.ts';

/** Which events an analysis looks at; undefined leaves open. Milliseconds. */
export type NeededEvents = {
  readonly names: readonly string[] | undefined;
  readonly range: DateRange | undefined;
};

/** Narrows the events by name and time if an analysis cannot see the others. Throws a 400 for unknown actions. */
export function neededEvents(
  definition: AnalysisDefinition,
  surroundings: Surroundings,
  wanted?: ActorsRequest['wanted'],
): NeededEvents {
  const asked = definition.kind === 'correlation' ? definition.funnel : definition;
  // "All" begins with the first event there is, whatever its name.
  if (asked.dates.from === 'all') return { names: undefined, range: undefined };
  return { names: namesOf(definition, surroundings, wanted), range: rangeOf(asked, surroundings) };
}

function namesOf(
  definition: AnalysisDefinition,
  surroundings: Surroundings,
  wanted: ActorsRequest['wanted'] | undefined,
): readonly string[] | undefined {
  const funnel = definition.kind === 'correlation' ? definition.funnel : definition;
  // In a strict funnel every other event breaks the chain.
  if (funnel.kind === 'funnel' && funnel.order === 'strict') return undefined;
  if (definition.kind === 'correlation') {
    const { subject } = definition;
    if (subject.kind === 'events' || (wanted !== undefined && 'entity' in wanted && wanted.entity)) {
      return undefined;
    }
    const own = subject.kind === 'event_with_properties' ? subject.events : [];
    const steps = namesOf(definition.funnel, surroundings, undefined);
    return steps === undefined ? undefined : [...new Set([...steps, ...own])];
  }
  const names = entitiesOf(definition).map((entity) => eventNamesOf(entity, surroundings));
  return names.every((list) => list !== undefined) ? [...new Set(names.flat())] : undefined;
}

/** Only funnels see nothing outside of their dates; other analyses look back, or at an earlier range. */
function rangeOf(
  asked: Exclude<AnalysisDefinition, { kind: 'correlation' }>,
  surroundings: Surroundings,
): DateRange | undefined {
  if (asked.kind !== 'funnel' || asked.compare !== undefined) return undefined;
  return resolveSelection(asked, { ...surroundings, people: () => [] }).range;
}

/** The properties of events and persons that an analysis looks at. */
export type NeededProperties = {
  readonly ofEvents: ReadonlySet<string> | 'all';
  readonly ofPersons: boolean;
};

type Found = { readonly keys: Set<string>; persons: boolean };

/** Collects what the filters, breakdowns and sums of an analysis read. */
export function neededProperties(
  definition: AnalysisDefinition,
  surroundings: Surroundings,
  wanted?: ActorsRequest['wanted'],
): NeededProperties {
  const found: Found = { keys: new Set(), persons: false };
  const subject = definition.kind === 'correlation' ? definition.subject.kind : undefined;
  const asked = definition.kind === 'correlation' ? definition.funnel : definition;
  addSelection(asked, surroundings, found);
  const chosen = wanted !== undefined && 'entity' in wanted ? wanted.entity : undefined;
  for (const entity of [...entitiesOf(definition), ...(chosen === undefined ? [] : [chosen])]) {
    addEntity(entity, surroundings, found);
  }
  if ('breakdown' in asked) addBreakdown(asked.breakdown, found);
  const isByPerson =
    wanted !== undefined && 'propertyValues' in wanted && wanted.propertyValues !== undefined;
  return {
    ofEvents: subject === 'event_with_properties' ? 'all' : found.keys,
    ofPersons: found.persons || subject === 'properties' || isByPerson,
  };
}

/** All series, steps, exclusions and targets of an analysis. */
function entitiesOf(definition: AnalysisDefinition): readonly Entity[] {
  switch (definition.kind) {
    case 'funnel':
      return [...definition.steps, ...definition.exclusions.map(({ entity }) => entity)];
    case 'trends':
    case 'stickiness':
      return definition.series;
    case 'lifecycle':
      return [definition.entity];
    case 'retention':
      return [definition.target, definition.returning];
    case 'correlation':
      return entitiesOf(definition.funnel);
  }
}

function addSelection(selection: Selection, { project }: Surroundings, found: Found): void {
  addFilters(selection.filters, found);
  if (selection.filterTestAccounts) addFilters(project.test_account_filters ?? null, found);
  addGroup(selection.groupTypeIndex, found);
}

function addEntity(entity: Entity, { project }: Surroundings, found: Found): void {
  addFilters(entity.properties ?? null, found);
  addGroup(entity.mathGroupTypeIndex, found);
  if (entity.mathProperty !== undefined) found.keys.add(entity.mathProperty);
  if (entity.type === 'events') return;
  const action = project.actions?.find(({ id }) => id === Number(entity.id));
  for (const step of action?.steps ?? []) {
    addFilters(step.properties ?? null, found);
    if (step.url) found.keys.add('$current_url');
    if (step.text) found.keys.add('$el_text');
  }
}

function addBreakdown(breakdown: Breakdown | undefined, found: Found): void {
  if (breakdown === undefined) return;
  if (breakdown.kind === 'cohorts') found.persons = true;
  else {
    for (const { type, property, groupTypeIndex } of breakdown.parts) {
      if (type === 'person') found.persons = true;
      else if (type === 'event') found.keys.add(property);
      else addGroup(groupTypeIndex ?? 0, found);
    }
  }
}

function addGroup(index: number | undefined, { keys }: Found): void {
  if (index !== undefined) keys.add(`$group_${index}`);
}

function addFilters(filters: Json, found: Found): void {
  if (isList(filters)) {
    for (const filter of filters) addFilters(filter, found);
    return;
  }
  if (!isObject(filters)) return;
  if (isList(filters.values)) addFilters(filters.values, found);
  if (filters.key !== undefined) addFilter(filters, found);
  // The old form: `{ "email__icontains": "@" }`.
  else for (const key of Object.keys(filters)) found.keys.add(key).add(splitOldKey(key).name);
}

function addFilter(filter: JsonObject, found: Found): void {
  const type = toText(filter.type ?? 'event');
  if (type === 'person' || type.endsWith('cohort')) found.persons = true;
  else if (type === 'group') addGroup(Number(toText(filter.group_type_index ?? 0)), found);
  else found.keys.add(toText(filter.key ?? ''));
}
