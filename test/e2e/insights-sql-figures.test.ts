import { describe, expect, it } from 'vitest';
import { at, NOW } from '../support/dated-insight.ts';

type Rows = readonly (readonly unknown[])[];

type Table = {
  readonly sql: string;
  readonly rows: Rows;
  readonly types?: readonly (readonly string[])[];
  readonly timezone?: string;
};

/** An SQL insight with the columns day and c. */
const check = async ({ sql, rows, types, timezone = 'UTC' }: Table, options: string) => {
  const columns = ['day', 'c', 'x'].slice(0, rows[0]?.length);
  const insight = {
    query: { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: sql } },
    result: rows,
    columns,
    types,
    timezone,
  };
  const { hogctl } = await at(NOW, insight);
  const { code, stderr } = await hogctl(`insights check 9 ${options}`);
  return { code, stderr };
};

describe('numbers that come as text', () => {
  const rows = [
    ['2026-11-26', '7100', '12.50'],
    ['2026-11-27', '7600', '12.75'],
  ];
  const sql = 'select toDate(timestamp) day, count() c, sum(amount) x from events group by day';
  const types = [
    ['day', 'Date'],
    ['c', 'UInt64'],
    ['x', 'Decimal(18, 2)'],
  ];

  it('are numbers if the answer calls their column so', async () => {
    const table = { sql, rows, types };
    expect(await check(table, "--series c --expect 'last >= 7600'")).toMatchObject({ code: 0 });
    expect(await check(table, "--series x --expect 'sum == 25.25'")).toMatchObject({ code: 0 });
    expect(await check(table, "--series c --expect 'last > 7600'")).toMatchObject({ code: 9 });
  });

  it('are called text if it does not', async () => {
    expect(await check({ sql, rows }, "--expect 'last >= 7000'")).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('has no figures: the columns "day", "c", "x" hold text'),
    });
    const mixed = rows.map(([day, c]) => [day, c, 1]);
    expect(await check({ sql, rows: mixed }, "--series c --expect 'last >= 7000'")).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('the column "c" holds text, not numbers'),
    });
  });
});

