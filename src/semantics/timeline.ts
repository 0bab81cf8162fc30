import type { Json } from '../json/kinds.ts';
import { field, listField, numberOf, readState, sourceOf, textField } from './answer.ts';
import { DAY, HOUR, type Interval, instantOf, isTimeZone, localTime, shift, startOf } from './calendar.ts';

/** How the days of an answer are read, and what was asked for. Instants are in milliseconds. */
export type Timeline = {
  readonly interval: Interval;
  /** Intervals that a figure spans: 15 for quarters of an hour. */
  readonly count: number;
  readonly timezone: string;
  /** When the figures were calculated: what was open then stays open until the next calculation. */
  readonly at: number;
  /** Both ends of the range that was asked for, as far as they are known; `to` is the first instant after it. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** How long a figure still changes after its interval: the conversion window of a funnel. */
  readonly window: number;
};

/** An interval; `end` is the first instant after it. */
export type Span = { readonly start: number; readonly end: number };

/** `open`: its figure is still to change. `cut`: it is over, and the range covers only a part of it. */
export type IntervalState = 'over' | 'open' | 'cut' | 'to-come';

const INTERVALS: readonly Interval[] = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

/**
 * The timeline of an insight's answer. The service tells the project's time zone with it; without one its days are
 * read as UTC. `now` is the service's time.
 */
export function timelineOf(answer: Json, now: number): Timeline {
  const source = sourceOf(answer);
  const filters = field(answer, 'filters');
  const retention = field(source, 'retentionFilter');
  const named =
    textField(source, 'interval') ??
    textField(retention, 'period') ??
    textField(filters, 'interval') ??
    textField(filters, 'period');
  const told = textField(answer, 'timezone') ?? 'UTC';
  const timezone = isTimeZone(told) ? told : 'UTC';
  const { calculated } = readState(answer);
  const at = calculated === undefined ? now : Math.min(now, calculated);
  const interval = INTERVALS.find((one) => one === named?.toLowerCase()) ?? 'day';
  const isCohorts = retention !== undefined || textField(filters, 'insight') === 'RETENTION';
  return {
    interval,
    count: 1,
    timezone,
    at,
    // A retention counts whole intervals back from its end.
    ...(isCohorts ? { from: undefined, to: undefined } : rangeOf(answer, { at, timezone })),
    window:
      textField(retention, 'timeWindowMode') === '24_hour_windows'
        ? (LENGTHS[interval] ?? 0)
        : windowOf(source, filters),
  };
}

/** `isExact`: its dates are not rounded to days. */
type Clock = Pick<Timeline, 'at' | 'timezone'> & { readonly isExact?: boolean };

/** The range as the service resolved it, else as it was asked for. */
function rangeOf(answer: Json, clock: Clock): Pick<Timeline, 'from' | 'to'> {
  const source = sourceOf(answer);
  const asked = [
    field(answer, 'resolved_date_range'),
    field(listField(answer, 'result')[0], 'filter'),
    field(source, 'dateRange'),
    field(field(source, 'filters'), 'dateRange'),
    field(answer, 'filters'),
  ];
  const told = asked.find(
    (range) => (textField(range, 'date_from') ?? textField(range, 'date_to')) !== undefined,
  );
  const isSql = textField(source, 'kind') === 'HogQLQuery';
  const isExact = (field(told, 'explicitDate') ?? field(told, 'explicit_date')) === true;
  const from = textField(told, 'date_from') ?? (isSql ? undefined : '-7d');
  const to = textField(told, 'date_to');
  return {
    from: from === undefined ? undefined : instantOfBound(from, { ...clock, isExact }),
    to: to === undefined ? undefined : endOfBound(to, { ...clock, isExact }),
  };
}

const AGO: Readonly<Record<string, Interval>> = { d: 'day', w: 'week', m: 'month', q: 'quarter', y: 'year' };

/** Where a date of a range lies: `2026-11-05`, `-30d`, `mStart`, `-1yStart`. Undefined for `all` and others. */
function instantOfBound(text: string, { at, timezone, isExact = false }: Clock): number | undefined {
  const exact = instantOfDay(text, timezone);
  if (exact !== undefined) return exact;
  const [, count = '0', unit = '', start] = /^(?:-(\d{1,4}))?([hdwmqy])(Start)?$/.exec(text) ?? [];
  if (unit === 'h') return at - Number(count) * HOUR;
  const interval = AGO[unit];
  // Only the project knows with which day weeks begin.
  if (interval === undefined || (start !== undefined && interval === 'week')) return undefined;
  const midnight = startOf('day', at, { timezone, weekStart: 0 });
  const before = shift(interval, midnight, -Number(count), timezone);
  if (start !== undefined) return startOf(interval, before, { timezone, weekStart: 0 });
  return isExact ? before + (at - midnight) : before;
}

