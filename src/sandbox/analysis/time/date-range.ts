import type { Surroundings } from '../project-settings.ts';
import { type Calendar, type Interval, shift, startOf } from './interval.ts';
import { readDate } from './relative-date.ts';

/** The dates of a request as written; `exact` takes an end with a time of day at its word. */
export type DateSelection = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly exact?: boolean;
};

/** Milliseconds, both ends included. */
export type DateRange = { readonly from: number; readonly to: number };

type RangeReader = Surroundings & {
  readonly calendar: Calendar;
  readonly interval: Interval;
  /** The time of the first event, where `all` begins; undefined where there is no event. */
  readonly earliest: () => number | undefined;
};

/** The calendar of a project: weeks start on Sunday unless the project says otherwise. */
export function calendarOf({ project }: Surroundings, weekStart = 0): Calendar {
  return { timezone: project.timezone, weekStart: project.week_start_day ?? weekStart };
}

/**
 * Turns dates into instants. Without a start it is 00:00 seven days ago, without an end the end of today, both in
 * the project's time zone. An end includes its whole day (with hourly periods and a time of day: its whole hour).
 */
export function resolveRange(dates: DateSelection, reader: RangeReader): DateRange {
  return { from: rangeStart(dates.from, reader), to: rangeEnd(dates, reader) };
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
