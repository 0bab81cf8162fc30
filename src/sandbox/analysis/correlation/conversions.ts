import type { Actor } from '../actors.ts';
import type { AnalysisPerson, Dataset } from '../dataset.ts';
import { stepsOf } from '../funnels/attempt.ts';
import type { FunnelDefinition } from '../funnels/funnel-definition.ts';
import { entriesOf } from '../funnels/funnel-entries.ts';
import { planFunnel } from '../funnels/funnel-plan.ts';
import type { Surroundings } from '../project-settings.ts';

/**
 * Whether an actor who entered a funnel converted, and the time in which what the actor did can have mattered:
 * after the first step and before the last, or inside the window. Milliseconds; `from` and `before` are not included.
 */
export type Conversion = {
  readonly actor: Actor;
  readonly converted: boolean;
  readonly from: number;
  readonly before: number;
};

/** A person, or the key of a group: what an actor is known by over several walks through a dataset. */
export type ActorIdentity = AnalysisPerson | string;

export function identityOf(actor: Actor): ActorIdentity {
  return actor.kind === 'person' ? actor.person : actor.key;
}

/** Everybody who entered the funnel and was not excluded. */
export function conversionsOf(
  funnel: FunnelDefinition,
  dataset: Dataset,
  surroundings: Surroundings,
): ReadonlyMap<ActorIdentity, Conversion> {
  const plan = planFunnel({ ...funnel, breakdown: undefined }, dataset, surroundings);
  const conversions = new Map<ActorIdentity, Conversion>();
  for (const { actor, attempt } of entriesOf(plan).entries) {
    const converted = attempt.step === plan.rules.steps;
    const from = stepsOf(attempt)[0]?.time ?? 0;
    const before = converted ? attempt.time : from + plan.rules.window + 1;
    conversions.set(identityOf(actor), { actor, converted, from, before });
  }
  return conversions;
}
