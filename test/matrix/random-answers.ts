/** Small numbers that are the same in every run. */
export function dice(seed: number) {
  let state = seed;
  return (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * (most + 1));
  };
}

export const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export const NOW = Date.UTC(2026, 10, 28, 10, 30);

/** One series as it is meant: values that count, and what each interval of a running total adds. */
export type Meant = {
  readonly series: string | null;
  readonly values: readonly (number | null)[];
  readonly own?: readonly (number | null)[];
  readonly conversion?: number | null;
};

type Case = { readonly answer: object; readonly meant: readonly Meant[] };

const UNITS = ['hour', 'day', 'week', 'month'] as const;

/** Starts of intervals, by plain arithmetic in a zone that is so many minutes ahead of UTC. */
function startsOf(
  unit: (typeof UNITS)[number],
  count: number,
  last: number,
  ahead: number,
): readonly number[] {
  return Array.from({ length: count + 1 }, (_, index) => {
    const back = count - 1 - index + last;
    const local = new Date(NOW + ahead * 60_000);
    const [year, month, date] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
    if (unit === 'month') return Date.UTC(year, month - back, 1) - ahead * 60_000;
    if (unit === 'week') return Date.UTC(year, month, date - local.getUTCDay() - 7 * back) - ahead * 60_000;
    if (unit === 'day') return Date.UTC(year, month, date - back) - ahead * 60_000;
    return Date.UTC(year, month, date, local.getUTCHours() - back) - ahead * 60_000;
  });
}

const write = (instant: number, unit: string, ahead: number) => {
  const text = new Date(instant + ahead * 60_000).toISOString();
  return unit === 'hour' ? `${text.slice(0, 10)} ${text.slice(11, 19)}` : text.slice(0, 10);
};

/** A range of intervals, of which some are cut, open or to come; `window` keeps figures open. */
function timed(
  roll: (most: number) => number,
  { window = 0, units = UNITS as readonly (typeof UNITS)[number][] } = {},
) {
  const unit = units[roll(units.length - 1)] ?? 'day';
  const ahead = [0, 330][roll(1)] ?? 0;
  const count = 3 + roll(6);
  const starts = startsOf(unit, count, roll(3) - 1, ahead);
  const at = NOW - roll(3) * HOUR;
  const isCut = roll(1) === 1;
  const [first = 0, second = 0] = starts;
  const from = isCut ? first + Math.floor((second - first) / 2) : first;
  const counts = starts.slice(0, -1).map((start, index) => {
    const end = starts[index + 1] ?? 0;
    return end + window <= at && !(start < from && from < end);
  });
  return {
    unit,
    count,
    counts,
    isCut,
    days: starts.slice(0, -1).map((start) => write(start, unit, ahead)),
    about: {
      timezone: ahead === 0 ? 'UTC' : 'Asia/Kolkata',
      last_refresh: new Date(at).toISOString(),
      resolved_date_range: { date_from: new Date(from).toISOString() },
    },
  };
}

const figures = (roll: (most: number) => number, count: number) =>
  Array.from({ length: count }, () => (roll(19) === 0 ? null : roll(60)));

const kept = <Value>(values: readonly Value[], counts: readonly boolean[]) =>
  values.filter((_, index) => counts[index]);

type Make = (roll: (most: number) => number) => Case;

/** Some beside an earlier period, some as means of three intervals: one that holds a cut one is cut, too. */
const trends: Make = (roll) => {
  const { unit, count, counts, isCut, days, about } = timed(roll);
  const names = ['a', 'b'].slice(0, 1 + roll(1));
  const data = names.map(() => figures(roll, count));
  const smoothingIntervals = [1, 1, 3][roll(2)] ?? 1;
  const whole = counts.map((one, index) => one && !(isCut && index < smoothingIntervals));
  const [samplingFactor, periods] = [
    roll(3) === 0 ? 0.5 : 1,
    roll(2) === 0 ? ['current', 'previous'] : [undefined],
  ];
  return {
    answer: {
      ...about,
      query: { kind: 'TrendsQuery', interval: unit, samplingFactor, trendsFilter: { smoothingIntervals } },
      result: names.flatMap((label, index) =>
        periods.map((compare_label) => ({
          label,
          data: compare_label === 'previous' ? figures(roll, count) : data[index],
          days,
          compare_label,
        })),
      ),
    },
    meant: names.map((series, index) => ({ series, values: kept(data[index] ?? [], whole) })),
  };
};

const runningTotals: Make = (roll) => {
  const { unit, count, counts, days, about } = timed(roll);
  const own = Array.from({ length: count }, () => roll(30));
  const data = own.map((_, index) => own.slice(0, index + 1).reduce((sum, one) => sum + one, 0));
  return {
    answer: {
      ...about,
      query: { kind: 'TrendsQuery', interval: unit, trendsFilter: { display: 'ActionsLineGraphCumulative' } },
      result: [{ label: 'a', data, days }],
    },
    meant: [{ series: 'a', values: kept(data, counts), own: kept(own, counts) }],
  };
};

const lifecycles: Make = (roll) => {
  const { unit, count, counts, days, about } = timed(roll);
  const data = ['new', 'dormant'].map(() => figures(roll, count).map((one) => one ?? 1));
  return {
    answer: {
      ...about,
      query: { kind: 'LifecycleQuery', interval: unit },
      result: ['new', 'dormant'].map((status, index) => ({ status, label: status, days, data: data[index] })),
    },
    meant: ['new', 'dormant'].map((series, index) => ({ series, values: kept(data[index] ?? [], counts) })),
  };
};

