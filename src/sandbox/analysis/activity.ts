import type { Json } from '../../json/kinds.ts';
import { shift, startOf } from '../../semantics/calendar.ts';
import { invalid, invalidRequest } from '../refusal.ts';
import type { AnalysisEvent, AnalysisInput } from './dataset.ts';
import type {
  LifecycleDefinition,
  RetentionDefinition,
  StickinessDefinition,
} from './definitions/query-nodes.ts';
import { type Entity, nameOf, predicateOf, writeEntity } from './filters/entity.ts';
import type { Predicate } from './filters/property-filter.ts';
import {
  type Actor,
  type ActorSelection,
  actorsOf,
  compared,
  earliestTime,
  populationFilter,
  resolveSelection,
  sum,
} from './selection.ts';
import {
  calendarOf,
  type DateRange,
  type Periods,
  periodAt,
  periodsOf,
  readDate,
  resolveRange,
} from './time/date-range.ts';

/** Analyses of the periods in which actors did something: stickiness, lifecycle and retention. */

const COMPARISONS = {
  exact: (count: number, periods: number) => count === periods,
  gte: (count: number, periods: number) => count >= periods,
  lte: (count: number, periods: number) => count <= periods,
} as const;

/** How many actors were active in exactly 1, 2, 3… periods of the range, one result for each series. */
export function calculateStickiness(definition: StickinessDefinition, input: AnalysisInput): readonly Json[] {
  return compared(definition, input, (range) =>
    definition.series.map((entity, order) => {
      const { periods, active } = stickyActors(definition, entity, range, input);
      const isCounted = COMPARISONS[definition.cumulative ? 'gte' : 'exact'];
      const data = periods.days.map(
        (_, index) => active.filter(({ count }) => isCounted(count, index + 1)).length,
      );
      return {
        action: writeEntity(entity, order, input),
        label: nameOf(entity, input),
        count: active.length,
        data,
        days: data.map((_, index) => index + 1),
        labels: data.map((_, index) => `${index + 1} ${periods.interval}${index === 0 ? '' : 's'}`),
      };
    }),
  );
}

/** The actors behind a number of stickiness. Cumulative numbers are about at least so many periods. */
export function stickinessActors(
  definition: StickinessDefinition,
  wanted: {
    readonly series: number;
    readonly periods: number;
    readonly operator?: keyof typeof COMPARISONS | undefined;
  },
  input: AnalysisInput,
): readonly Actor[] {
  const entity = definition.series[wanted.series];
  if (entity === undefined) throw invalidRequest(`Series ${wanted.series} does not exist.`);
  const { range } = resolveSelection(definition, input);
  const isWanted = COMPARISONS[wanted.operator ?? (definition.cumulative ? 'gte' : 'exact')];
  return stickyActors(definition, entity, range, input)
    .active.filter(({ count }) => isWanted(count, wanted.periods))
    .map(({ actor }) => actor);
}

function stickyActors(
  definition: StickinessDefinition,
  entity: Entity,
  range: DateRange,
  input: AnalysisInput,
) {
  const { filter, calendar } = resolveSelection(definition, input);
  const periods = periodsOf(range, definition.interval, calendar);
  const selection = { range, filter, groupTypeIndex: definition.groupTypeIndex };
  const active: { readonly actor: Actor; readonly count: number }[] = [];
  const isActivity = predicateOf(entity, input);
  for (const { actor, events } of actorsOf(input, selection)) {
    const count = periodsIn(events, isActivity, periods).size;
    if (count > 0) active.push({ actor, count });
  }
  return { periods, active };
}

/** The periods in which something was done; -1 stands for any outside. */
function periodsIn(events: readonly AnalysisEvent[], test: Predicate, periods: Periods): Set<number> {
  const found = new Set<number>();
  for (const event of events) if (test(event)) found.add(periodAt(periods, event.timestamp));
  return found;
}

const STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const;
type Status = (typeof STATUSES)[number];

type Point = { readonly actor: Actor; readonly status: Status; readonly period: number };

const MONDAY = 1;

/**
 * Four series, `new`, `returning`, `resurrecting` and `dormant`, by period; dormant ones are negative and stand in
 * the period after the last activity. Who is new is decided by when the person was created.
 */
export function calculateLifecycle(definition: LifecycleDefinition, input: AnalysisInput): readonly Json[] {
  const { periods, points } = pointsOf(definition, input);
  const counts = new Map(STATUSES.map((status) => [status, new Array<number>(periods.count).fill(0)]));
  for (const { status, period } of points) {
    const data = counts.get(status);
    if (data !== undefined) data[period] = (data[period] ?? 0) + (status === 'dormant' ? -1 : 1);
  }
  const name = nameOf(definition.entity, input);
  return [...counts].map(([status, data]) => ({
    action: writeEntity(definition.entity, 0, input),
    label: `${name} - ${status}`,
    count: sum(data),
    data,
    days: periods.days,
    labels: periods.labels,
    status,
  }));
}

/** The persons with a status in the period that holds `day`. Throws a 400 for a status that does not exist. */
export function lifecycleActors(
  definition: LifecycleDefinition,
  wanted: { readonly status: string; readonly day: string },
  input: AnalysisInput,
): readonly Actor[] {
  if (!STATUSES.some((status) => status === wanted.status)) {
    throw invalidRequest(`"${wanted.status}" is not a status: use ${STATUSES.join(', ')}.`);
  }
  const { periods, points, calendar } = pointsOf(definition, input);
  const at = periodAt(periods, readDate(wanted.day, { ...calendar, now: input.now }).instant);
  return points
    .filter(({ status, period }) => status === wanted.status && period === at)
    .map(({ actor }) => actor);
}

