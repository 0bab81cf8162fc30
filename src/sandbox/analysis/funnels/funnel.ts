import type { Json, JsonObject } from '../../../json/kinds.ts';
import { startOf } from '../../../semantics/calendar.ts';
import { invalid } from '../../refusal.ts';
import { type BreakdownKey, type BreakdownReader, OTHER, orderKeys } from '../breakdown.ts';
import type { AnalysisInput } from '../dataset.ts';
import type { FunnelDefinition } from '../definitions/query-nodes.ts';
import { nameOf } from '../filters/entity.ts';
import { type Actor, average, percentage, quantile, sum } from '../selection.ts';
import { type Periods, periodsOf, previousRange, readDate } from '../time/date-range.ts';
import { entriesOf, type FunnelEntry, type FunnelPlan, planFunnel } from './funnel-entries.ts';
import { stepsOf } from './ordered.ts';

/**
 * Calculates a funnel in the shape of the service: a list of steps, with a breakdown a list of lists; for trends a
 * list of series; for the time to convert one object. Throws a 400 if the service does.
 */
export function calculateFunnel(definition: FunnelDefinition, input: AnalysisInput): Json {
  const plan = planFunnel(definition, input);
  if (definition.view === 'time_to_convert') return timeToConvertResult(plan);
  if (definition.compare === undefined) return resultOf(plan);
  const before = previousRange(plan.range, definition.dates, definition.compare, plan.calendar);
  const previous = planFunnel(definition, input, before);
  return [...labelled(resultOf(plan), 'current'), ...labelled(resultOf(previous), 'previous')];
}

function resultOf(plan: FunnelPlan): readonly Json[] {
  return plan.definition.view === 'trends' ? trendResult(plan) : stepResult(plan);
}

function labelled(results: readonly Json[], label: string): readonly Json[] {
  return results.map((entry) => {
    if (Array.isArray(entry)) return labelled(entry, label);
    // Entries of a funnel that are no list are steps or series.
    return { ...(entry as JsonObject), compare_label: label };
  });
}

/** How many reached each step, and the seconds each of them took from the step before. */
type Tally = { readonly counts: number[]; readonly seconds: number[][] };

/**
 * The result of a funnel by steps: a list of steps, with a breakdown a list of such lists, most conversions first.
 * Empty if no actor entered.
 */
function stepResult(plan: FunnelPlan): readonly Json[] {
  const { entries, reader } = entriesOf(plan);
  const { steps } = plan.rules;
  const empty = (): Tally => ({ counts: zeros(steps), seconds: Array.from({ length: steps }, () => []) });
  const tallies = tallied(entries, empty, ({ counts, seconds }, { attempt }) => {
    for (const { step, time, previous } of stepsOf(attempt)) {
      increase(counts, step - 1);
      if (previous !== undefined) seconds[step - 1]?.push((time - previous.time) / 1000);
    }
  });
  if (reader === undefined) return [...tallies.values()].flatMap((tally) => writeSteps(tally, plan));
  return ranked(tallies, ({ counts }) => counts.toReversed()).map(([key, tally]) =>
    writeSteps(tally, plan).map((step) => ({ ...step, ...breakdownOf(key, reader) })),
  );
}

/** What all entries come to by value of the breakdown. */
function tallied<Kind>(
  entries: Iterable<FunnelEntry>,
  empty: () => Kind,
  add: (tally: Kind, entry: FunnelEntry) => void,
): ReadonlyMap<BreakdownKey, Kind> {
  const tallies = new Map<BreakdownKey, Kind>();
  for (const entry of entries) {
    const tally = tallies.get(entry.key) ?? empty();
    tallies.set(entry.key, tally);
    add(tally, entry);
  }
  return tallies;
}

