import { isExactNumber, type Json, type JsonObject } from '../../json/kinds.ts';
import { largest, smallest } from '../../json/numbers.ts';
import type { Figures } from '../answer.ts';
import { DAY, type Interval, instantOf, isTimeZone, localTime, shift, startOf } from '../calendar.ts';
import { instantOfDay, type Span, type Timeline } from '../timeline.ts';

/** The intervals of an SQL answer: the column that names them, and the one that begins with each of its values. */
export type SqlIntervals = {
  readonly key: string;
  readonly timeline: Timeline;
  readonly startOf: (row: JsonObject) => number;
  readonly spanOf: (row: JsonObject) => Span;
};

type Unit = { readonly interval: Interval; readonly count: number };

/**
 * Reads the first column that names a day, week, month, quarter or year in every row, else the first of times that are
 * rounded to nothing; undefined without one.
 */
export function sqlIntervals(
  { rows, columns }: Pick<Figures, 'rows' | 'columns'>,
  sql: string,
  timeline: Timeline,
): SqlIntervals | undefined {
  if (rows.length === 0) return undefined;
  let times: SqlIntervals | undefined;
  for (const { key, zone } of columns) {
    const form = FORMS.find(
      ({ needs, read }) =>
        (needs === undefined || needs.test(sql)) && rows.every((row) => read(row[key], 'UTC') !== undefined),
    );
    if (form === undefined) continue;
    const timezone = zone !== undefined && isTimeZone(zone) ? zone : timeline.timezone;
    const start = (row: JsonObject) => form.read(row[key], timezone) ?? 0;
    const starts = rows.map(start).toSorted((left, right) => left - right);
    const unit = form.unit ?? unitOf(starts, sql, timezone);
    const zones = zone === undefined ? [timezone, ...zonesIn(sql)] : [timezone];
    const own = { ...timeline, timezone, ...unit, ...rangeIn(sql, { ...timeline, timezone }) };
    const spanOf = (row: JsonObject) => spanIn(row[key], { form, unit, zones });
    const read = { key, timeline: own, startOf: start, spanOf };
    if (unit !== undefined) return read;
    times ??= read;
  }
  return times;
}

type Form = {
  /** What its statement must hold, where a number or a short text may be anything else. */
  readonly needs?: RegExp;
  /** The interval that it names; undefined if only the statement tells. */
  readonly unit?: Unit;
  readonly read: (value: Json | undefined, timezone: string) => number | undefined;
};

