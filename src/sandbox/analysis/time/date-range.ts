import {
  type Calendar,
  type Interval,
  instantOf,
  type LocalTime,
  localTime,
  shift,
  startOf,
} from '../../../semantics/calendar.ts';
import { invalidRequest } from '../../refusal.ts';
import type { Surroundings } from '../dataset.ts';

/**
 * The dates of a request as written. `exact` takes an end with a time of day at its word. `isPoint` means the one
 * period that holds `from`, whole.
 */
export type DateSelection = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly exact?: boolean;
  readonly isPoint?: boolean;
};

/** Milliseconds, both ends included. */
export type DateRange = { readonly from: number; readonly to: number };

type RangeReader = {
  readonly now: number;
  readonly calendar: Calendar;
  readonly interval: Interval;
  /** The time of the first event, from which `all` begins; undefined without events. */
  readonly earliest: () => number | undefined;
};

/** The calendar of a project: weeks start on Sunday unless the project says otherwise. */
export function calendarOf({ project }: Pick<Surroundings, 'project'>, weekStart = 0): Calendar {
  return { timezone: project.timezone, weekStart: project.week_start_day ?? weekStart };
}

/**
 * Turns dates into instants. Without a start it is 00:00 seven days ago, without an end the end of today, both in
 * the project's time zone. An end includes its whole day (with hourly periods and a time of day: its whole hour).
 */
export function resolveRange(dates: DateSelection, reader: RangeReader): DateRange {
  if (dates.isPoint === true) return periodOf(rangeStart(dates.from, reader), reader);
  return { from: rangeStart(dates.from, reader), to: rangeEnd(dates, reader) };
}

function periodOf(instant: number, { interval, calendar }: RangeReader): DateRange {
  const from = startOf(interval, instant, calendar);
  return { from, to: shift(interval, from, 1, calendar.timezone) - 1 };
}

function rangeStart(text: string | undefined, reader: RangeReader): number {
  const { calendar, now } = reader;
  if (text === 'all') return startOf('day', reader.earliest() ?? now, calendar);
  return readDate(text ?? '-7d', { ...calendar, now }).instant;
}

function rangeEnd(dates: DateSelection, reader: RangeReader): number {
  const { calendar, now, interval } = reader;
  const { instant, whole } = readDate(dates.to ?? 'dStart', { ...calendar, now });
  if (whole === 'instant' && dates.exact === true) return instant;
  const shortPeriods = interval === 'hour' || interval === 'minute';
  const unit = whole === 'instant' && shortPeriods ? interval : 'day';
  return shift(unit, startOf(unit, instant, calendar), 1, calendar.timezone) - 1;
}

/** A comparison with an earlier time: `to` is a relative date such as `-1y`, without it the time just before. */
export type Comparison = { readonly to?: string | undefined };

const DAY = 86_400_000;

/** The range to compare with. */
export function previousRange(
  range: DateRange,
  dates: DateSelection,
  comparison: Comparison,
  calendar: Calendar,
): DateRange {
  if (comparison.to !== undefined) {
    const { to } = comparison;
    return { from: move(range.from, to, calendar), to: move(range.to, to, calendar) };
  }
  const days = dayCount(range, dates);
  if (days === undefined) return { from: range.from - (range.to + 1 - range.from), to: range.from - 1 };
  return { from: move(range.from, `-${days}d`, calendar), to: move(range.to, `-${days}d`, calendar) };
}

/** Days to go back: as many as `-7d` says, else as many as the range has; undefined for a range of hours. */
function dayCount({ from, to }: DateRange, dates: DateSelection): number | undefined {
  const written = /^-?(\d+)d$/.exec(dates.from ?? '-7d');
  if (written !== null && dates.to === undefined) return Number(written[1]);
  return to + 1 - from < DAY ? undefined : Math.round((to + 1 - from) / DAY);
}

/** Moves an instant by a relative date, keeping the time of day. */
function move(instant: number, by: string, calendar: Calendar): number {
  const { timezone } = calendar;
  const day = readDate(by, { ...calendar, now: instant });
  if (day.whole === 'instant') return day.instant;
  const { year, month, day: dayOfMonth } = localTime(day.instant, timezone);
  return instantOf({ ...localTime(instant, timezone), year, month, day: dayOfMonth }, timezone);
}

/**
 * A date of a request. `instant` is what the text names, for whole days their first instant; `whole` says how much
 * time it names, so that an end can include it.
 */
type NamedDate = {
  readonly instant: number;
  readonly whole: 'day' | 'instant';
};

type DateReader = Calendar & { readonly now: number };

const RELATIVE = /^([-+]?)(\d*)([smhdwqyMHDWQY])(Start|End)?$/;

const ABSOLUTE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/;

const FIXED_UNITS: Readonly<Record<string, number>> = { s: 1000, M: 60_000, h: 3_600_000, H: 3_600_000 };

/**
 * Reads `2024-05-01`, `2024-05-01T12:00:00Z`, `-7d`, `-24h`, `-1mStart`, `mStart`, `yEnd` and the like. In relative
 * dates `m` is months and `M` minutes. Throws a 400 for anything else.
 */
