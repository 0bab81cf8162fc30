import type { Json, JsonObject } from '../../../json/kinds.ts';
import { invalid, invalidRequest } from '../../refusal.ts';
import type { AnalysisEvent, AnalysisPerson, CohortSettings, Group, Surroundings } from '../dataset.ts';
import { testOf, textOf } from './operators.ts';

/** Decides about one event; undefined stands for "every event". */
export type Predicate = (event: AnalysisEvent) => boolean;

/**
 * Turns filters as requests and settings carry them into one test: a list (all must hold), an AND/OR tree
 * `{ type, values }`, one filter, or the old form `{ "email__icontains": "@" }`. Throws a 400 for what does not exist.
 */
export function compileFilters(filters: Json | undefined, surroundings: Surroundings): Predicate | undefined {
  if (filters === undefined || filters === null) return undefined;
  if (Array.isArray(filters)) return every(filters.map((filter) => compileFilters(filter, surroundings)));
  if (typeof filters !== 'object') throw invalid('properties', 'properties must be a list or an object.');
  // A JSON value that is an object and no list is an object of properties.
  const filter = filters as JsonObject;
  if (Array.isArray(filter.values) && isTree(filter)) return compileTree(filter, filter.values, surroundings);
  if (filter.key !== undefined) return compileFilter(filter, surroundings);
  return every(Object.entries(filter).map(([key, value]) => compileOldForm(key, value, surroundings)));
}

function isTree(filter: JsonObject): boolean {
  return filter.type === 'AND' || filter.type === 'OR' || filter.key === undefined;
}

function compileTree(
  filter: JsonObject,
  values: readonly Json[],
  surroundings: Surroundings,
): Predicate | undefined {
  const tests = values.map((value) => compileFilters(value, surroundings));
  return filter.type === 'OR' ? some(tests) : every(tests);
}

/** `email__icontains` as a key and its operator. */
export function splitOldKey(key: string): { readonly name: string; readonly operator: string } {
  const [word = ''] = /(?<![a-z_])[a-z_]*$/.exec(key) ?? [];
  const at = key.indexOf('__', Math.max(1, key.length - word.length));
  if (at === -1 || at + 2 >= key.length) return { name: key, operator: 'exact' };
  return { name: key.slice(0, at), operator: key.slice(at + 2) };
}

function compileOldForm(key: string, value: Json, surroundings: Surroundings): Predicate | undefined {
  const { name, operator } = splitOldKey(key);
  return compileFilter({ key: name, value, operator, type: 'event' }, surroundings);
}

function every(tests: readonly (Predicate | undefined)[]): Predicate | undefined {
  const real = tests.filter((test) => test !== undefined);
  const [only, ...others] = real;
  if (only === undefined) return undefined;
  if (others.length === 0) return only;
  return (event) => real.every((test) => test(event));
}

/** An empty branch of an OR says nothing, as in the service; it does not let everything through. */
function some(tests: readonly (Predicate | undefined)[]): Predicate | undefined {
  const real = tests.filter((test) => test !== undefined);
  return real.length === 0 ? undefined : (event) => real.some((test) => test(event));
}

function compileFilter(filter: JsonObject, surroundings: Surroundings): Predicate {
  const key = textOf(filter.key) ?? '';
  const type = textOf(filter.type) ?? 'event';
  const operator = textOf(filter.operator) ?? 'exact';
  if (type.endsWith('cohort')) {
    const isMember = cohortTest(filter, surroundings, compileFilters);
    return (event) => isMember(event.person);
  }
  const test = testOf(operator, filter.value, surroundings);
  switch (type) {
    case 'event':
    case 'feature':
      return (event) => test(propertyOf(event.properties, key));
    case 'person':
      return (event) => test(propertyOf(event.person.properties, key));
    case 'event_metadata':
      return (event) => test(key === 'timestamp' ? new Date(event.timestamp).toISOString() : event.event);
    case 'group': {
      const propertiesOf = groupReader(Number(textOf(filter.group_type_index) ?? 0), surroundings);
      return (event) => test(propertyOf(propertiesOf(event), key));
    }
    default:
      throw invalid('properties', `Filters of the type "${type}" are not supported here.`);
  }
}

