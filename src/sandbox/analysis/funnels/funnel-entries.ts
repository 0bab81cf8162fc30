import type { Json } from '../../../json/kinds.ts';
import { invalidRequest } from '../../refusal.ts';
import { type BreakdownKey, type BreakdownReader, breakdownReader, limitedTo } from '../breakdown.ts';
import type { AnalysisEvent, AnalysisInput, Surroundings } from '../dataset.ts';
import type { Breakdown } from '../definitions/fields.ts';
import type { Exclusion, FunnelDefinition } from '../definitions/query-nodes.ts';
import { type Entity, type MaskOf, maskOf } from '../filters/entity.ts';
import { type Actor, type ActorEvents, actorsOf, resolveSelection } from '../selection.ts';
import { type DateRange, type Periods, periodAt } from '../time/date-range.ts';
import { ANYWHERE, type Attempt, findOrdered, findStrict, type StartSpan, type Track } from './ordered.ts';
import { findUnordered } from './unordered.ts';

const MOST_STEPS = 32;

/** Throws a 400 for a funnel that the service refuses. */
function checkFunnel(funnel: FunnelDefinition): void {
  const count = funnel.steps.length;
  if (count < 2) {
    throw invalidRequest('Funnels require at least two steps.', 'funnels_require_at_least_two_steps');
  }
  if (count > MOST_STEPS) {
    throw invalidRequest(`Funnels support up to ${MOST_STEPS} steps.`, 'funnel_max_steps_exceeded');
  }
  for (const exclusion of funnel.exclusions) checkExclusion(exclusion, funnel);
  checkStepRange(funnel);
  const { attribution } = funnel;
  if (attribution.kind === 'step' && !(attribution.step >= 0 && attribution.step < count)) {
    throw invalidRequest('The step that decides the breakdown value is not a step of the funnel.');
  }
}

function checkExclusion({ entity, fromStep, toStep }: Exclusion, { steps, order }: FunnelDefinition): void {
  if (!(fromStep >= 0 && toStep > fromStep)) {
    throw invalidRequest('Exclusion event range is invalid. End of range should be greater than start.');
  }
  if (toStep >= steps.length) {
    throw invalidRequest('Exclusion event range is invalid. End of range is greater than number of steps.');
  }
  if (steps.some((step) => includes(step, entity))) {
    throw invalidRequest("Exclusion steps cannot contain an event that's part of funnel steps.");
  }
  if (order === 'unordered' && (fromStep !== 0 || toStep !== steps.length - 1)) {
    throw invalidRequest('Partial Exclusions not allowed in unordered funnels');
  }
}

/** Whether every event that is excluded would also be this step: the same event, with no filter of the step's own. */
function includes(step: Entity, excluded: Entity): boolean {
  if (step.type !== excluded.type || step.id !== excluded.id) return false;
  const filters = listOf(excluded.properties).map((filter) => JSON.stringify(filter));
  return listOf(step.properties).every((filter) => filters.includes(JSON.stringify(filter)));
}

function listOf(properties: Json | undefined): readonly Json[] {
  if (Array.isArray(properties)) return properties;
  const isEmpty = properties === undefined || properties === null || JSON.stringify(properties) === '{}';
  return isEmpty ? [] : [properties];
}

function checkStepRange({ fromStep = 0, toStep, steps }: FunnelDefinition): void {
  const last = steps.length - 1;
  const end = toStep ?? last;
  if (!(fromStep >= 0 && end > fromStep && end <= last)) {
    throw invalidRequest('Funnel step range is invalid: the end has to be a later step than the start.');
  }
}

/** An actor in a funnel under one value of the breakdown, with the furthest attempt. */
export type FunnelEntry = {
  readonly actor: Actor;
  readonly key: BreakdownKey;
  readonly attempt: Attempt;
  /** The one in which the attempt began, 0 without periods. */
  readonly period: number;
};

/** Everybody who entered a funnel and was not excluded, once for each value, and for each period if there are any. */
export function entriesOf(plan: FunnelPlan, periods?: Periods) {
  const { breakdown } = plan.definition;
  const reader = breakdown && breakdownReader(breakdown, plan.input);
  const variantsOf = attributorOf(plan, reader);
  function* entries(): Generator<FunnelEntry> {
    for (const actorTrack of plan.tracks()) {
      for (const { key, track } of variantsOf(actorTrack.track)) {
        for (const { period, ...span } of startsOf(track, plan, periods)) {
          const attempt = plan.find(track, plan.rules, span);
          if (attempt !== undefined && !attempt.excluded) {
            yield { actor: actorTrack.actor, key, attempt, period };
          }
        }
      }
    }
  }
  return { entries: entries(), reader };
}

type Start = StartSpan & { readonly period: number };

/** Where attempts begin: anywhere, or once in each period in which an actor entered; later steps may lie beyond. */
function* startsOf(track: Track, { definition }: FunnelPlan, periods: Periods | undefined): Generator<Start> {
  if (periods === undefined) {
    yield { ...ANYWHERE, period: 0 };
    return;
  }
  // Any step of an unordered funnel is an entry, of the others only the first.
  const entryBits = definition.order === 'unordered' ? -1 : 1;
  let last = -1;
  for (const [first, mask] of track.masks.entries()) {
    if ((mask & entryBits) === 0) continue;
    const period = periodAt(periods, track.times[first] ?? 0);
    if (period === last || period === -1) continue;
    last = period;
    yield { first, until: periods.starts[period + 1] ?? 0, period };
  }
}