describe('the intervals of SQL', () => {
  const of = (expression: string, where = '') =>
    `select ${expression} as day, count() as c from events ${where} group by day order by day`;
  const past = "where timestamp < '2026-11-28'";

  it.each([
    ['quarters', of('toStartOfQuarter(timestamp)'), ['2026-04-01', '2026-07-01', '2026-10-01'], '2026-07-01'],
    ['years', of('toStartOfYear(timestamp)'), ['2024-01-01', '2025-01-01', '2026-01-01'], '2025-01-01'],
    ['years of numbers', of('toYear(timestamp)'), [2024, 2025, 2026], '2025'],
    ['months of numbers', of('toYYYYMM(timestamp)'), [202609, 202610, 202611], '202610'],
    ['days of numbers', of('toYYYYMMDD(timestamp)'), [20261126, 20261127, 20261128], '20261127'],
    [
      'ISO weeks',
      of("formatDateTime(timestamp, '%G-W%V')"),
      ['2026-W46', '2026-W47', '2026-W48'],
      '2026-W47',
    ],
    ['weeks of numbers', of('toYearWeek(timestamp, 3)'), [202646, 202647, 202648], '202647'],
    ['Mondays', of('toMonday(timestamp)'), ['2026-11-16', '2026-11-23'], '2026-11-16'],
    ['weeks', of("dateTrunc('week', timestamp)"), ['2026-11-16', '2026-11-23'], '2026-11-16'],
    ['quarters by name', of("date_trunc('quarter', timestamp)"), ['2026-07-01', '2026-10-01'], '2026-07-01'],
    [
      'two weeks',
      of('toStartOfInterval(timestamp, INTERVAL 2 WEEK)'),
      ['2026-11-02', '2026-11-16'],
      '2026-11-02',
    ],
    [
      'six hours',
      of('toStartOfInterval(timestamp, toIntervalHour(6))'),
      ['2026-11-28 00:00:00', '2026-11-28 06:00:00'],
      '2026-11-28',
    ],
    [
      'quarters of an hour',
      of('toStartOfFifteenMinutes(timestamp)'),
      ['2026-11-28 08:30:00', '2026-11-28 08:45:00', '2026-11-28 09:00:00'],
      '2026-11-28 08:45:00',
    ],
    [
      'a month beside a day in its condition',
      of('toStartOfMonth(timestamp)', "where toDate(timestamp) > '2026-01-01'"),
      ['2026-10-01', '2026-11-01'],
      '2026-10-01',
    ],
    ['days', of('toDate(timestamp)'), ['2026-10-01', '2026-11-01', '2026-11-28'], '2026-11-01'],
    [
      'quarters by their days',
      of('period'),
      ['2026-01-01', '2026-04-01', '2026-07-01', '2026-10-01'],
      '2026-07-01',
    ],
  ])('are %s', async (_, sql, days, found) => {
    const rows = days.map((day, index) => [day, index === days.length - 1 ? 1 : 100]);
    const { code, stderr } = await check({ sql, rows }, "--expect 'last >= 1000'");
    expect([code, stderr]).toEqual([9, expect.stringContaining(`last is 100 on ${found}\n`)]);
  });

  it.each([
    ['Pacific/Auckland', "toStartOfDay(timestamp, 'Pacific/Auckland')", 'last is 1 on 2026-11-28'],
    ['America/Los_Angeles', "toDate(timestamp, 'America/Los_Angeles')", 'last is 100 on 2026-11-26'],
  ])(
    'are over in the zone of the statement and in that of the project: %s',
    async (zone, expression, found) => {
      const days = zone === 'Pacific/Auckland' ? ['2026-11-27', '2026-11-28'] : ['2026-11-26', '2026-11-27'];
      const rows = days.map((day, index) => [day, index === 0 ? 100 : 1]);
      const types =
        zone === 'Pacific/Auckland'
          ? [
              ['day', `DateTime('${zone}')`],
              ['c', 'UInt64'],
            ]
          : undefined;
      const last_refresh = '2026-11-28T07:30:00Z';
      const insight = {
        query: { kind: 'HogQLQuery', query: of(expression) },
        result: rows,
        columns: ['day', 'c'],
        types,
        last_refresh,
      };
      // At half past seven in UTC the 27th is not over in Los Angeles; at noon the 28th is over in Auckland.
      const date = zone === 'Pacific/Auckland' ? '2026-11-28T12:00:00Z' : '2026-11-28T07:30:00Z';
      const { hogctl } = await at(date, { ...insight, last_refresh: date });
      const { stderr } = await hogctl("insights check 9 --expect 'last >= 1000'");
      expect(stderr).toContain(found);
    },
  );

  it.each([
    [
      'a number of days before now',
      of('toStartOfWeek(timestamp)', 'where timestamp >= now() - interval 30 day'),
    ],
    ['by a function', of('toStartOfWeek(timestamp)', 'where timestamp > subtractDays(now(), 30)')],
    ['by toIntervalDay', of('toStartOfWeek(timestamp)', 'where timestamp > now() - toIntervalDay(30)')],
    ['days before today', of('toStartOfWeek(timestamp)', 'where toDate(timestamp) >= today() - 30')],
    ['a date', of('toStartOfWeek(timestamp)', "where timestamp >= toDateTime('2026-10-28 00:00:00')")],
    [
      'between two dates',
      of('toStartOfWeek(timestamp)', "where timestamp between '2026-10-28' and '2026-11-22'"),
    ],
  ])('are cut at the front by %s', async (_, sql) => {
    const days = ['2026-10-25', '2026-11-01', '2026-11-08', '2026-11-15'];
    const rows = days.map((day, index) => [day, index === 0 ? 40 : 70]);
    const { code, stderr } = await check({ sql, rows }, "--expect 'min >= 60'");
    expect([code, stderr]).toEqual([0, expect.stringContaining('covers only a part of it: 2026-10-25.')]);
  });

  it.each([
    'toISOWeek(timestamp)',
    'toMonth(timestamp)',
    'toHour(timestamp)',
    "formatDateTime(timestamp, '%d.%m.')",
  ])('are not known without a date that can be read: %s', async (expression) => {
    const rows = [
      [46, 100],
      [47, 100],
      [48, 1],
    ];
    const table = { sql: of(expression), rows };
    for (const expected of ['last <= 1', 'drop <= 100%', 'first == 100'])
      expect(await check(table, `--series c --expect '${expected}'`)).toMatchObject({
        code: 9,
        stderr: expect.stringContaining('its rows name no date that can be read'),
      });
    expect(await check(table, "--series c --expect 'max == 100'")).toMatchObject({ code: 0 });
  });

  it('are those of the year beside a week', async () => {
    const sql =
      'select toISOYear(timestamp) as day, toISOWeek(timestamp) as x, count() as c from events group by day, x';
    const rows = [
      [2026, 47, 100],
      [2026, 48, 1],
    ];
    expect(await check({ sql, rows }, "--expect 'last <= 1'")).toMatchObject({ code: 9 });
  });

  it('are cut at the end by a date', async () => {
    const sql = of('toStartOfMonth(timestamp)', "where timestamp < '2026-10-20'");
    const rows = [
      ['2026-08-01', 70],
      ['2026-09-01', 70],
      ['2026-10-01', 21],
    ];
    expect(await check({ sql, rows }, "--expect 'last == 70'")).toMatchObject({ code: 0 });
  });

  it('are whole where the range begins with one', async () => {
    const sql = of('toDate(timestamp)', `${past} and timestamp >= '2026-11-25'`);
    const rows = [
      ['2026-11-25', 40],
      ['2026-11-26', 70],
      ['2026-11-27', 70],
    ];
    expect(await check({ sql, rows }, "--expect 'first == 40'")).toMatchObject({ code: 0, stderr: '' });
  });

  it('are not ordered if several rows are of one, and are read of the column that is rounded', async () => {
    const several = [
      ['2026-11-26', 'DE', 200],
      ['2026-11-27', 'AT', 1],
      ['2026-11-27', 'DE', 200],
    ];
    const sql = 'select toDate(timestamp) day, properties.country c, count() x from events group by day, c';
    expect(await check({ sql, rows: several }, "--expect 'last >= 100' --expect 'sum == 401'")).toEqual({
      code: 9,
      stderr: expect.stringContaining(
        'expected last >= 100 for "x", but several rows have the same day, so none is known to be the last',
      ),
    });
    const beside = several.map(([day, , x], index) => [
      `2026-11-2${6 + index}T09:10:01Z`,
      `2026-11-2${6 + index}`,
      day && x,
    ]);
    const newest = 'select max(timestamp) day, toDate(timestamp) c, count() x from events group by c';
    expect(await check({ sql: newest, rows: beside }, "--expect 'last <= 1'")).toMatchObject({ code: 0 });
  });

  it.each([
    ['sum(n) over (order by day) as c', 9, 'drop is 100% from 2026-11-26 to 2026-11-27, of a running total'],
    [
      'sum(if(n > 1, 1, 0)) OVER (PARTITION BY 1 ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) c',
      9,
      '',
    ],
    ['sum(n) over (order by day rows between 6 preceding and current row) as c', 0, ''],
    ['sum(n) over w as c', 9, ''],
    ['lag(n) over (order by day) as c', 0, ''],
  ])('add up to running totals by a window: %s', async (column, code, said) => {
    const sql = `select day, ${column} from (select toDate(timestamp) day, count() n from events group by day) window w as (order by day)`;
    const rows = [
      ['2026-11-25', 100],
      ['2026-11-26', 101],
      ['2026-11-27', 101],
    ];
    expect(await check({ sql, rows }, '--max-drop 20%')).toEqual({
      code,
      stderr: expect.stringContaining(said),
    });
  });

  it('are told if they have no row', async () => {
    const rows = [
      ['2026-11-20', 200],
      ['2026-11-21', 200],
      ['2026-11-23', 200],
    ];
    expect(await check({ sql: of('toDate(timestamp)'), rows }, '--max-drop 20%')).toEqual({
      code: 0,
      stderr: 'Intervals without a row do not count; they are missing after 2026-11-21, 2026-11-23.\n',
    });
  });
});