/** A property by name; names such as `constructor` are not found on every object. */
export function propertyOf(properties: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The key of the group an event belongs to, in the property `$group_N`. */
export function groupKeyOf(event: AnalysisEvent, typeIndex: number): string | undefined {
  return textOf(propertyOf(event.properties, `$group_${typeIndex}`)) || undefined;
}

/** Finds the properties of an event's group; none if the group is unknown. */
export function groupReader(
  typeIndex: number,
  { project }: Surroundings,
): (event: AnalysisEvent) => JsonObject {
  const groups = groupsByKey(project.groups ?? [], typeIndex);
  return (event) => groups.get(groupKeyOf(event, typeIndex) ?? '')?.properties ?? {};
}

/** The project's groups of one type, by their key. */
export function groupsByKey(groups: readonly Group[], typeIndex: number): ReadonlyMap<string, Group> {
  return new Map(groups.filter((group) => group.type_index === typeIndex).map((group) => [group.key, group]));
}

type PersonTest = (person: AnalysisPerson) => boolean;

/** Handed in by the property filters, which in turn need cohorts. */
type CompileFilters = (
  filters: Json | undefined,
  surroundings: Surroundings,
) => ((event: AnalysisEvent) => boolean) | undefined;

/** The test behind a filter of type cohort: `value` is an id or a list of ids, any of which suffices. */
function cohortTest(filter: JsonObject, surroundings: Surroundings, compile: CompileFilters): PersonTest {
  const ids: readonly Json[] = Array.isArray(filter.value) ? filter.value : [filter.value ?? null];
  const tests = ids.map((id) => membershipOf(Number(textOf(id)), surroundings, compile));
  const operator = textOf(filter.operator);
  const negated = filter.negation === true || operator === 'not_in' || operator === 'is_not';
  return (person) => tests.some((test) => test(person)) !== negated;
}

/** The members of a cohort. Throws a 400 if the project has no such cohort or it contains itself. */
export function membershipOf(id: number, surroundings: Surroundings, compile: CompileFilters): PersonTest {
  const { project } = surroundings;
  const cohort = project.cohorts?.find((candidate) => candidate.id === id);
  if (cohort === undefined) throw invalid('properties', `Cohort ${id} does not exist.`);
  // Without the cohort itself, so that a cohort made of cohorts that lead back to it ends in an error.
  const others = project.cohorts?.filter((candidate) => candidate !== cohort) ?? [];
  const decide = decisionOf(cohort, { ...surroundings, project: { ...project, cohorts: others } }, compile);
  const known = new WeakMap<AnalysisPerson, boolean>();
  return (person) => {
    const before = known.get(person);
    if (before !== undefined) return before;
    const answer = decide(person);
    known.set(person, answer);
    return answer;
  };
}

function decisionOf(cohort: CohortSettings, surroundings: Surroundings, compile: CompileFilters): PersonTest {
  const { distinct_ids, person_uuids, groups, filters } = cohort;
  if (distinct_ids !== undefined || person_uuids !== undefined) {
    const listed = new Set([...(distinct_ids ?? []), ...(person_uuids ?? [])]);
    return (person) => listed.has(person.uuid) || person.distinct_ids.some((id) => listed.has(id));
  }
  const branches =
    filters?.properties === undefined
      ? (groups ?? []).map((group) => group.properties)
      : [filters.properties];
  const tests = branches.map((branch) => compile(asPersonFilters(branch), surroundings));
  return (person) => tests.some((test) => test?.(eventOf(person)) ?? false);
}

/** Filters of a cohort are about persons even if they do not say so; what persons did is not known here. */
function asPersonFilters(filters: Json | undefined): Json {
  if (Array.isArray(filters)) return filters.map(asPersonFilters);
  if (typeof filters !== 'object' || filters === null) return null;
  // A JSON value that is an object and no list is an object of properties.
  const filter = filters as JsonObject;
  if (Array.isArray(filter.values)) return { ...filter, values: filter.values.map(asPersonFilters) };
  if (filter.type === 'behavioral') throw invalidRequest('Cohorts by behaviour are not supported here.');
  return filter.type === undefined || filter.type === 'event' ? { ...filter, type: 'person' } : filter;
}

/** Filters read events; this one has nothing but its person. */
export function eventOf(person: AnalysisPerson): AnalysisEvent {
  return { person, event: '', timestamp: 0, order: 0, properties: {} };
}
