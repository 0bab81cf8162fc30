import { invalidRequest } from '../invalid-request.ts';
import { type Calendar, startOf } from './interval.ts';
import { instantOf, type LocalTime, localTime } from './time-zone.ts';

/**
 * A date of a request. `instant` is what the text names, for whole days their first instant; `whole` says how much
 * time it names, so that an end can include it.
 */
type NamedDate = {
  readonly instant: number;
  readonly whole: 'day' | 'instant';
  readonly relative: boolean;
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
    return { instant, whole: hour === undefined ? 'day' : 'instant', relative: false };
  }
  return {
    instant: instantOf({ ...local, ...time }, 'UTC') - zoneOffset(zone),
    whole: 'instant',
    relative: false,
  };
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
    return { instant: start, whole: 'instant', relative: true };
  }
  const letter = unit.toLowerCase();
  const moved = move(localTime(reader.now, reader.timezone), letter, amount);
  return {
    instant: instantOf(edge(moved, letter, position, reader), reader.timezone),
    whole: 'day',
    relative: true,
  };
}

function move(local: LocalTime, unit: string, amount: number): LocalTime {
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