const funnelTrends: Make = (roll) => {
  const length = 1 + roll(4);
  const { count, counts, days, about } = timed(roll, { window: length * DAY, units: ['day'] });
  const data = figures(roll, count);
  const filter = { funnelVizType: 'trends', funnelWindowInterval: length, funnelWindowIntervalUnit: 'day' };
  return {
    answer: {
      ...about,
      query: { kind: 'FunnelsQuery', interval: 'day', funnelsFilter: filter },
      result: [{ data, days }],
    },
    meant: [{ series: null, values: kept(data, counts) }],
  };
};

const funnelSteps: Make = (roll) => {
  const first = roll(40);
  const second = roll(first);
  const counts = [first, second, roll(second)];
  const last = counts[2] ?? 0;
  return {
    answer: {
      query: { kind: 'FunnelsQuery' },
      result: counts.map((count, order) => ({ order, name: `s${order}`, count })),
    },
    meant: [
      {
        series: null,
        values: counts,
        conversion: first === 0 ? null : Math.round((last / first) * 10_000) / 100,
      },
    ],
  };
};

const retentions: Make = (roll) => {
  const at = NOW - roll(3) * HOUR;
  const cohorts = Array.from({ length: 2 + roll(3) }, (_, back) => {
    const date = Date.UTC(2026, 10, 28 - back);
    return { date, counts: Array.from({ length: back + 1 + roll(1) }, () => roll(30)) };
  });
  return {
    answer: {
      last_refresh: new Date(at).toISOString(),
      query: { kind: 'RetentionQuery', retentionFilter: { period: 'Day' } },
      result: cohorts.map(({ date, counts }) => ({
        date: new Date(date).toISOString(),
        label: 'Day 0',
        values: counts.map((count, day) => ({ count, label: `Day ${day}` })),
      })),
    },
    meant: cohorts.map(({ date, counts }) => ({
      series: new Date(date).toISOString(),
      values: counts.filter((_, day) => date + (day + 1) * DAY <= at),
    })),
  };
};

const undated =
  (query: object, toResult: (values: readonly number[]) => object, series: string | null): Make =>
  (roll) => {
    const values = Array.from({ length: 1 + roll(5) }, () => roll(60));
    return { answer: { query, ...toResult(values) }, meant: [{ series, values }] };
  };

const stickiness = undated(
  { kind: 'StickinessQuery' },
  (data) => ({ result: [{ label: 'a', data, days: data.map((_, index) => index + 1) }] }),
  'a',
);

const times = undated(
  { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'time_to_convert' } },
  (values) => ({
    result: { bins: values.map((value, index) => [index * 60, value]), average_conversion_time: 5 },
  }),
  null,
);

const singles =
  (toAnswer: (value: number) => object, series: string | null): Make =>
  (roll) => {
    const value = roll(60);
    return { answer: toAnswer(value), meant: [{ series, values: [value] }] };
  };

const totals = singles(
  (aggregated_value) => ({
    query: { kind: 'TrendsQuery', trendsFilter: { display: 'BoldNumber' } },
    result: [{ label: 'a', aggregated_value, data: [] }],
  }),
  'a',
);

const paths = singles(
  (value) => ({ query: { kind: 'PathsQuery' }, result: [{ source: '1_a', target: '2_b', value }] }),
  '1_a -> 2_b',
);

const correlations = singles(
  (odds_ratio) => ({
    query: { kind: 'FunnelCorrelationQuery' },
    result: { events: [{ event: { event: 'a' }, odds_ratio, success_count: 1, failure_count: 1 }] },
  }),
  'a',
);

const boxPlots: Make = (roll) => {
  const { count, counts, days, about } = timed(roll, { units: ['day'] });
  const medians = Array.from({ length: count }, () => roll(60));
  return {
    answer: {
      ...about,
      query: { kind: 'TrendsQuery', trendsFilter: { display: 'BoxPlot' } },
      result: [],
      boxplot_data: days.map((day, index) => ({
        day,
        series_label: 'a',
        min: 0,
        median: medians[index],
        max: 99,
      })),
    },
    meant: [{ series: 'a', values: kept(medians, counts) }],
  };
};

const ROUNDINGS = {
  hour: 'toStartOfHour',
  day: 'toStartOfDay',
  week: 'toStartOfWeek',
  month: 'toStartOfMonth',
};

/** Some are running totals, by a window over the rows. */
const statements: Make = (roll) => {
  const { unit, count, counts, days, about } = timed(roll);
  const own = Array.from({ length: count }, () => roll(60));
  const isRunning = roll(2) === 0;
  const values = own.map((one, index) =>
    isRunning ? own.slice(0, index + 1).reduce((sum, each) => sum + each, 0) : one,
  );
  const from = about.resolved_date_range.date_from.slice(0, 19).replace('T', ' ');
  const asText = roll(1) === 1;
  const rows = days.map((day, index) => [day, asText ? String(values[index]) : values[index]]);
  const counted = isRunning ? 'sum(count()) over (order by day) as c' : 'count() c';
  return {
    answer: {
      ...about,
      timezone: about.timezone,
      query: {
        kind: 'HogQLQuery',
        query: `select ${ROUNDINGS[unit]}(timestamp) day, ${counted} from events where timestamp >= '${from}Z' group by day`,
      },
      // A query may have any order.
      result: roll(1) === 1 ? rows.toReversed() : rows,
      columns: ['day', 'c'],
      types: [
        ['day', 'Date'],
        ['c', 'UInt64'],
      ],
    },
    meant: [{ series: 'c', values: kept(values, counts), ...(isRunning && { own: kept(own, counts) }) }],
  };
};

export const KINDS = {
  trends,
  runningTotals,
  lifecycles,
  funnelTrends,
  funnelSteps,
  retentions,
  stickiness,
  times,
  totals,
  paths,
  correlations,
  boxPlots,
  statements,
};
