import type { ActorsRequest } from '../analysis/definitions/actors-request.ts';
import type { AnalysisDefinition } from '../analysis/definitions/definition.ts';
import { eventNamesOf } from '../analysis/filters/entity.ts';
import type { FunnelDefinition } from '../analysis/funnels/funnel-definition.ts';
import type { Surroundings } from '../analysis/project-settings.ts';
import { resolveSelection } from '../analysis/selection.ts';
import type { DateRange } from '../analysis/time/date-range.ts';
import { entitiesOf } from './needed-properties.ts';

/** Which events an analysis looks at; undefined leaves open. Milliseconds. */
export type NeededEvents = {
  readonly names: readonly string[] | undefined;
  readonly range: DateRange | undefined;
};

const NOBODY = { people: () => [] };

/** Narrows the events by name and time where an analysis cannot see the others. Throws a 400 for unknown actions. */
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
  return rangeOfFunnel(asked, surroundings);
}

function rangeOfFunnel(funnel: FunnelDefinition, surroundings: Surroundings): DateRange {
  return resolveSelection(funnel, NOBODY, surroundings).range;
}
