import type { Json, JsonObject } from '../../../json/kinds.ts';
import { order } from '../breakdown.ts';
import type { Dataset } from '../dataset.ts';
import type { FunnelDefinition } from '../funnels/funnel-definition.ts';
import type { Surroundings } from '../project-settings.ts';
import { type Conversion, conversionsOf } from './conversions.ts';
import { type CorrelationSubject, factsOf } from './facts.ts';

/** What goes with converting in a funnel: events, properties of the actors, or properties of chosen events. */
export type CorrelationDefinition = {
  readonly kind: 'correlation';
  readonly funnel: FunnelDefinition;
  readonly subject: CorrelationSubject;
};

type Counts = { success: number; failure: number };

type Correlation = Counts & { readonly name: string; readonly odds: number };

const MOST_PER_TYPE = 10;
/** Pairs of an event and one of its properties are left out when fewer actors have them. */
const LEAST_ACTORS = 3;
/** So many times more successes than failures, or the reverse, make the odds unreliable. */
const SKEW = 10;

/**
 * The ten strongest correlations of each direction, successes first: `odds_ratio` above 1 is a success. Actors are
 * counted, not events. Empty where nobody converted or nobody failed.
 */
export function calculateCorrelation(
  { funnel, subject }: CorrelationDefinition,
  dataset: Dataset,
  surroundings: Surroundings,
): JsonObject {
  const conversions = conversionsOf(funnel, dataset, surroundings);
  const totals = totalsOf(conversions.values());
  if (totals.success === 0 || totals.failure === 0) return { events: [], skewed: false };
  const counts = new Map<string, Counts>();
  for (const { conversion, facts } of factsOf(funnel, subject, conversions, dataset, surroundings)) {
    for (const fact of facts) {
      const count = counts.get(fact) ?? { success: 0, failure: 0 };
      count[conversion.converted ? 'success' : 'failure'] += 1;
      counts.set(fact, count);
    }
  }
  const least = subject.kind === 'event_with_properties' ? LEAST_ACTORS : 1;
  const ranked = [...counts]
    .filter(([, { success, failure }]) => success + failure >= least)
    .map(([name, count]) => ({ name, ...count, odds: oddsOf(count, totals) }));
  const ratio = totals.success / totals.failure;
  return { events: strongest(ranked).map(write), skewed: ratio > SKEW || ratio < 1 / SKEW };
}

function totalsOf(conversions: Iterable<Conversion>): Counts {
  const totals = { success: 0, failure: 0 };
  for (const { converted } of conversions) totals[converted ? 'success' : 'failure'] += 1;
  return totals;
}

/** One is added everywhere, so that nothing is divided by zero. */
function oddsOf({ success, failure }: Counts, totals: Counts): number {
  const ratio = (success + 1) / (failure + 1);
  return ratio * ((totals.failure - failure + 1) / (totals.success - success + 1));
}

function strongest(correlations: readonly Correlation[]): readonly Correlation[] {
  const byOdds = (one: Correlation, other: Correlation) =>
    other.odds - one.odds || order(one.name, other.name);
  const successes = correlations.filter(({ odds }) => odds > 1).sort(byOdds);
  const failures = correlations.filter(({ odds }) => odds <= 1);
  failures.sort((one, other) => one.odds - other.odds || order(one.name, other.name));
  return [...successes.slice(0, MOST_PER_TYPE), ...failures.slice(0, MOST_PER_TYPE)];
}

function write({ name, success, failure, odds }: Correlation): Json {
  return {
    event: { event: name, properties: {}, elements: [] },
    success_count: success,
    failure_count: failure,
    odds_ratio: odds,
    correlation_type: odds > 1 ? 'success' : 'failure',
  };
}
