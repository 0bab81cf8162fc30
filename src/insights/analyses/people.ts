import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { asObject, filled, type Json, type JsonObject } from '../../json/kinds.ts';
import { DAY, shift } from '../../semantics/calendar.ts';
import type { Endpoint, InputOf } from '../../service/endpoint.ts';
import type { persons } from '../../service/persons.ts';
import { refuseBodyInAddress } from './analysis.ts';
import { type FunnelParameters, funnelQuery } from './funnel.ts';
import {
  breakdownFilter,
  countedBy,
  entitiesOf,
  entityNode,
  type Filters,
  insightFields,
  queryFields,
  readBreakdown,
  type SeriesFlags,
  type SeriesParameters,
  seriesParameters,
} from './steps.ts';

function actorsOf(source: JsonObject): JsonObject {
  return { kind: 'ActorsQuery', select: ['actor'], source };
}

/** P13, P14: the people of a funnel step, or of a period of a funnel over time. Throws a usage error if neither is named. */
export function funnelActorsQuery({
  funnel_step: step,
  entrance_period_start: start,
  drop_off: dropOff,
  ...funnel
}: Filters): JsonObject {
  const source = funnelQuery(funnel);
  if (start !== undefined)
    return actorsOf(
      filled({
        kind: 'FunnelsActorsQuery',
        source,
        funnelTrendsEntrancePeriodStart: start,
        funnelTrendsDropOff: dropOff === 'true' || dropOff === true,
      }),
    );
  if (step === undefined) throw noStep();
  return actorsOf({ kind: 'FunnelsActorsQuery', source, funnelStep: step });
}

/** P15, P16: the people who did the correlated event, and converted or not. */
export function correlationActorsQuery(filters: Filters): JsonObject {
  const {
    funnel_correlation_person_entity: given,
    funnel_correlation_person_converted: converted,
    ...funnel
  } = filters;
  const entity = asObject(given);
  if (entity === undefined) throw noEntity();
  return actorsOf(
    filled({
      kind: 'FunnelCorrelationActorsQuery',
      source: correlationQuery(funnel),
      funnelCorrelationPersonConverted: converted,
      funnelCorrelationPersonEntity: entityNode(entity),
    }),
  );
}

/** P17: the people of one status in one period. Throws a usage error if one of the two is missing. */
export function lifecycleActorsQuery({ target_date, lifecycle_type, ...filters }: Filters): JsonObject {
  if (target_date === undefined || lifecycle_type === undefined) {
    throw usageError(
      `${target_date === undefined ? '--day' : '--status'} is missing`,
      'give one day and one status, as in --day 2026-01-05 --status new',
    );
  }
  return actorsOf({
    kind: 'InsightActorsQuery',
    source: { kind: 'LifecycleQuery', ...insightFields(filters) },
    day: target_date,
    status: lifecycle_type,
  });
}

/** P18: the people who did it in so many periods. Throws a usage error if the number is missing. */
export function stickinessActorsQuery({ stickiness_days, ...filters }: Filters): JsonObject {
  if (stickiness_days === undefined) {
    throw usageError('--days is missing', 'give the number of days on which they did it');
  }
  return actorsOf({
    kind: 'StickinessActorsQuery',
    source: { kind: 'StickinessQuery', ...insightFields(filters) },
    day: stickiness_days,
  });
}

/** Which point of a trend: the series counted from 0, and the day, if one is meant. */
type TrendPoint = { readonly series: number; readonly day?: string | undefined };

/** P19: the people behind one point of a trend; without a day, those of the whole range. */
export function trendsActorsQuery(filters: Filters, { series, day }: TrendPoint): JsonObject {
  // The entity is the series that the index names, so it needs no place of its own.
  const { breakdown_value, display, interval } = filters;
  const range = day === undefined ? {} : queriedRange(day, interval);
  return actorsOf(
    filled({
      kind: 'InsightActorsQuery',
      source: filled({
        kind: 'TrendsQuery',
        ...insightFields({ ...filters, ...range }),
        breakdownFilter: breakdownFilter(filters),
        trendsFilter: display === undefined ? undefined : { display },
      }),
      day,
      series,
      breakdown: breakdown_value,
    }),
  );
}

const CORRELATION_FIELDS = [
  'funnel_correlation_type',
  'funnel_correlation_names',
  'funnel_correlation_exclude_names',
  'funnel_correlation_event_names',
  'funnel_correlation_exclude_event_names',
  'funnel_correlation_event_exclude_property_names',
];

export function correlationQuery(filters: Filters): JsonObject {
  const funnel = Object.entries(filters).filter(([name]) => !CORRELATION_FIELDS.includes(name));
  return {
    kind: 'FunnelCorrelationQuery',
    source: { kind: 'FunnelsActorsQuery', source: funnelQuery(Object.fromEntries(funnel)) },
    funnelCorrelationType: 'events',
    ...queryFields(filters, CORRELATION_FIELDS),
  };
}

