import { usageError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { field, readState, sourceOf, textField } from './answer.ts';

/** A period of the calendar, as queries name it. */
export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month';

/** Where periods begin: the project's time zone, and the day on which weeks start (0 is Sunday). */
export type Calendar = { readonly timezone: string; readonly weekStart: number };

const MINUTE = 60_000;

export const HOUR = 60 * MINUTE;

export const DAY = 24 * HOUR;

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

/** `open`: it has begun and is not over, so that its figure is still to change. */
type IntervalState = 'over' | 'open' | 'to-come';

/** How the days of an answer are read. */
export type Timeline = {
  readonly interval: Interval;
  readonly timezone: string;
  /** When the figures were calculated, in milliseconds: what was open then stays open until the next calculation. */
  readonly at: number;
  /** The text of an SQL query. */
  readonly sql?: string | undefined;
};

/** An interval in milliseconds; `end` is the first instant after it. */
export type Span = { readonly start: number; readonly end: number };

const INTERVALS: readonly Interval[] = ['minute', 'hour', 'day', 'week', 'month'];

/**
 * The timeline of an insight's answer. The service tells the project's time zone with it; without one its days are
 * read as UTC. `now` is the service's time.
 */
export function timelineOf(answer: Json, now: number): Timeline {
  const source = sourceOf(answer);
  const filters = field(answer, 'filters');
  const named =
    textField(source, 'interval') ??
    textField(field(source, 'retentionFilter'), 'period') ??
    textField(filters, 'interval') ??
    textField(filters, 'period');
  const timezone = textField(answer, 'timezone') ?? 'UTC';
  const { calculated } = readState(answer);
  return {
    interval: INTERVALS.find((one) => one === named?.toLowerCase()) ?? 'day',
    timezone: isTimeZone(timezone) ? timezone : 'UTC',
    at: calculated === undefined ? now : Math.min(now, calculated),
    sql: textField(source, 'query'),
  };
}

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
  const { interval, timezone } = timeline;
  const start = later === 0 ? first : shift(interval, first, later, timezone);
  return { start, end: shift(interval, start, 1, timezone) };
}

export function stateOf({ start, end }: Span, { at }: Timeline): IntervalState {
  if (start > at) return 'to-come';
  return end > at ? 'open' : 'over';
}

/** Whether the interval of a day, or `later` intervals after it, is over; what is no day is not waited for. */
export function isOver(day: Json | undefined, timeline: Timeline | undefined, later = 0): boolean {
  const span = timeline && spanOf(day, timeline, later);
  return timeline === undefined || span === undefined || stateOf(span, timeline) === 'over';
}

/** What stands behind a figure whose interval is not over, and what says so. */
export const OPEN = { mark: '*', remark: '* is not over yet.' } as const;

/** What functions of SQL call the interval that they round to. */
const ROUNDING =
  /\btoStartOf(Minute|Hour|Day|Week|Month)\b|\b(?:date_?trunc|timestamp_?trunc)\s*\(\s*'(\w+)'/gi;

/**
 * The interval that the days of an SQL answer begin: the one that its text rounds to, else the largest that all of them
 * fit. Undefined for times within a minute, which stand for themselves.
 */
export function intervalOfDays(
  days: readonly Json[],
  { timezone, sql = '' }: Timeline,
): Interval | undefined {
  const instants = [...new Set(days.map((day) => instantOfDay(day, timezone)))]
    .filter((instant) => instant !== undefined)
    .toSorted((left, right) => left - right);
  const times = instants.map((instant) => localTime(instant, timezone));
  if (times.some(({ second, millisecond }) => second + millisecond > 0)) return undefined;
  const rounded = new Set(
    [...sql.matchAll(ROUNDING)].map(([, start, part]) => (start ?? part ?? '').toLowerCase()),
  );
  const [told, ...others] = INTERVALS.filter((one) => rounded.has(one));
  if (told !== undefined && others.length === 0) return told;
  if (times.some(({ minute }) => minute > 0)) return 'minute';
  if (times.some(({ hour }) => hour > 0)) return 'hour';
  if (times.length > 1 && times.every(({ day }) => day === 1)) return 'month';
  const gaps = instants
    .slice(1)
    .map((instant, index) => Math.round((instant - (instants[index] ?? 0)) / DAY));
  return gaps.length > 1 && gaps.every((gap) => gap % 7 === 0) ? 'week' : 'day';
}

/** Whether a text is a day or a time. */
export function isDay(value: Json | undefined): boolean {
  return instantOfDay(value, 'UTC') !== undefined;
}