/** The first instant after a range. A day counts whole. */
function endOfBound(text: string, clock: Clock): number | undefined {
  const last = instantOfBound(text, clock);
  if (last === undefined) return undefined;
  const isDayText = /^\d{4}-\d{2}-\d{2}$/.test(text) || !/^\d/.test(text);
  if (clock.isExact) return last;
  return isDayText ? shift('day', last, 1, clock.timezone) : last + 1000;
}

const USUAL_WINDOW = 14 * DAY;

/** How long people may take from the first step of a funnel to the last; none for other kinds. */
function windowOf(source: Json | undefined, filters: Json | undefined): number {
  const isFunnel =
    textField(source, 'kind') === 'FunnelsQuery' || textField(filters, 'insight') === 'FUNNELS';
  if (!isFunnel) return 0;
  const funnel = field(source, 'funnelsFilter');
  const count =
    numberOf(field(funnel, 'funnelWindowInterval')) ??
    numberOf(field(filters, 'funnel_window_interval')) ??
    numberOf(field(filters, 'funnel_window_days'));
  const unit =
    textField(funnel, 'funnelWindowIntervalUnit') ??
    textField(filters, 'funnel_window_interval_unit') ??
    textField(filters, 'funnel_window_interval_type') ??
    'day';
  const length = LENGTHS[unit.toLowerCase().replace(/s$/, '')];
  return count === undefined || length === undefined ? USUAL_WINDOW : count * length;
}

const LENGTHS: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 31 * DAY,
};

const DAY_TEXT =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/;

/** The instant that a day or time of an answer names; undefined for any other text. */
export function instantOfDay(day: Json | undefined, timezone: string): number | undefined {
  const [, year, month, date = '1', hour = '0', minute = '0', second = '0', offset] =
    DAY_TEXT.exec(typeof day === 'string' ? day : '') ?? [];
  if (year === undefined) return undefined;
  const [local, zone] = [[year, month, date, hour, minute, second].map(Number), offset ?? ''];
  const [y = 0, m = 1, d = 1, h = 0, min = 0, s = 0] = local;
  if (m < 1 || m > 12 || d < 1 || d > 31 || h > 23 || min > 59) return undefined;
  const wall = { year: y, month: m, day: d, hour: h, minute: min, second: s };
  if (zone === '') return instantOf(wall, timezone);
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? ['', '+', '0', '0'];
  const shifted = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? 1 : -1);
  return instantOf(wall, 'UTC') + shifted;
}

/** The interval that begins with a day, or `later` intervals after it. Undefined for what is no day. */
export function spanOf(day: Json | undefined, timeline: Timeline, later = 0): Span | undefined {
  const first = instantOfDay(day, timeline.timezone);
  if (first === undefined) return undefined;
  const { interval, count, timezone } = timeline;
  const start = later === 0 ? first : shift(interval, first, later * count, timezone);
  return { start, end: shift(interval, start, count, timezone) };
}

export function stateOf({ start, end }: Span, { at, from, to, window }: Timeline): IntervalState {
  if (start > at) return 'to-come';
  if (end + window > at) return 'open';
  const isWithin = (bound: number | undefined) => bound !== undefined && start < bound && bound < end;
  return isWithin(from) || isWithin(to) ? 'cut' : 'over';
}

/** What stands behind a figure that does not count yet, or not whole. */
export const MARK = '*';

/** What the mark says. */
export function markRemark(states: readonly IntervalState[]): string | undefined {
  const [isOpen, isCut] = [states.some((one) => one === 'open' || one === 'to-come'), states.includes('cut')];
  if (isOpen) return isCut ? '* is not over yet, or cut by the range.' : '* is not over yet.';
  return isCut ? '* is cut by the range.' : undefined;
}

/** A day as people write it: without a time of day at midnight. */
export function dayText(day: string): string {
  return day.replace(/[T ]00:00(:00(\.0+)?)?(Z|[+-]\d{2}:?\d{2})?$/, '');
}

/** The day on which an instant falls. */
export function dayOf(instant: number, timezone: string): string {
  const { year, month, day } = localTime(instant, timezone);
  return [String(year).padStart(4, '0'), month, day].map((part) => String(part).padStart(2, '0')).join('-');
}
