import type { Json } from '../json/kinds.ts';
import { field, readState, textField } from './answer.ts';
import { type Interval, instantOf, isTimeZone, localTime, shift } from './calendar.ts';

/** `open`: it has begun and is not over, so that its figure is still to change. */
export type IntervalState = 'over' | 'open' | 'to-come';

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

type Question = { readonly query?: Json | undefined; readonly filters?: Json | undefined };

/**
 * The timeline of an insight's answer. The service tells the project's time zone with it; without one its days are
 * read as UTC. `now` is the service's time.
 */
export function timelineOf(answer: Json, question: Question, now: number): Timeline {
  const query = question.query ?? field(answer, 'query');
  const source = field(query, 'source') ?? query;
  const filters = question.filters ?? field(answer, 'filters');
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

const DAY = 86_400_000;

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