function noStep() {
  return usageError('--step is missing', 'give the number of the step, from 1');
}

function noEntity() {
  return usageError('--entity is missing', 'give the correlated event');
}

/** Who is asked for in a correlation, as the service's legacy filter names it. Throws a usage error without it. */
export function correlatedPeople(flags: {
  readonly entity?: string | undefined;
  readonly converted?: boolean | undefined;
  readonly body?: JsonObject | undefined;
}) {
  if (flags.entity === undefined && (flags.body?.funnel_correlation_person_entity ?? null) === null)
    throw noEntity();
  return {
    funnel_correlation_person_entity:
      flags.entity === undefined ? undefined : { id: flags.entity, type: 'events' },
    funnel_correlation_person_converted: flags.converted,
  };
}

type FunnelPeople = {
  readonly step?: number | undefined;
  readonly dropped?: boolean | undefined;
  readonly day?: string | undefined;
  readonly viz?: string | undefined;
  readonly body?: JsonObject | undefined;
};

/** Who of a funnel: those of a step, or those who began on a day of a funnel over time. Throws a usage error. */
export function funnelPeople({ day, viz, ...flags }: FunnelPeople) {
  const { step, dropped = false, body } = flags;
  const isTrend = viz === 'trends' || body?.funnel_viz_type === 'trends';
  if (day === undefined && (body?.entrance_period_start ?? null) === null) {
    if (isTrend && step === undefined && (body?.funnel_step ?? null) === null)
      throw usageError('--day is missing', 'give the day on which they began, as in --day 2026-06-07');
    return { funnel_step: funnelStep(flags) };
  }
  if (step !== undefined) throw usageError('--day and --step cannot be used together', 'give one of them');
  if (day !== undefined && !isTrend && (viz ?? body) !== undefined)
    throw usageError('--day is about a funnel over time', 'use --viz trends');
  return {
    ...(day === undefined ? {} : { funnel_viz_type: 'trends' as const, entrance_period_start: day }),
    // The body may say it by itself.
    drop_off: day === undefined && !dropped ? undefined : dropped,
  };
}

/** The service's number of a funnel step: from 1 for those who reached it, negative for those who dropped out before. */
function funnelStep(flags: Omit<FunnelPeople, 'day' | 'viz'>): number | undefined {
  const { step, dropped, body } = flags;
  if (!dropped && step === undefined && (body?.funnel_step ?? null) === null) throw noStep();
  if (!dropped) return step;
  if (step === undefined) throw usageError('--dropped needs --step', 'give the step, from 2');
  if (step === 1)
    throw usageError('--dropped cannot be used with the first step', 'give --step 2 or a later one');
  return -step;
}

type PeopleInput<Who> = {
  readonly row: Endpoint;
  readonly funnel: FunnelParameters;
  readonly who: Who;
  readonly body: JsonObject | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
};

/** Options of place and people count before the fields of `--body`; `filters` is all but the place in the list. */
export function peopleRequest<Who extends Filters>({ row, funnel, who, body, ...place }: PeopleInput<Who>) {
  refuseBodyInAddress(row, body);
  const limit = place.limit ?? wholeNumber(body, 'limit');
  const offset = place.offset ?? wholeNumber(body, 'offset');
  const input = { ...funnel, ...who, limit, offset };
  const { limit: _limit, offset: _offset, ...filters } = filled({ ...funnel, ...filled(who) });
  return { input, filters, body: body && filled({ ...filters, offset }) };
}

function wholeNumber(body: JsonObject | undefined, name: string): number | undefined {
  const value = body?.[name];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw usageError(`${name} in --body is not a whole number`);
}

type TrendFields = InputOf<typeof persons.trends>;

type TrendFlags = SeriesFlags &
  Pick<TrendFields, 'breakdown_type' | 'breakdown_value' | 'display'> & {
    readonly breakdown?: readonly string[] | undefined;
    readonly math?: string | undefined;
    readonly day?: string | undefined;
    readonly series?: number | undefined;
  };

type Interval = TrendFields['interval'] | Json;

type Dates = { readonly date_from: string; readonly date_to: string };

/** The whole hour, day, week or month of a point. Throws a usage error for a date of which that cannot be said. */
function pointRange(day: string, interval: Interval): Dates {
  if (interval === undefined || interval === 'day') return { date_from: day, date_to: day };
  const [, date = '', month = '', hour = '00', zone = ''] =
    /^((\d{4}-\d\d)-\d\d)(?:[ T](\d\d):[\d:.]+)?(Z|[+-]\d\d:?\d\d)?$/.exec(day) ?? [];
  const first = Date.parse(`${interval === 'month' ? `${month}-01` : date}T00:00:00Z`);
  if (Number.isNaN(first)) {
    throw usageError(`"${day}" is not the day of a ${String(interval)}`, 'write the day as YYYY-MM-DD');
  }
  if (interval === 'month' || interval === 'week')
    return { date_from: writeDay(first), date_to: writeDay(shift(interval, first, 1, 'UTC') - DAY) };
  return { date_from: `${date} ${hour}:00:00${zone}`, date_to: `${date} ${hour}:59:59${zone}` };
}