/** The greatest first, by the first of the numbers in which two differ. */
function ranked<Kind>(
  tallies: ReadonlyMap<BreakdownKey, Kind>,
  numbersOf: (tally: Kind) => readonly number[],
): readonly (readonly [BreakdownKey, Kind])[] {
  return [...tallies].sort(([oneKey, one], [otherKey, other]) => {
    const own = numbersOf(one);
    const differences = numbersOf(other).map((number, index) => number - (own[index] ?? 0));
    return differences.find((difference) => difference !== 0) ?? orderKeys(oneKey, otherKey);
  });
}

function zeros(length: number): number[] {
  return new Array(length).fill(0);
}

function increase(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

function breakdownOf(key: BreakdownKey, reader: BreakdownReader): JsonObject {
  const { title, value } = reader.write(key);
  return { breakdown: title, breakdown_value: value };
}

function writeSteps({ counts, seconds }: Tally, { definition, input }: FunnelPlan): readonly JsonObject[] {
  return definition.steps.map((entity, index) => {
    const isUnordered = definition.order === 'unordered';
    const name = isUnordered
      ? `Completed ${index + 1} ${index === 0 ? 'step' : 'steps'}`
      : nameOf(entity, input);
    return {
      action_id: isUnordered ? null : entity.id,
      name,
      custom_name: isUnordered ? null : (entity.customName ?? null),
      order: index,
      people: [],
      count: counts[index] ?? 0,
      type: entity.type,
      average_conversion_time: average(seconds[index] ?? []),
      median_conversion_time: quantile(seconds[index] ?? [], 0.5),
    };
  });
}

const MOST_AUTOMATIC_BINS = 60;

const EMPTY_BIN_SECONDS = 60;

/**
 * How long those who converted took: `bins` are pairs of a start in seconds and a number of actors, one entry more
 * than there are bins, since the last holds the greatest time. A breakdown has no say.
 */
function timeToConvertResult(plan: FunnelPlan): JsonObject {
  const { fromStep = 0, toStep = plan.rules.steps - 1, binCount } = plan.definition;
  const definition = { ...plan.definition, breakdown: undefined };
  const times: number[] = [];
  for (const { attempt } of entriesOf({ ...plan, definition }).entries) {
    const steps = stepsOf(attempt);
    const from = steps[fromStep];
    const to = steps[toStep];
    if (from !== undefined && to !== undefined) times.push((to.time - from.time) / 1000);
  }
  return {
    bins: binsOf(times, binCount),
    average_conversion_time: average(times),
    median_conversion_time: quantile(times, 0.5),
  };
}

function binsOf(
  times: readonly number[],
  wanted: number | undefined,
): readonly (readonly [number, number])[] {
  const automatic = Math.min(Math.max(Math.ceil(Math.cbrt(times.length)), 1), MOST_AUTOMATIC_BINS);
  const count = wanted ?? automatic;
  let least = times[0] ?? 0;
  let greatest = least;
  for (const time of times) {
    least = Math.min(least, time);
    greatest = Math.max(greatest, time);
  }
  const start = Math.floor(least);
  const width = Math.ceil((greatest - start) / count) || EMPTY_BIN_SECONDS;
  const bins = Array.from({ length: count + 1 }, (_, bin): [number, number] => [start + bin * width, 0]);
  for (const time of times) {
    const bin = bins[Math.floor((time - start) / width)];
    if (bin !== undefined) bin[1] += 1;
  }
  return bins;
}

/**
 * The conversion of a funnel over time: one series, with a breakdown one for each value but "Other". `data` holds
 * percentages by the period of the first step.
 */
function trendResult(plan: FunnelPlan): readonly Json[] {
  const periods = periodsOf(plan.range, plan.definition.interval, plan.calendar);
  const { entries, reader } = entriesOf(plan, periods);
  const empty = (): PeriodTally => ({ from: zeros(periods.count), to: zeros(periods.count) });
  const tallies = tallied(entries, empty, (tally, { attempt, period }) => {
    const { from, to } = reachedSteps(attempt.step, plan);
    if (from) increase(tally.from, period);
    if (to) increase(tally.to, period);
  });
  if (reader === undefined) return [writeSeries(tallies.get('') ?? empty(), periods)];
  return ranked(tallies, ({ from, to }) => [sum(to), sum(from)])
    .filter(([key]) => key !== OTHER)
    .map(([key, tally]) => ({ ...writeSeries(tally, periods), ...breakdownOf(key, reader) }));
}

type PeriodTally = { readonly from: number[]; readonly to: number[] };

/** Whether an attempt reached the steps between which conversion is asked for; both count from 0. */
function reachedSteps(reached: number, { definition, rules }: FunnelPlan): { from: boolean; to: boolean } {
  const from = reached > (definition.fromStep ?? 0);
  return { from, to: reached > (definition.toStep ?? rules.steps - 1) };
}

function writeSeries({ from, to }: PeriodTally, { count, days, labels }: Periods): JsonObject {
  return {
    count,
    data: from.map((entered, period) => percentage(to[period] ?? 0, entered)),
    days,
    labels,
    reached_from_step_count: from,
    reached_to_step_count: to,
  };
}

/**
 * Which actors of a funnel: `step` n reached step n (counted from 1), -n reached the step before and no further. Of
 * a trend those who entered in a period and converted, or dropped. `breakdown` names one value by its texts, or a
 * cohort by its id.
 */
export type FunnelActorsSelection = {
  readonly breakdown?: readonly string[] | undefined;
} & (
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'period'; readonly entrancePeriodStart: string; readonly dropOff: boolean }
);