function pointsOf(definition: LifecycleDefinition, input: AnalysisInput) {
  const isActivity = predicateOf(definition.entity, input);
  const options = { weekStart: MONDAY, events: isActivity };
  const { filter, range, calendar } = resolveSelection(definition, input, options);
  const periods = periodsOf(range, definition.interval, calendar);
  // The period before the range tells who was there already. A period cut by the end of the range counts whole.
  const before = shift(definition.interval, periods.starts[0] ?? range.from, -1, calendar.timezone);
  const whole = { from: before, to: (periods.starts[periods.count] ?? 0) - 1 };
  const points: Point[] = [];
  for (const { actor, events } of actorsOf(input, { range: whole, filter })) {
    const active = periodsIn(events, isActivity, periods);
    const createdAt = actor.kind === 'person' ? actor.person.created_at : null;
    const created = createdAt === null ? undefined : periodAt(periods, createdAt);
    for (let period = 0; period < periods.count; period += 1) {
      const wasActive = active.has(period - 1);
      const status = active.has(period) ? activeStatus(created === period, wasActive) : 'dormant';
      if (status !== 'dormant' || wasActive) points.push({ actor, status, period });
    }
  }
  return { periods, calendar, points };
}

function activeStatus(isNew: boolean, wasActive: boolean): Status {
  if (isNew) return 'new';
  return wasActive ? 'returning' : 'resurrecting';
}

const MOST_INTERVALS = 100;
const MOST_COHORTS = 500;

/**
 * Who comes back: one row for each cohort, with how many of it did `returning` in each later period. A cohort is
 * everybody who did `target` in a period: for the first time ever, or again. Without a start date there are as many
 * cohorts as `totalIntervals`, the last in the period of the end date; with one they begin there, and are followed over
 * at most `totalIntervals` periods.
 */
export function calculateRetention(definition: RetentionDefinition, input: AnalysisInput): readonly Json[] {
  const { periods, timezone, lives } = planRetention(definition, input);
  const counts = periods.days.map((_, row) => {
    return new Array<number>(Math.min(periods.count - row, definition.totalIntervals)).fill(0);
  });
  for (const { cohort, returns } of lives) {
    const row = counts[cohort] ?? [];
    for (const column of returns) if (column < row.length) row[column] = (row[column] ?? 0) + 1;
  }
  const word = definition.interval.charAt(0).toUpperCase() + definition.interval.slice(1);
  return counts.map((row, cohort) => ({
    date: writeInstant(periods.starts[cohort] ?? 0, timezone, periods.days[cohort] ?? ''),
    label: `${word} ${cohort}`,
    values: row.map((count, column) => ({ count, label: `${word} ${column}` })),
  }));
}

/** The actors of one cohort. */
export function retentionActors(
  definition: RetentionDefinition,
  wanted: { readonly cohort: number },
  input: AnalysisInput,
): readonly Actor[] {
  const { lives } = planRetention(definition, input);
  return [...lives].filter(({ cohort }) => cohort === wanted.cohort).map(({ actor }) => actor);
}

type Life = { readonly actor: Actor; readonly cohort: number; readonly returns: ReadonlySet<number> };

function planRetention(definition: RetentionDefinition, input: AnalysisInput) {
  const { totalIntervals, interval, dates, groupTypeIndex } = definition;
  if (!(Number.isInteger(totalIntervals) && totalIntervals >= 1 && totalIntervals <= MOST_INTERVALS)) {
    throw invalid('total_intervals', `total_intervals must be from 1 to ${MOST_INTERVALS}.`);
  }
  const calendar = calendarOf(input);
  const { timezone } = calendar;
  const filter = populationFilter(definition, input);
  const earliest = () => earliestTime(input, filter);
  const range = resolveRange(dates, { ...input, calendar, interval, earliest });
  const last = startOf(interval, range.to, calendar);
  const from = dates.from === undefined ? shift(interval, last, 1 - totalIntervals, timezone) : range.from;
  const periods = periodsOf({ from, to: range.to }, interval, calendar);
  if (periods.count > MOST_COHORTS) throw invalidRequest(`Retention is limited to ${MOST_COHORTS} cohorts.`);
  // First times need everything that happened before, too.
  const always = { from: Number.NEGATIVE_INFINITY, to: (periods.starts[periods.count] ?? 0) - 1 };
  return {
    periods,
    timezone,
    lives: livesOf({ range: always, filter, groupTypeIndex }, periods, definition, input),
  };
}

/** Each actor once for every cohort. */
function* livesOf(
  selection: ActorSelection,
  periods: Periods,
  definition: RetentionDefinition,
  input: AnalysisInput,
): Generator<Life> {
  const isTarget = predicateOf(definition.target, input);
  const isReturn = predicateOf(definition.returning, input);
  for (const { actor, events } of actorsOf(input, selection)) {
    const active = periodsIn(events, isReturn, periods);
    const firsts = events.slice(0, events.findIndex(isTarget) + 1);
    const starting = definition.isRecurring ? events : firsts;
    for (const cohort of periodsIn(starting, isTarget, periods)) {
      if (cohort === -1) continue;
      const returns = new Set([0]);
      for (const period of active) if (period > cohort) returns.add(period - cohort);
      yield { actor, cohort, returns };
    }
  }
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
