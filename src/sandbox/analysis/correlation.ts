import { type Json, type JsonObject, ownValue } from '../../json/kinds.ts';
import { invalidRequest } from '../refusal.ts';
import { order } from './breakdown.ts';
import type { AnalysisEvent, AnalysisInput, AnalysisPerson, Surroundings } from './dataset.ts';
import type {
  CorrelationDefinition,
  CorrelationSubject,
  FunnelDefinition,
} from './definitions/query-nodes.ts';
import { type Entity, eventNamesOf, predicateOf } from './filters/entity.ts';
import { compileFilters, eventOf, textOf } from './filters/property-filter.ts';
import { entriesOf, planFunnel } from './funnels/funnel-entries.ts';
import { stepsOf } from './funnels/ordered.ts';
import { type Actor, actorsOf, resolveSelection } from './selection.ts';

type Counts = { success: number; failure: number };

type Correlation = Counts & { readonly name: string; readonly odds: number };

const MOST_PER_TYPE = 10;

/** Pairs of an event and one of its properties are left out when fewer actors have them. */
const LEAST_ACTORS = 3;

/** So many times more successes than failures, or the reverse, make the odds unreliable. */
const SKEW = 10;

/**
 * The ten strongest correlations of each direction, successes first: `odds_ratio` above 1 is a success. Actors are
 * counted, not events. Empty if no actor converted, or all did.
 */
