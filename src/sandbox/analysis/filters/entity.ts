import type { Json, JsonObject } from '../../../json/kinds.ts';
import { invalid, invalidRequest } from '../../refusal.ts';
import type { Action, ActionStep, AnalysisEvent, Surroundings } from '../dataset.ts';
import {
  compileFilters,
  eventReader,
  every,
  type Predicate,
  testOf,
  textOf,
  type ValueTest,
} from './property-filter.ts';

/** What happens in a step or a series: an event by name, any event (`id` null), or an action by number. */
export type Entity = {
  readonly type: 'events' | 'actions';
  readonly id: string | number | null;
  readonly name?: string | undefined;
  readonly customName?: string | undefined;
  readonly properties?: Json;
  readonly math?: string | undefined;
  readonly mathProperty?: string | undefined;
  readonly mathGroupTypeIndex?: number | undefined;
};

/** One way to match an entity. Without `event` any event name does, without `test` any event of that name. */
type Pattern = { readonly event: string | undefined; readonly test: Predicate | undefined };

/** The name an entity goes by in results. */
export function nameOf(entity: Entity, surroundings: Surroundings): string {
  if (entity.type === 'actions') return actionOf(entity, surroundings).name;
  return entity.name ?? (entity.id === null ? 'All events' : String(entity.id));
}

/** The names of the events an entity is made of; undefined if it may be any event. */
export function eventNamesOf(entity: Entity, surroundings: Surroundings): readonly string[] | undefined {
  const names = patternsOf({ ...entity, properties: null }, surroundings).map(({ event }) => event);
  const known = names.filter((name) => name !== undefined);
  return known.length === names.length ? known : undefined;
}

/** All ways to match an entity. Throws a 400 for an action that does not exist. */
function patternsOf(entity: Entity, surroundings: Surroundings): readonly Pattern[] {
  const patterns = readPatterns(entity, surroundings);
  for (const { event } of patterns) {
    if (event === undefined) surroundings.needs.anyEvent = true;
    else surroundings.needs.names.add(event);
  }
  return patterns;
}

function readPatterns(entity: Entity, surroundings: Surroundings): readonly Pattern[] {
  const own = compileFilters(entity.properties, surroundings);
  if (entity.type === 'events')
    return [{ event: entity.id === null ? undefined : String(entity.id), test: own }];
  return actionOf(entity, surroundings).steps.map((step) => ({
    event: step.event ?? undefined,
    test: every([compileActionStep(step, surroundings), own]),
  }));
}

/** One test for an entity, for analyses that ask about a single one. */
export function predicateOf(entity: Entity, surroundings: Surroundings): Predicate {
  const isEntity = maskOf([entity], surroundings);
  return (event) => isEntity(event) !== 0;
}

function actionOf(entity: Entity, { project }: Surroundings): Action {
  const action = project.actions?.find((candidate) => candidate.id === Number(entity.id));
  if (action === undefined) throw invalidRequest(`Action ID ${entity.id} does not exist!`);
  return action;
}

function compileActionStep(step: ActionStep, surroundings: Surroundings): Predicate | undefined {
  if (step.selector || step.tag_name || step.href) {
    throw invalid('actions', 'Actions by selector, tag or link target are not supported here.');
  }
  const text = step.text
    ? compileFilters([{ key: '$el_text', value: step.text, type: 'event' }], surroundings)
    : undefined;
  return every([urlTest(step, surroundings), text, compileFilters(step.properties, surroundings)]);
}

function urlTest({ url, url_matching }: ActionStep, surroundings: Surroundings): Predicate | undefined {
  if (!url) return undefined;
  const holds = urlMatcher(url, url_matching ?? 'contains', surroundings);
  const current = eventReader('$current_url', surroundings);
  return (event) => holds(current(event));
}

function urlMatcher(url: string, matching: string, surroundings: Surroundings): ValueTest {
  if (matching === 'exact' || matching === 'regex') return testOf(matching, url, surroundings);
  return (current) => textOf(current)?.includes(url) ?? false;
}

/** Which of several entities an event is: bit n is set for entity n. */
export type MaskOf = (event: AnalysisEvent) => number;

type Candidate = { readonly bit: number; readonly test: Predicate | undefined };

/** Prepares at most 32 entities, so that an event costs one look-up by its name and only the filters of its name. */
export function maskOf(entities: readonly Entity[], surroundings: Surroundings): MaskOf {
  const anyEvent: Candidate[] = [];
  const byName = new Map<string, Candidate[]>();
  entities.forEach((entity, index) => {
    for (const { event, test } of patternsOf(entity, surroundings)) {
      const candidates = event === undefined ? anyEvent : (byName.get(event) ?? []);
      candidates.push({ bit: 1 << index, test });
      if (event !== undefined) byName.set(event, candidates);
    }
  });
  return (event) => {
    let mask = 0;
    for (const candidate of byName.get(event.event) ?? none) mask |= bitOf(candidate, event, mask);
    for (const candidate of anyEvent) mask |= bitOf(candidate, event, mask);
    return mask;
  };
}

const none: readonly Candidate[] = [];

function bitOf({ bit, test }: Candidate, event: AnalysisEvent, mask: number): number {
  return (mask & bit) !== 0 || test === undefined || test(event) ? bit : 0;
}

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
