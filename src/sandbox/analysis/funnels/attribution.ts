import {
  type Breakdown,
  type BreakdownKey,
  type BreakdownReader,
  mostFrequent,
  OTHER,
  readerOf,
} from '../breakdown.ts';
import type { Attribution } from './funnel-definition.ts';
import type { ActorTrack, EventTrack, FunnelPlan } from './funnel-plan.ts';

/** A person's track as one value of the breakdown sees it. Without a breakdown the key is the empty text. */
type Variant = { readonly key: BreakdownKey; readonly track: EventTrack };

type Attributor = {
  readonly variantsOf: (track: EventTrack) => readonly Variant[];
  readonly reader?: BreakdownReader;
};

const DEFAULT_LIMIT = 10;

type Naming = (key: BreakdownKey) => BreakdownKey;

/** Prepares the breakdown of a funnel: which values a person counts under, and what of the track is theirs. */
export function attributorOf({ definition, surroundings, tracks }: FunnelPlan): Attributor {
  const { breakdown, attribution } = definition;
  if (breakdown === undefined) return { variantsOf: (track) => [{ key: '', track }] };
  const reader = readerOf(breakdown, surroundings);
  const nameOf = limited(breakdown, reader, tracks);
  if (reader.personal) return { reader, variantsOf: (track) => personalVariants(track, reader, nameOf) };
  return { reader, variantsOf: (track) => variantsOf(track, reader, nameOf, attribution) };
}

/** Values beyond the limit become "Other"; only events that are a step count. */
function limited(breakdown: Breakdown, reader: BreakdownReader, tracks: () => Iterable<ActorTrack>): Naming {
  if (breakdown.kind === 'cohorts') return (key) => key;
  const counts = new Map<BreakdownKey, number>();
  for (const { track } of tracks()) {
    track.events.forEach((event, index) => {
      if (track.masks[index] === 0) return;
      for (const key of reader.keysOf(event)) counts.set(key, (counts.get(key) ?? 0) + 1);
    });
  }
  const limit = breakdown.limit ?? DEFAULT_LIMIT;
  if (counts.size <= limit) return (key) => key;
  const kept = mostFrequent(counts, limit);
  return (key) => (kept.has(key) ? key : OTHER);
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
  attribution: Attribution,
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
