import type { Json } from '../../json/kinds.ts';
import { shift } from '../../service/calendar.ts';
import { invalidRequest } from '../refusal.ts';
import { type Actor, actorsOf } from './actors.ts';
import type { AnalysisInput } from './dataset.ts';
import { type Entity, nameOf, predicateOf, writeEntity } from './filters/entity.ts';
import { resolveSelection, type Selection, sum } from './selection.ts';
import { type Periods, periodAt, periodsOf, readDate } from './time/date-range.ts';

export type LifecycleDefinition = Selection & { readonly kind: 'lifecycle'; readonly entity: Entity };

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
    throw invalidRequest(`"${wanted.status}" is no status: use ${STATUSES.join(', ')}.`);
  }
  const { periods, points, calendar } = pointsOf(definition, input);
  const at = periodAt(periods, readDate(wanted.day, { ...calendar, now: input.now }).instant);
  return [...points]
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
  function* points(): Generator<Point> {
    for (const { actor, events } of actorsOf(input, { range: whole, filter })) {
      const active = new Set<number>();
      for (const event of events) if (isActivity(event)) active.add(periodAt(periods, event.timestamp));
      yield* lifeOf(actor, active, periods);
    }
  }
  return { periods, calendar, points: points() };
}

/** Period -1 is the one before the range. */
function* lifeOf(actor: Actor, active: ReadonlySet<number>, periods: Periods): Generator<Point> {
  const createdAt = actor.kind === 'person' ? actor.person.created_at : null;
  const created = createdAt === null ? undefined : periodAt(periods, createdAt);
  for (let period = 0; period < periods.count; period += 1) {
    const status = statusOf({
      isActive: active.has(period),
      wasActive: active.has(period - 1),
      isNew: created === period,
    });
    if (status !== undefined) yield { actor, status, period };
  }
}

function statusOf(now: { isActive: boolean; wasActive: boolean; isNew: boolean }): Status | undefined {
  if (!now.isActive) return now.wasActive ? 'dormant' : undefined;
  if (now.isNew) return 'new';
  return now.wasActive ? 'returning' : 'resurrecting';
}