/** The actors behind a number of a funnel, each once. Throws a 400 for a step that cannot be asked about. */
export function funnelActors(
  funnel: FunnelDefinition,
  selection: FunnelActorsSelection,
  input: AnalysisInput,
): readonly Actor[] {
  if (selection.kind === 'step') checkStep(selection.step, funnel);
  const plan = planFunnel(funnel, input);
  const isWanted = keyTest(selection.breakdown, funnel);
  const found = selection.kind === 'step' ? stepActors(plan, selection.step) : periodActors(plan, selection);
  const actors = new Set<Actor>();
  for (const { actor, key } of found) if (isWanted(key)) actors.add(actor);
  return [...actors];
}

function checkStep(step: number, { steps }: FunnelDefinition): void {
  if (step === 0) throw invalid('funnel_step', 'Funnel steps count from 1, so step 0 does not exist.');
  if (step === -1) {
    throw invalid('funnel_step', 'People cannot drop off before the first step: drop-off begins at -2.');
  }
  if (!Number.isInteger(step) || Math.abs(step) > steps.length) {
    throw invalid('funnel_step', `The funnel has ${steps.length} steps, so step ${step} does not exist.`);
  }
}

function keyTest(
  texts: readonly string[] | undefined,
  { breakdown }: FunnelDefinition,
): (key: BreakdownKey) => boolean {
  if (texts === undefined || breakdown === undefined) return () => true;
  const wanted = breakdown.kind === 'cohorts' ? texts[0] : JSON.stringify(texts);
  return (key) => key === wanted;
}

type Found = { readonly actor: Actor; readonly key: BreakdownKey };

function* stepActors(plan: FunnelPlan, step: number): Generator<Found> {
  for (const { actor, key, attempt } of entriesOf(plan).entries) {
    if (step > 0 ? attempt.step >= step : attempt.step === -step - 1) yield { actor, key };
  }
}

type PeriodSelection = Extract<FunnelActorsSelection, { kind: 'period' }>;

function* periodActors(
  plan: FunnelPlan,
  { entrancePeriodStart, dropOff }: PeriodSelection,
): Generator<Found> {
  const { interval } = plan.definition;
  const periods = periodsOf(plan.range, interval, plan.calendar);
  const { instant } = readDate(entrancePeriodStart, { ...plan.calendar, now: plan.input.now });
  const wanted = periods.starts.indexOf(startOf(interval, instant, plan.calendar));
  for (const { actor, key, attempt, period } of entriesOf(plan, periods).entries) {
    const { from, to } = reachedSteps(attempt.step, plan);
    if (period === wanted && (dropOff ? from && !to : to)) yield { actor, key };
  }
}
