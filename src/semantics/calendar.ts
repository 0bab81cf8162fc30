import { usageError } from '../errors.ts';

/** A period of the calendar, as queries name it. */
export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** Where periods begin: the project's time zone, and the day on which weeks start (0 is Sunday). */
export type Calendar = { readonly timezone: string; readonly weekStart: number };

const MINUTE = 60_000;

export const HOUR = 60 * MINUTE;

export const DAY = 24 * HOUR;

/** A time in milliseconds for people, to the minute: `2026-03-01 12:00 UTC`. */
export function minuteText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Whether there is a time zone of this name. Asking for one loads tables of 7 MiB, which most commands do without. */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  try {
    formatOf(name);
    return true;
  } catch (cause) {
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

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
    case 'quarter':
      return instantOf({ year, month: month - ((month - 1) % 3), day: 1 }, timezone);
    case 'year':
      return instantOf({ year, month: 1, day: 1 }, timezone);
  }
}

/** The start of the period `count` periods after the one that starts at `start`; before it if negative. */
export function shift(interval: Interval, start: number, count: number, timezone: string): number {
  if (interval === 'minute') return start + count * MINUTE;
  if (interval === 'hour') return start + count * HOUR;
  const { year, month, day } = localTime(start, timezone);
  const months = MONTHS[interval];
  if (months !== undefined) return instantOf({ year, month: month + count * months, day }, timezone);
  return instantOf({ year, month, day: day + count * (interval === 'week' ? 7 : 1) }, timezone);
}

const MONTHS: { readonly [Name in Interval]?: number } = { month: 1, quarter: 3, year: 12 };

/** A reading of the wall clock; `month` counts from 1. Values beyond their range carry over, as in `Date.UTC`. */
export type LocalTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
  readonly millisecond?: number;
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError for a time zone that does not exist. */
function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  formats.set(timezone, format);
  return format;
}

/** What the clocks of a time zone show at an instant (milliseconds). */
export function localTime(instant: number, timezone: string): Required<LocalTime> {
  const shown = new Date(instant + offsetAt(instant, timezone));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    millisecond: shown.getUTCMilliseconds(),
  };
}

/** The instant at which the clocks of a time zone show this; if they skip it, the instant after the gap. */
export function instantOf(local: LocalTime, timezone: string): number {
  const wall = wallOf(local);
  const guess = wall - offsetAt(wall, timezone);
  const offset = offsetAt(guess, timezone);
  const better = wall - offset;
  return offsetAt(better, timezone) === offset ? better : Math.max(guess, better);
}

/** Milliseconds by which the clocks of a time zone are ahead of UTC. */
function offsetAt(instant: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  // GMT, GMT+05:30, or GMT-00:25:21 before there were time zones.
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatOf(timezone).format(instant)) ?? [];
  const ahead = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * 1000;
  return sign === '-' ? -ahead : ahead;
}

function wallOf(local: LocalTime): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999, setUTCFullYear does not.
  const wall = new Date(0);
  wall.setUTCFullYear(local.year, local.month - 1, local.day);
  wall.setUTCHours(local.hour ?? 0, local.minute ?? 0, local.second ?? 0, local.millisecond ?? 0);
  return wall.getTime();
}

/** A length of time in the service's units. */
export type Duration = {
  readonly count: number;
  readonly unit: 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH';
};

const UNITS: Readonly<Record<string, Duration['unit']>> = {
  s: 'SECOND',
  sec: 'SECOND',
  second: 'SECOND',
  min: 'MINUTE',
  minute: 'MINUTE',
  h: 'HOUR',
  hour: 'HOUR',
  d: 'DAY',
  day: 'DAY',
  w: 'WEEK',
  week: 'WEEK',
  mo: 'MONTH',
  month: 'MONTH',
};

const SECONDS: Readonly<Record<Duration['unit'], number>> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3600,
  DAY: 86_400,
  WEEK: 7 * 86_400,
  MONTH: 30 * 86_400,
};

/** What an option takes beside whole lengths of time. */
type Measured = {
  /** The unit of a number without one. Lengths of such an option may be 0 or have decimals: `90`, `1.5h`. */
  readonly unit?: Duration['unit'] | undefined;
};

/**
 * Reads `14d`, `30min`, `2 hours`. A bare `m` is refused: in dates it means months, elsewhere minutes.
 * `name` is how the option was spelt. Throws a usage error for anything else.
 */
export function readDuration(name: string, text: string, { unit: plain }: Measured = {}): Duration {
  const form = plain === undefined ? /^([1-9]\d{0,8}) ?([a-z]+)$/i : /^(\d{1,9}(?:\.\d{1,6})?) ?([a-z]*)$/i;
  const [, digits = '', word = ''] = form.exec(text.trim()) ?? [];
  const lower = word.toLowerCase();
  const unit = UNITS[lower] ?? UNITS[lower.replace(/s$/, '')] ?? (lower === '' ? plain : undefined);
  if (digits !== '' && unit !== undefined) return { count: Number(digits), unit };
  throw usageError(
    `${name} takes a length of time, not "${text}"`,
    lower === 'm'
      ? `write ${digits}min for minutes, ${digits}mo for months`
      : 'write 45s, 30min, 2h, 14d, 3w or 1mo',
  );
}

/** The length in milliseconds; a month counts 30 days. */
export function inMilliseconds({ count, unit }: Duration): number {
  return count * SECONDS[unit] * 1000;
}
