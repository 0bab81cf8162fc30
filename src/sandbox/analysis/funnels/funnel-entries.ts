import type { Actor } from '../actors.ts';
import type { BreakdownKey, BreakdownReader } from '../breakdown.ts';
import { type Periods, periodAt } from '../time/periods.ts';
import { ANYWHERE, type Attempt } from './attempt.ts';
import { attributorOf } from './attribution.ts';
import type { ActorTrack, EventTrack, FunnelPlan } from './funnel-plan.ts';

/** An actor in a funnel under one value of the breakdown, with the furthest attempt. */
export type FunnelEntry = {
  readonly actor: Actor;
  readonly key: BreakdownKey;
  readonly attempt: Attempt;
  readonly track: EventTrack;
};

export type PeriodEntry = FunnelEntry & { readonly period: number };

export type Entries<Entry> = {
  readonly entries: Iterable<Entry>;
  readonly reader?: BreakdownReader | undefined;
};

/** Everybody who entered a funnel and was not excluded, once for each value. */
export function entriesOf(plan: FunnelPlan): Entries<FunnelEntry> {
  const { variantsOf, reader } = attributorOf(plan);
  function* entries(): Generator<FunnelEntry> {
    for (const { actor, track } of plan.tracks()) {
      for (const variant of variantsOf(track)) {
        const attempt = plan.find(variant.track, plan.rules, ANYWHERE);
        if (attempt !== undefined && !attempt.excluded) yield { actor, attempt, ...variant };
      }
    }
  }
  return { entries: entries(), reader };
}

/** The same for each period in which somebody entered: attempts begin there, later steps may lie beyond. */
export function periodEntriesOf(plan: FunnelPlan, periods: Periods): Entries<PeriodEntry> {
  const { variantsOf, reader } = attributorOf(plan);
  function* entries(): Generator<PeriodEntry> {
    for (const actorTrack of plan.tracks()) {
      for (const { key, track } of variantsOf(actorTrack.track)) {
        yield* periodEntries(plan, periods, key, { ...actorTrack, track });
      }
    }
  }
  return { entries: entries(), reader };
}

function* periodEntries(
  plan: FunnelPlan,
  periods: Periods,
  key: BreakdownKey,
  { actor, track }: ActorTrack,
): Generator<PeriodEntry> {
  // Any step of an unordered funnel is an entry, of the others only the first.
  const entryBits = plan.definition.order === 'unordered' ? -1 : 1;
  let last = -1;
  for (const [first, mask] of track.masks.entries()) {
    if ((mask & entryBits) === 0) continue;
    const period = periodAt(periods, track.times[first] ?? 0);
    if (period === last || period === -1) continue;
    last = period;
    const attempt = plan.find(track, plan.rules, { first, until: periods.starts[period + 1] ?? 0 });
    if (attempt !== undefined && !attempt.excluded) yield { actor, key, attempt, track, period };
  }
}