/** A track that remembers the event behind each entry. */
type EventTrack = Track & { readonly events: readonly AnalysisEvent[] };

type ActorTrack = {
  readonly actor: Actor;
  readonly track: EventTrack;
};

/** A funnel ready to run over a dataset. */
export type FunnelPlan = Readonly<ReturnType<typeof planFunnel>>;

const FINDERS = { ordered: findOrdered, strict: findStrict, unordered: findUnordered } as const;

/** Checks and prepares a funnel; `range` replaces the dates of the definition. Throws a 400 if it cannot run. */
export function planFunnel(definition: FunnelDefinition, input: AnalysisInput, range?: DateRange) {
  checkFunnel(definition);
  const selection = resolveSelection(definition, input);
  const { filter, calendar } = selection;
  const resolved = range ?? selection.range;
  const { groupTypeIndex } = definition;
  const readTrack = trackReader(definition, input);
  return {
    definition,
    input,
    range: resolved,
    calendar,
    rules: { steps: definition.steps.length, window: definition.windowSeconds * 1000 },
    find: FINDERS[definition.order],
    /** What every actor did that matters, one actor at a time. May be walked more than once. */
    *tracks(): Generator<ActorTrack> {
      for (const { actor, events } of actorsOf(input, { groupTypeIndex, range: resolved, filter })) {
        yield { actor, track: readTrack(events) };
      }
    },
  };
}

function trackReader(definition: FunnelDefinition, surroundings: Surroundings) {
  const stepsOf = maskOf(definition.steps, surroundings);
  const gapsOf = gapReader(definition.exclusions, surroundings);
  const keepsAll = definition.order === 'strict';
  if (keepsAll) surroundings.needs.anyEvent = true;
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

/** A person's track as one value of the breakdown sees it. Without a breakdown the key is the empty text. */
type Variant = { readonly key: BreakdownKey; readonly track: EventTrack };

type Attributor = (track: EventTrack) => readonly Variant[];

const DEFAULT_LIMIT = 10;

type Naming = (key: BreakdownKey) => BreakdownKey;

/** Tells which values a person counts under, and what of the track is theirs. */
function attributorOf({ definition, tracks }: FunnelPlan, reader: BreakdownReader | undefined): Attributor {
  const { breakdown, attribution } = definition;
  if (breakdown === undefined || reader === undefined) return (track) => [{ key: '', track }];
  const nameOf = limited(breakdown, reader, tracks);
  if (reader.personal) return (track) => personalVariants(track, reader, nameOf);
  return (track) => variantsOf(track, reader, nameOf, attribution);
}

/** Values beyond the limit become "Other"; only events that are a step count. */
function limited(breakdown: Breakdown, reader: BreakdownReader, tracks: () => Iterable<ActorTrack>): Naming {
  if (breakdown.kind === 'cohorts') return (key) => key;
  function* steps(): Generator<AnalysisEvent> {
    for (const { track } of tracks()) yield* track.events.filter((_, index) => track.masks[index] !== 0);
  }
  return limitedTo(breakdown.limit ?? DEFAULT_LIMIT, reader, steps());
}

function personalVariants(track: EventTrack, reader: BreakdownReader, nameOf: Naming): readonly Variant[] {
  const event = track.events[track.masks.findIndex((mask) => mask !== 0)];
  if (event === undefined) return [];
  return reader.keysOf(event).map((key) => ({ key: nameOf(key), track }));
}

function variantsOf(
  track: EventTrack,
  reader: BreakdownReader,
  nameOf: Naming,
  attribution: FunnelDefinition['attribution'],
): readonly Variant[] {
  const found = track.events.map((event) => reader.keysOf(event)[0] ?? reader.missing);
  const steps = [...found.keys()].filter((index) => track.masks[index] !== 0);
  if (steps.length === 0) return [];
  const keys = found.map(nameOf);
  const hasValue = (index: number) => found[index] !== reader.missing;
  const missing = nameOf(reader.missing);
  switch (attribution.kind) {
    case 'first_touch':
      return [{ key: keys[steps.find(hasValue) ?? -1] ?? missing, track }];
    case 'last_touch':
      return [{ key: keys[steps.findLast(hasValue) ?? -1] ?? missing, track }];
    case 'all_events':
      return distinct(steps, keys).map((key) => ({ key, track: onlyOf(key, track, keys) }));
    case 'step': {
      const bit = 1 << attribution.step;
      const deciding = steps.filter((index) => ((track.masks[index] ?? 0) & bit) !== 0);
      if (deciding.length === 0) return [{ key: missing, track }];
      return distinct(deciding, keys).map((key) => ({ key, track: withStepOf(key, track, keys, bit) }));
    }
  }
}

function distinct(indices: readonly number[], keys: readonly BreakdownKey[]): readonly BreakdownKey[] {
  return [...new Set(indices.map((index) => keys[index] ?? ''))];
}

/** Each value is a funnel of its own; in strict funnels events of other values still stand in between. */
function onlyOf(key: BreakdownKey, track: EventTrack, keys: readonly BreakdownKey[]): EventTrack {
  const own = (numbers: readonly number[]) =>
    numbers.map((number, index) => (keys[index] === key ? number : 0));
  return { ...track, masks: own(track.masks), gaps: own(track.gaps) };
}

/** Only one step has to have the value. */
function withStepOf(
  key: BreakdownKey,
  track: EventTrack,
  keys: readonly BreakdownKey[],
  bit: number,
): EventTrack {
  return { ...track, masks: track.masks.map((mask, index) => (keys[index] === key ? mask : mask & ~bit)) };
}
