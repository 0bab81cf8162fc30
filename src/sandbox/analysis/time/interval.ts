import { instantOf, localTime } from './time-zone.ts';

export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month';

/** Where periods begin: the project's time zone, and the day on which weeks start (0 is Sunday). */
export type Calendar = { readonly timezone: string; readonly weekStart: number };

const MINUTE = 60_000;

const HOUR = 60 * MINUTE;

/** The first instant of the period that holds an instant. */
export function startOf(interval: Interval, instant: number, calendar: Calendar): number {
  const { timezone } = calendar;
  const local = localTime(instant, timezone);
  const { year, month, day } = local;
  switch (interval) {
    case 'minute':
      return instant - local.second * 1000 - local.millisecond;
    case 'hour':
      return instant - local.minute * MINUTE - local.second * 1000 - local.millisecond;
    case 'day':
      return instantOf({ year, month, day }, timezone);
    case 'week': {
      const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
      return instantOf({ year, month, day: day - ((weekday - calendar.weekStart + 7) % 7) }, timezone);
    }
    case 'month':
      return instantOf({ year, month, day: 1 }, timezone);
  }
}

/** The start of the period `count` periods after the one that starts at `start`; before it if negative. */
export function shift(interval: Interval, start: number, count: number, timezone: string): number {
  if (interval === 'minute') return start + count * MINUTE;
  if (interval === 'hour') return start + count * HOUR;
  const { year, month, day } = localTime(start, timezone);
  if (interval === 'month') return instantOf({ year, month: month + count, day }, timezone);
  return instantOf({ year, month, day: day + count * (interval === 'week' ? 7 : 1) }, timezone);
}
