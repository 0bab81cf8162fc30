import { type Actor, type ActorEvents, actorsOf } from '../actors.ts';
import type { AnalysisEvent, Dataset } from '../dataset.ts';
import { type MaskOf, maskOf } from '../filters/step-masks.ts';
import type { Surroundings } from '../project-settings.ts';
import { resolveSelection } from '../selection.ts';
import type { DateRange } from '../time/date-range.ts';
import type { Calendar } from '../time/interval.ts';
import type { AttemptFinder, FunnelRules, Track } from './attempt.ts';
import { checkFunnel, type Exclusion, type FunnelDefinition } from './funnel-definition.ts';
import { findOrdered } from './ordered.ts';
import { findStrict } from './strict.ts';
import { findUnordered } from './unordered.ts';

/** A track that remembers the event behind each entry. */
export type EventTrack = Track & { readonly events: readonly AnalysisEvent[] };

export type ActorTrack = {
  readonly actor: Actor;
  readonly track: EventTrack;
};

/** A funnel ready to run over a dataset. */
export type FunnelPlan = {
  readonly definition: FunnelDefinition;
  readonly surroundings: Surroundings;
  readonly range: DateRange;
  readonly calendar: Calendar;
  readonly rules: FunnelRules;
  readonly find: AttemptFinder;
  /** What every actor did that matters, one actor at a time. May be walked more than once. */
  readonly tracks: () => Iterable<ActorTrack>;
};

const FINDERS = { ordered: findOrdered, strict: findStrict, unordered: findUnordered } as const;

/** Checks and prepares a funnel; `range` replaces the dates of the definition. Throws a 400 where it cannot run. */
export function planFunnel(
  definition: FunnelDefinition,
  dataset: Dataset,
  surroundings: Surroundings,
  range?: DateRange,
): FunnelPlan {
  checkFunnel(definition);
  const selection = resolveSelection(definition, dataset, surroundings);
  const { filter, calendar } = selection;
  const resolved = range ?? selection.range;
  const { groupTypeIndex } = definition;
  const readTrack = trackReader(definition, surroundings);
  return {
    definition,
    surroundings,
    range: resolved,
    calendar,
    rules: { steps: definition.steps.length, window: definition.windowSeconds * 1000 },
    find: FINDERS[definition.order],
    *tracks() {
      for (const { actor, events } of actorsOf(
        dataset,
        { groupTypeIndex, range: resolved, filter },
        surroundings,
      )) {
        yield { actor, track: readTrack(events) };
      }
    },
  };
}

function trackReader(definition: FunnelDefinition, surroundings: Surroundings) {
  const stepsOf = maskOf(definition.steps, surroundings);
  const gapsOf = gapReader(definition.exclusions, surroundings);
  const keepsAll = definition.order === 'strict';
  return (all: ActorEvents['events']): EventTrack => {
    const events: AnalysisEvent[] = [];
    const track: Track = { times: [], masks: [], gaps: [] };
    for (const event of all) {
      const mask = stepsOf(event);
      const gaps = gapsOf(event);
      if ((mask | gaps) === 0 && !keepsAll) continue;
      track.times.push(event.timestamp);
      track.masks.push(mask);
      track.gaps.push(gaps);
      events.push(event);
    }
    return { ...track, events };
  };
}

function gapReader(exclusions: readonly Exclusion[], surroundings: Surroundings): MaskOf {
  if (exclusions.length === 0) return () => 0;
  const matching = maskOf(
    exclusions.map(({ entity }) => entity),
    surroundings,
  );
  return (event) => {
    const mask = matching(event);
    let gaps = 0;
    for (const [index, { fromStep, toStep }] of exclusions.entries()) {
      if ((mask & (1 << index)) === 0) continue;
      for (let gap = fromStep; gap < toStep; gap += 1) gaps |= 1 << gap;
    }
    return gaps;
  };
}
