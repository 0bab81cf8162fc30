import type { DateRange, DateSelection } from './date-range.ts';
import type { Calendar } from './interval.ts';
import { readDate } from './relative-date.ts';
import { instantOf, localTime } from './time-zone.ts';

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
