import { invalidRequest } from '../invalid-request.ts';
import type { DateRange } from './date-range.ts';
import { type Calendar, type Interval, shift, startOf } from './interval.ts';
import { localTime } from './time-zone.ts';

/** The periods of a range. `starts[i]` to `starts[i + 1]` (not included) is one; the last entry ends the last. */
export type Periods = {
  readonly interval: Interval;
  readonly count: number;
  readonly starts: readonly number[];
  /** `2024-05-01`, with hours and minutes also the time. */
  readonly days: readonly string[];
  /** For people: `1-May-2024`. */
  readonly labels: readonly string[];
};

const MOST_PERIODS = 50_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Every period that a range touches, the unfinished ones too. Throws a 400 where there would be too many. */
export function periodsOf(range: DateRange, interval: Interval, calendar: Calendar): Periods {
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
    days: written.map(({ day }) => day),
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