export function readDate(text: string, reader: DateReader): NamedDate {
  const relative = RELATIVE.exec(text.trim());
  if (relative !== null && (relative[2] !== '' || relative[4] !== undefined))
    return readRelative(relative, reader);
  const absolute = ABSOLUTE.exec(text.trim());
  if (absolute !== null) return readAbsolute(absolute, text, reader.timezone);
  throw invalidRequest(`"${text}" is not a date: use YYYY-MM-DD or a relative date such as -7d or mStart.`);
}

function readAbsolute(match: RegExpExecArray, text: string, timezone: string): NamedDate {
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const local = { year: Number(year), month: Number(month), day: Number(day) };
  const time = {
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    millisecond: Math.floor(Number(`0.${fraction ?? 0}`) * 1000),
  };
  const calendarDay = new Date(Date.UTC(local.year, local.month - 1, local.day));
  if (
    calendarDay.getUTCMonth() + 1 !== local.month ||
    time.hour > 23 ||
    time.minute > 59 ||
    time.second > 59
  ) {
    throw invalidRequest(`"${text}" is not a date of the calendar.`);
  }
  if (zone === undefined) {
    const instant = instantOf({ ...local, ...time }, timezone);
    return { instant, whole: hour === undefined ? 'day' : 'instant' };
  }
  return { instant: instantOf({ ...local, ...time }, 'UTC') - zoneOffset(zone), whole: 'instant' };
}

function zoneOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

function readRelative(match: RegExpExecArray, reader: DateReader): NamedDate {
  const [, sign, digits, unit = 'd', position] = match;
  const amount = Number(digits) * (sign === '+' ? 1 : -1);
  const fixed = FIXED_UNITS[unit];
  if (fixed !== undefined) {
    const instant = reader.now + amount * fixed;
    const start = position === 'Start' ? startOf('hour', instant, reader) : instant;
    return { instant: start, whole: 'instant' };
  }
  const letter = unit.toLowerCase();
  const moved = moveBy(localTime(reader.now, reader.timezone), letter, amount);
  return {
    instant: instantOf(edge(moved, letter, position, reader), reader.timezone),
    whole: 'day',
  };
}

function moveBy(local: LocalTime, unit: string, amount: number): LocalTime {
  const { year, month, day } = local;
  if (unit === 'd') return { year, month, day: day + amount };
  if (unit === 'w') return { year, month, day: day + amount * 7 };
  const months = amount * ({ m: 1, q: 3, y: 12 }[unit] ?? 1);
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return { year, month: month + months, day: Math.min(day, lastDay) };
}

function edge(local: LocalTime, unit: string, position: string | undefined, calendar: Calendar): LocalTime {
  if (position === undefined || unit === 'd') return local;
  const { year, month } = normal(local);
  if (unit === 'w') {
    const week = localTime(startOf('week', instantOf(local, calendar.timezone), calendar), calendar.timezone);
    return { year: week.year, month: week.month, day: week.day + (position === 'End' ? 6 : 0) };
  }
  const length = { m: 1, q: 3, y: 12 }[unit] ?? 1;
  const first = month - ((month - 1) % length);
  return position === 'Start' ? { year, month: first, day: 1 } : { year, month: first + length, day: 0 };
}

function normal(local: LocalTime): { readonly year: number; readonly month: number } {
  const day = new Date(Date.UTC(local.year, local.month - 1, local.day));
  return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1 };
}

/** The periods of a range. `starts[i]` to `starts[i + 1]` (not included) is one; the last entry ends the last. */
export type Periods = Readonly<ReturnType<typeof periodsOf>>;

const MOST_PERIODS = 50_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Every period that a range touches, the unfinished ones too. Throws a 400 if there are too many. */
export function periodsOf(range: DateRange, interval: Interval, calendar: Calendar) {
  const starts: number[] = [];
  let start = startOf(interval, range.from, calendar);
  while (start <= range.to) {
    starts.push(start);
    if (starts.length > MOST_PERIODS)
      throw invalidRequest(`The range has more than ${MOST_PERIODS} periods.`);
    start = shift(interval, start, 1, calendar.timezone);
  }
  const count = starts.length;
  const written = starts.map((instant) => write(instant, interval, calendar.timezone));
  starts.push(start);
  return {
    interval,
    count,
    starts,
    /** `2024-05-01`, with hours and minutes also the time. */
    days: written.map(({ day }) => day),
    /** For people: `1-May-2024`. */
    labels: written.map(({ label }) => label),
  };
}

/** The number of the period that holds an instant, -1 for an instant outside. */
export function periodAt(periods: Periods, instant: number): number {
  const { starts, count } = periods;
  if (count === 0 || instant < (starts[0] ?? 0) || instant >= (starts[count] ?? 0)) return -1;
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= instant) low = middle;
    else high = middle - 1;
  }
  return low;
}

function write(instant: number, interval: Interval, timezone: string): { day: string; label: string } {
  const { year, month, day, hour, minute } = localTime(instant, timezone);
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const label = `${day}-${MONTHS[month - 1]}-${year}`;
  if (interval !== 'hour' && interval !== 'minute') return { day: date, label };
  return { day: `${date} ${two(hour)}:${two(minute)}:00`, label: `${label} ${two(hour)}:${two(minute)}` };
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
