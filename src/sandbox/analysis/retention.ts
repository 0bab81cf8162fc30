import type { Json } from '../../json/kinds.ts';
import { shift, startOf } from '../../service/calendar.ts';
import { invalid, invalidRequest } from '../refusal.ts';
import { type Actor, actorsOf } from './actors.ts';
import type { AnalysisEvent, AnalysisInput } from './dataset.ts';
import { type Entity, predicateOf } from './filters/entity.ts';
import type { Predicate } from './filters/property-filter.ts';
import { earliestTime, populationFilter, type Selection } from './selection.ts';
import { calendarOf, type Periods, periodAt, periodsOf, resolveRange } from './time/date-range.ts';

/**
 * Who comes back. A cohort is everybody who did `target` in a period: for the first time ever, or again. The
 * interval is the period. Without a start date there are as many cohorts as `totalIntervals`, the last in the period of
 * the end date; with one they begin there, and are followed over at most `totalIntervals` periods.
 */
export type RetentionDefinition = Selection & {
  readonly kind: 'retention';
  readonly target: Entity;
  readonly returning: Entity;
  readonly type: 'first_time' | 'recurring';
  readonly totalIntervals: number;
};

const MOST_INTERVALS = 100;
const MOST_COHORTS = 500;

/** One row for each cohort: how many were in it, and how many of them did `returning` in each later period. */
export function calculateRetention(definition: RetentionDefinition, input: AnalysisInput): readonly Json[] {
  const plan = planRetention(definition, input);
  const { periods } = plan;
  const counts = periods.days.map((_, row) => {
    return new Array<number>(Math.min(periods.count - row, definition.totalIntervals)).fill(0);
  });
  for (const { cohort, returns } of livesOf(plan, definition, input)) {
    const row = counts[cohort] ?? [];
    for (const column of returns) if (column < row.length) row[column] = (row[column] ?? 0) + 1;
  }
  const word = definition.interval.charAt(0).toUpperCase() + definition.interval.slice(1);
  return counts.map((row, cohort) => ({
    date: writeInstant(periods.starts[cohort] ?? 0, plan.timezone, periods.days[cohort] ?? ''),
    label: `${word} ${cohort}`,
    values: row.map((count, column) => ({ count, people: [], label: `${word} ${column}` })),
  }));
}

/** The actors of one cohort. */
export function retentionActors(
  definition: RetentionDefinition,
  wanted: { readonly cohort: number },
  input: AnalysisInput,
): readonly Actor[] {
  const lives = livesOf(planRetention(definition, input), definition, input);
  return [...lives].filter(({ cohort }) => cohort === wanted.cohort).map(({ actor }) => actor);
}

type Plan = {
  readonly periods: Periods;
  readonly timezone: string;
  readonly filter: Predicate | undefined;
  readonly isTarget: Predicate;
  readonly isReturn: Predicate;
};

function planRetention(definition: RetentionDefinition, input: AnalysisInput): Plan {
  const { totalIntervals, interval, dates } = definition;
  if (!(Number.isInteger(totalIntervals) && totalIntervals >= 1 && totalIntervals <= MOST_INTERVALS)) {
    throw invalid('total_intervals', `total_intervals must be from 1 to ${MOST_INTERVALS}.`);
  }
  const calendar = calendarOf(input);
  const filter = populationFilter(definition, input);
  const reader = { ...input, calendar, interval, earliest: () => earliestTime(input, filter) };
  const range = resolveRange(dates, reader);
  const last = startOf(interval, range.to, calendar);
  const from =
    dates.from === undefined ? shift(interval, last, 1 - totalIntervals, calendar.timezone) : range.from;
  const periods = periodsOf({ from, to: range.to }, interval, calendar);
  if (periods.count > MOST_COHORTS) throw invalidRequest(`Retention is limited to ${MOST_COHORTS} cohorts.`);
  return {
    periods,
    timezone: calendar.timezone,
    filter,
    isTarget: predicateOf(definition.target, input),
    isReturn: predicateOf(definition.returning, input),
  };
}

type Life = { readonly actor: Actor; readonly cohort: number; readonly returns: ReadonlySet<number> };

function* livesOf(plan: Plan, definition: RetentionDefinition, input: AnalysisInput): Generator<Life> {
  // First times need everything that happened before, too.
  const range = { from: Number.NEGATIVE_INFINITY, to: (plan.periods.starts[plan.periods.count] ?? 0) - 1 };
  const selection = { range, filter: plan.filter, groupTypeIndex: definition.groupTypeIndex };
  for (const { actor, events } of actorsOf(input, selection)) {
    const active = periodsIn(events, plan.isReturn, plan);
    for (const cohort of cohortsOf(events, plan, definition)) {
      const returns = new Set([0]);
      for (const period of active) if (period > cohort) returns.add(period - cohort);
      yield { actor, cohort, returns };
    }
  }
}

function cohortsOf(
  events: readonly AnalysisEvent[],
  plan: Plan,
  { type }: RetentionDefinition,
): Iterable<number> {
  if (type === 'recurring') return periodsIn(events, plan.isTarget, plan);
  const first = events.find((event) => plan.isTarget(event));
  return first === undefined ? [] : periodsIn([first], plan.isTarget, plan);
}

function periodsIn(
  events: readonly AnalysisEvent[],
  test: Predicate,
  { periods }: Plan,
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const event of events) if (test(event)) found.add(periodAt(periods, event.timestamp));
  found.delete(-1);
  return found;
}

/** The start of a cohort with the offset of its time zone, `Z` in UTC. */
function writeInstant(instant: number, timezone: string, day: string): string {
  if (timezone === 'UTC') return new Date(instant).toISOString().replace('.000Z', 'Z');
  const wall = Date.parse(day.length === 10 ? `${day}T00:00:00Z` : `${day.replace(' ', 'T')}Z`);
  const minutes = Math.round((wall - instant) / 60_000);
  const clock = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const written = new Date(wall).toISOString().slice(0, 19);
  return `${written}${minutes < 0 ? '-' : '+'}${clock.map((part) => String(part).padStart(2, '0')).join(':')}`;
}