/** Only the project knows with which day weeks begin, so the range reaches as far back as a week can. */
function queriedRange(day: string, interval: Interval): Dates {
  const range = pointRange(day, interval);
  if (interval !== 'week') return range;
  return { ...range, date_from: writeDay(Date.parse(range.date_from) - 6 * DAY) };
}

function writeDay(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Counts from 1, `index` from 0 as a query does. Throws a usage error unless one series is clear. */
export function chooseSeries(parameters: SeriesParameters, series: number | undefined) {
  const entities = entitiesOf(parameters);
  if (series === undefined && entities.length > 1) {
    throw usageError(`one of ${entities.length} series must be chosen`, 'choose one with --series, from 1');
  }
  const index = (series ?? 1) - 1;
  const entity = entities[index];
  if (entity === undefined) throw usageError(`series ${series} does not exist: there are ${entities.length}`);
  return { index, entity_id: String(entity.id), entity_type: entity.type };
}

type LifecycleFlags = SeriesFlags & {
  readonly day?: string | undefined;
  readonly status?: InputOf<typeof persons.lifecycle>['lifecycle_type'];
};

/** A day that may lie outside the range replaces it: the service would find no people there. */
export function lifecyclePeople(
  { day, status, ...flags }: LifecycleFlags,
  { now, note }: Pick<Context, 'now' | 'note'>,
) {
  const period = day === undefined ? {} : periodOutside({ ...flags, day }, now());
  if ('date_from' in period && (flags.date_from ?? flags.date_to) !== undefined) {
    note(`Only ${day} is requested, since it may lie outside the given dates.`);
  }
  return { ...seriesParameters({ ...flags, ...period }), target_date: day, lifecycle_type: status };
}

/** The whole period of the day, if it may lie outside of the range; nothing if it lies within. */
function periodOutside(
  { day, date_from: from, date_to: to, interval }: SeriesFlags & { readonly day: string },
  now: number,
): Dates | Record<never, never> {
  const period = pointRange(day, interval);
  if (from === undefined && to === undefined) return period;
  const [first] = edgesOf(from, now);
  const [, last] = edgesOf(to, now);
  const isWithin = period.date_to.slice(0, 10) >= first && period.date_from.slice(0, 10) <= last;
  return isWithin ? {} : period;
}

const UNIT_DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 31, q: 92, y: 366 };

/** Between which days an end of a range lies for sure: for `-7d` the time zone of the project decides. */
function edgesOf(end: string | undefined, now: number): readonly [latest: string, earliest: string] {
  const absolute = /^\d{4}-\d\d-\d\d/.exec(end ?? '')?.[0];
  if (absolute !== undefined) return [absolute, absolute];
  const [, count, unit = ''] = /^-(\d{1,4})([hdwmqy])$/.exec(end ?? '') ?? [];
  if (count === undefined) return ['', '9999'];
  const days = Number(count) * (UNIT_DAYS[unit] ?? 1);
  const shortest = days * (['m', 'q', 'y'].includes(unit) ? 0.9 : 1);
  return [writeDay(now - shortest * DAY + DAY), writeDay(now - days * DAY - DAY)];
}

/** One point of a trend by the fields of the service and as a query has it; a week or month counts whole. */
export function trendPeople(flags: TrendFlags): { readonly fields: TrendFields; readonly point: TrendPoint } {
  const { breakdown, math, day, series, ...others } = flags;
  if (day !== undefined && (others.date_from !== undefined || others.date_to !== undefined)) {
    throw usageError(
      '--day cannot be used with --date-from or --date-to',
      'leave out --date-from and --date-to',
    );
  }
  const dates = day === undefined ? {} : pointRange(day, others.interval);
  const parameters = seriesParameters({ ...others, ...dates });
  const { index, entity_id, entity_type } = chooseSeries(parameters, series);
  const fields = filled({
    ...parameters,
    ...countedBy({ math }, parameters),
    entity_id,
    entity_type,
    entity_math: math,
    breakdown: breakdown && readBreakdown(breakdown, others.breakdown_type),
    breakdown_type: others.breakdown_type,
    breakdown_value: others.breakdown_value,
    display: others.display,
  });
  // Each field above is named after, and typed as, the row's parameter of that name.
  return { fields: fields as TrendFields, point: { series: index, day } };
}
