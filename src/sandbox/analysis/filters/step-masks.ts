import type { AnalysisEvent } from '../dataset.ts';
import type { Surroundings } from '../project-settings.ts';
import { type Entity, patternsOf } from './entity.ts';
import type { Predicate } from './property-filter.ts';

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