function digitsOf(value: Json | undefined): string {
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

/** A form of digits such as `202611`. */
const digitsAs =
  (pattern: RegExp, read: (parts: readonly number[], timezone: string) => number | undefined) =>
  (value: Json | undefined, timezone: string) => {
    const parts = pattern.exec(digitsOf(value));
    return parts === null ? undefined : read(parts.slice(1).map(Number), timezone);
  };

const inYears = '(19[7-9]\\d|20\\d\\d|21\\d\\d)';

const FORMS: readonly Form[] = [
  { read: (value, timezone) => instantOfDay(value, timezone) },
  {
    unit: { interval: 'week', count: 1 },
    read: digitsAs(new RegExp(`^${inYears}-?W([0-5]\\d)$`), ([year = 0, week = 0], timezone) =>
      startOfIsoWeek(year, week, timezone),
    ),
  },
  {
    unit: { interval: 'quarter', count: 1 },
    read: digitsAs(new RegExp(`^${inYears}[- ]?Q([1-4])$`), ([year = 0, quarter = 1], timezone) =>
      instantOf({ year, month: quarter * 3 - 2, day: 1 }, timezone),
    ),
  },
  {
    needs: /\btoYYYYMMDD\b/i,
    unit: { interval: 'day', count: 1 },
    read: digitsAs(
      new RegExp(`^${inYears}(0[1-9]|1[0-2])([0-3]\\d)$`),
      ([year = 0, month = 1, day = 1], timezone) => instantOf({ year, month, day }, timezone),
    ),
  },
  {
    needs: /\btoYYYYMM\b/i,
    unit: { interval: 'month', count: 1 },
    read: digitsAs(new RegExp(`^${inYears}(0[1-9]|1[0-2])$`), ([year = 0, month = 1], timezone) =>
      instantOf({ year, month, day: 1 }, timezone),
    ),
  },
  {
    needs: /\b(?:toYearWeek|toISOWeek)\b/i,
    unit: { interval: 'week', count: 1 },
    read: digitsAs(new RegExp(`^${inYears}([0-5]\\d)$`), ([year = 0, week = 0], timezone) =>
      startOfIsoWeek(year, week, timezone),
    ),
  },
  {
    needs: /\b(?:toYear|toISOYear|toStartOfYear|date_?trunc|formatDateTime)\b/i,
    unit: { interval: 'year', count: 1 },
    read: digitsAs(new RegExp(`^${inYears}$`), ([year = 0], timezone) =>
      instantOf({ year, month: 1, day: 1 }, timezone),
    ),
  },
];

/** The Monday of a week; the first week of a year is the one with its fourth of January. */
function startOfIsoWeek(year: number, week: number, timezone: string): number {
  const weekday = (new Date(Date.UTC(year, 0, 4)).getUTCDay() + 6) % 7;
  return instantOf({ year, month: 1, day: 4 - weekday + (week - 1) * 7 }, timezone);
}

/** From the earliest start to the latest end, where a statement names zones other than the project's. */
function spanIn(
  value: Json | undefined,
  {
    form,
    unit,
    zones,
  }: { readonly form: Form; readonly unit: Unit | undefined; readonly zones: readonly string[] },
): Span {
  const spans = zones.map((zone): Span => {
    const start = form.read(value, zone) ?? 0;
    // A time that rounds to nothing is no interval, and is over at once.
    return { start, end: unit === undefined ? start : shift(unit.interval, start, unit.count, zone) };
  });
  return {
    start: smallest(spans.map(({ start }) => start)),
    end: largest(spans.map(({ end }) => end)),
  };
}

function zonesIn(sql: string): readonly string[] {
  const named = [...sql.matchAll(/'([A-Za-z]+(?:\/[A-Za-z_+-]+\d*)+|UTC|GMT)'/g)].map(
    ([, name = '']) => name,
  );
  return [...new Set(named)].filter(isTimeZone);
}

const UNITS = 'second|minute|hour|day|week|month|quarter|year';

/** What functions of SQL call the interval that they round to. */
const ROUNDING = new RegExp(
  [
    `\\btoStartOf(?<start>Second|Minute|Hour|Day|Week|Month|Quarter|Year|ISOYear)s?\\b`,
    `\\btoStartOf(?<minutes>Five|Ten|Fifteen)Minutes?\\b`,
    `\\b(?:date_?trunc|timestamp_?trunc)\\s*\\(\\s*'(?<part>\\w+)'`,
    `\\btoStartOfInterval\\b[^]{0,500}?\\b(?:INTERVAL\\s+'?(?<many>\\d+)\\s*(?<unit>${UNITS})s?\\b|toInterval(?<named>\\w+?)\\s*\\(\\s*(?<times>\\d+))`,
    `\\b(?<monday>toMonday)\\b`,
    `\\b(?<slot>timeSlot)\\b`,
    `\\b(?<date>toDate|toYYYYMMDD)\\s*\\(|::\\s*(?<cast>date)\\b`,
  ].join('|'),
  'gi',
);

const MINUTES: Readonly<Record<string, number>> = { five: 5, ten: 10, fifteen: 15 };

function roundingsIn(sql: string): readonly Unit[] {
  return [...sql.matchAll(ROUNDING)].flatMap(({ groups = {} }): readonly Unit[] => {
    const { start, minutes, part, many, unit, named, times, monday, slot } = groups;
    if (minutes !== undefined) return [{ interval: 'minute', count: MINUTES[minutes.toLowerCase()] ?? 1 }];
    if (slot !== undefined) return [{ interval: 'minute', count: 30 }];
    if (monday !== undefined) return [{ interval: 'week', count: 1 }];
    const name = (start ?? part ?? unit ?? named ?? 'day').toLowerCase().replace('iso', '');
    const interval = LARGEST_FIRST.find((one) => one === name);
    return interval === undefined ? [] : [{ interval, count: Number(many ?? times ?? 1) }];
  });
}

const LARGEST_FIRST: readonly Interval[] = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'];

/**
 * The interval that the days of an SQL answer begin: the largest that its text rounds to and all of them fit, else the
 * largest that they all fit. Undefined for times within a minute, which stand for themselves.
 */
function unitOf(starts: readonly number[], sql: string, timezone: string): Unit | undefined {
  const instants = [...new Set(starts)];
  const times = instants.map((instant) => localTime(instant, timezone));
  if (times.some(({ second, millisecond }) => second + millisecond > 0)) return undefined;
  const fitting = LARGEST_FIRST.filter((interval) => FITS[interval](times, instants));
  const told = roundingsIn(sql).toSorted((left, right) => lengthOf(right) - lengthOf(left));
  // If none of them fits, the days are rounded in another zone than they are read in.
  const rounded = told.find(({ interval }) => fitting.includes(interval)) ?? told[0];
  if (rounded !== undefined) return rounded;
  const few: readonly Interval[] = instants.length > 2 ? [] : ['week'];
  const single: readonly Interval[] = instants.length > 1 ? [] : ['month', 'quarter', 'year'];
  const interval = fitting.find((one) => ![...few, ...single].includes(one)) ?? 'minute';
  return { interval, count: 1 };
}

const LENGTHS: Readonly<Record<Interval, number>> = {
  minute: 1,
  hour: 60,
  day: 1440,
  week: 7 * 1440,
  month: 30 * 1440,
  quarter: 91 * 1440,
  year: 365 * 1440,
};

function lengthOf({ interval, count }: Unit): number {
  return LENGTHS[interval] * count;
}

type Times = readonly ReturnType<typeof localTime>[];

const isMidnight = ({ hour, minute }: Times[number]) => hour === 0 && minute === 0;
const isFirst = (time: Times[number]) => time.day === 1 && isMidnight(time);

const FITS: Readonly<Record<Interval, (times: Times, instants: readonly number[]) => boolean>> = {
  minute: () => true,
  hour: (times) => times.every(({ minute }) => minute === 0),
  day: (times) => times.every(isMidnight),
  week: (times, instants) =>
    times.every(isMidnight) &&
    instants.every((instant) => Math.round((instant - (instants[0] ?? 0)) / DAY) % 7 === 0),
  month: (times) => times.every(isFirst),
  quarter: (times) => times.every((time) => isFirst(time) && time.month % 3 === 1),
  year: (times) => times.every((time) => isFirst(time) && time.month === 1),
};

const BOUND = [
  `(?:(?<round>toStartOf\\w+|toDate|toMonday)\\s*\\(\\s*)?`,
  `(?:`,
  `(?:toDateTime(?:64)?\\s*\\(\\s*)?'(?<text>\\d{4}-\\d\\d-\\d\\d(?:[ T]\\d\\d:\\d\\d(?::\\d\\d)?)?Z?)'`,
  `|subtract(?<fewer>${UNITS})s?\\s*\\(\\s*(?<base>now|today)\\(\\)\\s*,\\s*(?<by>\\d+)`,
  `|(?<clock>now|today|yesterday)\\(\\)(?:\\s*-\\s*(?:INTERVAL\\s+'?(?<many>\\d+)\\s*(?<unit>${UNITS})s?\\b|toInterval(?<named>\\w+?)\\s*\\(\\s*(?<times>\\d+)|(?<days>\\d+)))?`,
  `)`,
].join('');

/** Both ends of the time that a statement asks for, as far as it says so of `timestamp`. */
function rangeIn(sql: string, timeline: Timeline): Pick<Timeline, 'from' | 'to'> {
  const read = (sign: string) => {
    const pattern = new RegExp(
      `\\btimestamp\\b[\\s)]{0,20}(?:,[^<>=]{0,80}\\)\\s*)?${sign}\\s*${BOUND}`,
      'gi',
    );
    return [...sql.matchAll(pattern)].map(({ groups = {} }) => boundOf(groups, timeline));
  };
  const [from] = read('(?:>=?|\\bbetween\\b)').filter((one) => one !== undefined);
  const [to] = read('(?:<=?|\\bbetween\\b[^]{0,80}?\\band\\b)').filter((one) => one !== undefined);
  return { from: from ?? timeline.from, to: to ?? timeline.to };
}

function boundOf(
  groups: Readonly<Record<string, string | undefined>>,
  timeline: Timeline,
): number | undefined {
  const { round, text, fewer, base, by, clock, many, unit, named, times, days } = groups;
  const { at, timezone } = timeline;
  const weekStart = 0;
  const midnight = startOf('day', at, { timezone, weekStart });
  let instant: number | undefined;
  if (text !== undefined) instant = instantOfDay(text, timezone);
  else if (clock === 'yesterday') instant = shift('day', midnight, -1, timezone);
  else {
    const word = (fewer ?? unit ?? named ?? 'day').toLowerCase();
    const interval = LARGEST_FIRST.find((one) => one === word);
    const count = Number(by ?? many ?? times ?? days ?? 0);
    const start = (base ?? clock)?.toLowerCase() === 'today' ? midnight : at;
    if (interval !== undefined) instant = before(start, { interval, count }, timezone);
  }
  if (instant === undefined || round === undefined) return instant;
  const rounded = round.replace(/^toStartOf(?:ISO)?/i, '').toLowerCase();
  if (rounded === 'todate') return startOf('day', instant, { timezone, weekStart });
  const interval = LARGEST_FIRST.find((one) => one === rounded);
  // Where weeks begin, the statement does not say.
  if (interval === undefined || interval === 'week') return undefined;
  return startOf(interval, instant, { timezone, weekStart });
}

/** The same time of day so many intervals before. */
function before(instant: number, { interval, count }: Unit, timezone: string): number {
  const midnight = startOf('day', instant, { timezone, weekStart: 0 });
  if (interval === 'minute' || interval === 'hour') return shift(interval, instant, -count, timezone);
  return shift(interval, midnight, -count, timezone) + (instant - midnight);
}