export function calculateCorrelation(
  { funnel, subject }: CorrelationDefinition,
  input: AnalysisInput,
): JsonObject {
  noteNeeds(subject, input);
  const conversions = conversionsOf(funnel, input);
  const totals = totalsOf(conversions.values());
  if (totals.success === 0 || totals.failure === 0) return { events: [], skewed: false };
  const counts = new Map<string, Counts>();
  for (const { conversion, facts } of factsOf(funnel, subject, conversions, input)) {
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

/** Facts are looked for only if there are conversions, so what they need is said before. */
function noteNeeds(subject: CorrelationSubject, { needs }: Surroundings): void {
  if (subject.kind === 'properties') needs.ofPersons.all = true;
  if (subject.kind === 'events') needs.anyEvent = true;
  if (subject.kind !== 'event_with_properties') return;
  needs.ofEvents.all = true;
  for (const name of subject.events) needs.names.add(name);
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

/**
 * Whether an actor who entered a funnel converted, and the time in which what the actor did can have mattered:
 * after the first step and before the last, or inside the window. Milliseconds; `from` and `before` are not included.
 */
type Conversion = {
  readonly actor: Actor;
  readonly converted: boolean;
  readonly from: number;
  readonly before: number;
};

/** A person, or the key of a group: what an actor is known by over several walks through a dataset. */
type ActorIdentity = AnalysisPerson | string;

function identityOf(actor: Actor): ActorIdentity {
  return actor.kind === 'person' ? actor.person : actor.key;
}

/** The actors who entered the funnel and were not excluded. */
function conversionsOf(
  funnel: FunnelDefinition,
  input: AnalysisInput,
): ReadonlyMap<ActorIdentity, Conversion> {
  const plan = planFunnel({ ...funnel, breakdown: undefined }, input);
  const conversions = new Map<ActorIdentity, Conversion>();
  for (const { actor, attempt } of entriesOf(plan).entries) {
    const converted = attempt.step === plan.rules.steps;
    const from = stepsOf(attempt)[0]?.time ?? 0;
    const before = converted ? attempt.time : from + plan.rules.window + 1;
    conversions.set(identityOf(actor), { actor, converted, from, before });
  }
  return conversions;
}

/** What is true of each actor of a funnel: an event's name, `property::value` or `event::property::value`. */
function* factsOf(
  funnel: FunnelDefinition,
  subject: CorrelationSubject,
  conversions: ReadonlyMap<ActorIdentity, Conversion>,
  input: AnalysisInput,
): Generator<{ readonly conversion: Conversion; readonly facts: ReadonlySet<string> }> {
  if (subject.kind === 'properties') {
    for (const conversion of conversions.values()) {
      yield { conversion, facts: new Set(propertyFacts(conversion.actor, subject)) };
    }
    return;
  }
  const stepNames = new Set(funnel.steps.flatMap((step) => eventNamesOf(step, input) ?? []));
  for (const { conversion, events } of relevantEvents(funnel, conversions, input)) {
    const facts = new Set<string>();
    for (const event of events) {
      if (stepNames.has(event.event)) continue;
      for (const fact of eventFacts(event, subject)) facts.add(fact);
    }
    yield { conversion, facts };
  }
}

/** The events of each actor between entering and leaving the funnel. The funnel's filters choose actors, not these. */
function* relevantEvents(
  funnel: FunnelDefinition,
  conversions: ReadonlyMap<ActorIdentity, Conversion>,
  input: AnalysisInput,
): Generator<{ readonly conversion: Conversion; readonly events: readonly AnalysisEvent[] }> {
  const { range } = resolveSelection(funnel, input);
  const selection = { range, filter: undefined, groupTypeIndex: funnel.groupTypeIndex };
  for (const { actor, events } of actorsOf(input, selection)) {
    const conversion = conversions.get(identityOf(actor));
    if (conversion === undefined) continue;
    const { from, before } = conversion;
    yield { conversion, events: events.filter(({ timestamp }) => timestamp > from && timestamp < before) };
  }
}

function propertyFacts(
  actor: Actor,
  subject: Extract<CorrelationSubject, { kind: 'properties' }>,
): readonly string[] {
  const properties = actor.kind === 'person' ? actor.person.properties : actor.properties;
  const names = subject.names.includes('$all') ? Object.keys(properties) : subject.names;
  return names
    .filter((name) => !subject.exceptNames.includes(name) && textOf(ownValue(properties, name)) !== undefined)
    .map((name) => `${name}::${textOf(ownValue(properties, name))}`);
}

function eventFacts(
  event: AnalysisEvent,
  subject: Exclude<CorrelationSubject, { kind: 'properties' }>,
): readonly string[] {
  if (subject.kind === 'events') return subject.exceptEvents.includes(event.event) ? [] : [event.event];
  if (!subject.events.includes(event.event)) return [];
  return Object.keys(event.properties)
    .filter(
      (name) => !subject.exceptProperties.includes(name) && textOf(event.properties[name]) !== undefined,
    )
    .map((name) => `${event.event}::${name}::${textOf(event.properties[name])}`);
}

/**
 * Actors of a funnel who did `entity` on the way, or whose properties match; `converted` undefined takes both. Throws a
 * 400 without an entity or property values.
 */
export function correlationActors(
  { funnel }: CorrelationDefinition,
  wanted: {
    readonly converted: boolean | undefined;
    readonly entity: Entity | undefined;
    readonly propertyValues: Json | undefined;
  },
  input: AnalysisInput,
): readonly Actor[] {
  const conversions = conversionsOf(funnel, input);
  const isWanted = ({ converted }: Conversion) =>
    wanted.converted === undefined || converted === wanted.converted;
  if (wanted.entity !== undefined) {
    const isEvent = predicateOf(wanted.entity, input);
    return [...relevantEvents(funnel, conversions, input)]
      .filter(({ conversion, events }) => isWanted(conversion) && events.some((event) => isEvent(event)))
      .map(({ conversion }) => conversion.actor);
  }
  if (wanted.propertyValues === undefined) {
    throw invalidRequest('Name an event or property values to list the persons behind a correlation.');
  }
  const matches = compileFilters(wanted.propertyValues, input) ?? (() => true);
  return [...conversions.values()]
    .filter((conversion) => isWanted(conversion) && matches(eventOf(personOf(conversion.actor))))
    .map(({ actor }) => actor);
}

/** Filters about persons read the properties of a group as if it were one. */
function personOf(actor: Actor): AnalysisPerson {
  if (actor.kind === 'person') return actor.person;
  return { uuid: '', properties: actor.properties, created_at: null };
}
