import type { Json, JsonObject } from '../../../json/kinds.ts';
import type { AnalysisEvent, AnalysisPerson } from '../dataset.ts';
import { invalidRequest } from '../invalid-request.ts';
import type { CohortSettings, Surroundings } from '../project-settings.ts';
import { textOf } from './property-value.ts';

type PersonTest = (person: AnalysisPerson) => boolean;

/** Handed in by the property filters, which in turn need cohorts. */
type CompileFilters = (
  filters: Json | undefined,
  surroundings: Surroundings,
) => ((event: AnalysisEvent) => boolean) | undefined;

/** The test behind a filter of type cohort: `value` is an id or a list of ids, any of which suffices. */
export function cohortTest(
  filter: JsonObject,
  surroundings: Surroundings,
  compile: CompileFilters,
): PersonTest {
  const ids: readonly Json[] = Array.isArray(filter.value) ? filter.value : [filter.value ?? null];
  const tests = ids.map((id) => membershipOf(Number(textOf(id)), surroundings, compile));
  const operator = textOf(filter.operator);
  const negated = filter.negation === true || operator === 'not_in' || operator === 'is_not';
  return (person) => tests.some((test) => test(person)) !== negated;
}

/** Who belongs to a cohort. Throws a 400 where the project has no such cohort or it contains itself. */
export function membershipOf(id: number, surroundings: Surroundings, compile: CompileFilters): PersonTest {
  const { project } = surroundings;
  const cohort = project.cohorts?.find((candidate) => candidate.id === id);
  if (cohort === undefined) throw invalidRequest(`Cohort ${id} does not exist.`, { attr: 'properties' });
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

/** Filters of a cohort are about persons even where they do not say so; what persons did is not known here. */
function asPersonFilters(filters: Json | undefined): Json {
  if (Array.isArray(filters)) return filters.map(asPersonFilters);
  if (typeof filters !== 'object' || filters === null) return null;
  // A JSON value that is an object and no list is an object of properties.
  const filter = filters as JsonObject;
  if (Array.isArray(filter.values)) return { ...filter, values: filter.values.map(asPersonFilters) };
  if (filter.type === 'behavioral') throw invalidRequest('Cohorts by behaviour are not supported here.');
  return filter.type === undefined || filter.type === 'event' ? { ...filter, type: 'person' } : filter;
}

function eventOf(person: AnalysisPerson): AnalysisEvent {
  return { person, event: '', timestamp: 0, order: 0, properties: {} };
}
