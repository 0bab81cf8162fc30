import { describe, expect, it } from 'vitest';
import { at, daily, NOW } from '../support/dated-insight.ts';

const run = async (insight: object, line: string) => {
  const { hogctl } = await at(NOW, insight);
  const { code, stdout, stderr } = await hogctl(line);
  return { code, stdout, stderr };
};
const check = (insight: object, options: string) => run(insight, `insights check 9 ${options}`);

const trend = (about: object, result: readonly object[], beyond: object = {}) => ({
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', ...about } },
  result,
  ...beyond,
});

describe('a new calculation that was asked for', () => {
  const old = { ...daily([100, 100], 16), last_refresh: '2026-11-17T10:00:00Z', is_cached: true };
  const minutesAgo = { ...daily([100, 100], 26), last_refresh: '2026-11-28T09:50:00Z', is_cached: true };

  it.each([
    ['--refresh', old, 9],
    ['--refresh force_blocking', old, 9],
    ['', old, 0],
    ['--refresh force_cache', old, 0],
    ['--refresh', minutesAgo, 0],
    ['--refresh force_blocking', minutesAgo, 9],
  ])('does not pass with an older one: %s', async (refresh, insight, code) => {
    expect(await check(insight, `${refresh} --expect 'last >= 100'`)).toMatchObject({ code });
  });

  it('names the one that came, and is told with the figures too', async () => {
    const { stderr } = await check(old, "--refresh force_blocking --expect 'last >= 100'");
    expect(stderr).toContain(
      'a new calculation of insight 9 (Ab12) was asked for, and the service answered with the one of 2026-11-17T10:00:00Z',
    );
    const got = await run(old, 'insights get 9 --refresh -o csv');
    expect(got).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the one of 2026-11-17T10:00:00Z'),
    });
  });
});

describe('an interval that the range cuts', () => {
  const weeks = ['2026-10-25', '2026-11-01', '2026-11-08', '2026-11-15', '2026-11-22'];
  const weekly = (range: object, beyond: object = {}) =>
    trend(
      { interval: 'week', ...range },
      [{ label: 'signup', data: [40, 70, 71, 69, 70], days: weeks }],
      beyond,
    );
  const resolved = { date_from: '2026-10-28T00:00:00Z', date_to: '2026-11-28T23:59:59Z' };

  it.each([
    ['told by the service', weekly({}, { resolved_date_range: resolved })],
    ['asked for as a day', weekly({ dateRange: { date_from: '2026-10-28' } })],
    ['asked for as a number of days', weekly({ dateRange: { date_from: '-31d' } })],
  ])('does not count at the front: %s', async (_, insight) => {
    expect(await check(insight, "--expect 'min >= 60' --expect 'first == 70'")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Not counted, since the range covers only a part of it: 2026-10-25.'),
    });
    expect(await check(insight, "--expect 'last >= first'")).toMatchObject({ code: 9 });
  });

  it('counts if the range covers it', async () => {
    const whole = weekly({ dateRange: { date_from: '2026-10-25' } });
    expect(await check(whole, "--expect 'first == 40'")).toMatchObject({ code: 0 });
  });

  it('does not count at the end', async () => {
    const insight = trend(
      { interval: 'week', dateRange: { date_from: '2026-11-01', date_to: '2026-11-10' } },
      [{ label: 'signup', data: [70, 21], days: ['2026-11-01', '2026-11-08'] }],
    );
    expect(await check(insight, "--expect 'last >= 60'")).toMatchObject({ code: 0 });
  });

  it('is marked in a table and named below a chart', async () => {
    const insight = weekly({}, { resolved_date_range: resolved });
    const table = await run(insight, 'insights get 9 -o table --no-chart');
    expect(table.stdout).toMatch(/2026-10-25 +40\*/);
    expect(table.stderr).toContain('* is not over yet, or cut by the range.');
    const chart = await run(insight, 'insights get 9 --chart');
    expect(chart.stdout).toContain('The range begins within 2026-10-25.');
  });
});

describe('a running total', () => {
  const display = { trendsFilter: { display: 'ActionsLineGraphCumulative' } };
  const days = [22, 23, 24, 25, 26, 27].map((day) => `2026-11-${day}`);
  const total = trend(display, [{ label: 'signup', data: [100, 200, 300, 400, 401, 401], days }]);

  it.each([
    ['--max-drop 20%', 9],
    ["--expect 'change > -50%'", 9],
    ["--expect 'last >= first'", 9],
    ["--expect 'last >= previous * 0.8'", 9],
    ["--expect 'sum >= 1000'", 9],
    ["--expect 'sum == 401'", 0],
    ["--expect 'mean > 66'", 0],
    ["--expect 'last >= 401'", 0],
  ])('is judged by what each interval adds: %s', async (options, code) => {
    expect(await check(total, options)).toMatchObject({ code });
  });

  it('is called one', async () => {
    const { stderr } = await check(total, '--max-drop 20%');
    expect(stderr).toContain('drop is 100% from 2026-11-26 to 2026-11-27, of a running total');
  });

  it('is one for each value of a breakdown', async () => {
    const broken = trend(display, [
      { label: 'NO', breakdown_value: 'NO', data: [10, 20, 30], days: days.slice(3) },
      { label: 'SE', breakdown_value: 'SE', data: [10, 20, 20], days: days.slice(3) },
    ]);
    expect(await check(broken, '--breakdown NO --max-drop 20%')).toMatchObject({ code: 0 });
    expect(await check(broken, '--breakdown SE --max-drop 20%')).toMatchObject({ code: 9 });
  });
});

describe('conversion windows', () => {
  const funnel = (filter: object, beyond: object) => ({
    query: {
      kind: 'InsightVizNode',
      source: { kind: 'FunnelsQuery', funnelsFilter: filter, dateRange: { date_from: '-30d' } },
    },
    ...beyond,
  });
  const days = ['2026-11-10', '2026-11-11', '2026-11-12', '2026-11-25', '2026-11-26', '2026-11-27'];
  const rates = { result: [{ data: [40, 41, 40, 22, 12, 3], days }] };

  it.each([
    ['of two weeks unless the query says otherwise', {}, 'last is 40 on 2026-11-12'],
    ['of a day', { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'day' }, 'last is 12 on 2026-11-26'],
  ])('keep the days of a funnel open: %s', async (_, filter, found) => {
    const insight = funnel({ funnelVizType: 'trends', ...filter }, rates);
    expect(await check(insight, "--expect 'last > 100'")).toMatchObject({
      code: 9,
      stderr: expect.stringContaining(found),
    });
  });

  it('are told with a funnel of steps', async () => {
    const steps = [100, 40].map((count, order) => ({ order, name: `s${order}`, count }));
    const insight = funnel({}, { result: steps });
    const said = 'People who began since 2026-11-14 may still convert.';
    expect((await check(insight, "--expect 'conversion >= 30'")).stderr).toContain(said);
    const past = funnel(
      {},
      { result: steps, resolved_date_range: { date_from: '2026-09-01', date_to: '2026-10-01' } },
    );
    expect((await check(past, "--expect 'conversion >= 30'")).stderr).toBe('');
  });
});

describe('stickiness', () => {
  const sticky = (range: object) => ({
    query: { kind: 'StickinessQuery', dateRange: range },
    result: [{ label: 'signup', data: [50, 20, 5], days: [1, 2, 3] }],
  });

  it('says that its range is not over', async () => {
    const said = 'The figures are of a range that is not over.';
    const open = await check(sticky({ date_from: '-3d' }), "--expect 'last >= 6'");
    expect(open.stderr).toContain('last is 5 on 3 intervals');
    expect(open.stderr).toContain(said);
    const past = sticky({ date_from: '2026-11-20', date_to: '2026-11-22' });
    expect((await check(past, "--expect 'last >= 5'")).stderr).not.toContain(said);
  });
});

describe('sampled figures', () => {
  it.each([
    [trend({ samplingFactor: 0.1 }, daily([100, 100]).result), '10%'],
    [trend({ samplingFactor: 0.25, trendsFilter: { formula: 'A/B' } }, daily([100, 100]).result), '25%'],
    [{ query: { kind: 'HogQLQuery', query: 'select count() from events SAMPLE 1/4' }, result: [[7]] }, '25%'],
  ])('are called so', async (insight, percent) => {
    const said = `The figures are extrapolated from a sample of ${percent}.`;
    expect((await check(insight, "--expect 'last > 0'")).stderr).toContain(said);
    expect((await run(insight, 'insights get 9')).stderr).toContain(said);
  });
});

describe('series that people renamed', () => {
  const nodes = ['Web signups', 'App signups'].map((custom_name) => ({ kind: 'EventsNode', custom_name }));
  const days = ['2026-11-26', '2026-11-27'];
  const renamed = trend({ series: nodes }, [
    { label: 'signup', data: [10, 11], days, action: { order: 0, custom_name: 'Web signups' } },
    { label: 'signup', data: [1, 2], days, action: { order: 1, custom_name: 'App signups' } },
  ]);

  it.each([
    ['App signups', 'last == 2', 0],
    ['B', 'last == 2', 0],
    ['2', 'last == 2', 0],
    ['A', 'last == 11', 0],
    ['signup', 'last == 11', 9],
    ['C', 'last == 2', 9],
  ])('are chosen by name, letter or number: %s', async (series, expected, code) => {
    expect(await check(renamed, `--series '${series}' --expect '${expected}'`)).toMatchObject({ code });
  });

  it('are reported and shown by their own names', async () => {
    const { stderr } = await check(renamed, "--expect 'last > 99'");
    expect(stderr).toContain('for "Web signups", but last is 11');
    const { stdout } = await run(renamed, 'insights get 9 -o table --no-chart');
    expect(stdout).toContain('App signups');
    const csv = await run(renamed, 'insights get 9 -o csv');
    expect(csv.stdout.split('\n')[0]).toContain('label,custom_name');
    const chart = await run(renamed, 'insights get 9 --chart');
    expect(chart.stdout).toContain('Web signups');
  });
});

describe('funnels by cohort', () => {
  const steps = (breakdown: string, value: number, counts: readonly number[]) =>
    counts.map((count, order) => ({ order, name: `s${order}`, count, breakdown, breakdown_value: value }));
  const insight = {
    query: {
      kind: 'FunnelsQuery',
      dateRange: { date_to: '2026-10-01' },
      breakdownFilter: { breakdown: [3, 'all'], breakdown_type: 'cohort' },
    },
    result: [steps('Big spenders', 3, [10, 5]), steps('all users', 0, [100, 20])],
  };

  it('carry the name of the cohort', async () => {
    const { stdout } = await run(insight, 'insights get 9 -o table --no-chart');
    expect(stdout).toContain('Big spenders');
    expect(stdout).toContain('all users');
    expect((await run(insight, 'insights get 9 --chart')).stdout).toContain('all users');
    const { code } = await check(insight, "--breakdown 'Big spenders' --expect 'conversion == 50'");
    expect(code).toBe(0);
    expect(await check(insight, "--breakdown 3 --expect 'conversion == 50'")).toMatchObject({ code: 0 });
  });
});

describe('figures of unusual questions', () => {
  const days = ['2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27'];
  const of = (about: object, label = 'a') => trend(about, [{ label, data: [1, 20, 30, 40], days }]);
  const asked = (kind: string, filter: object, result: readonly object[]) => ({
    query: { kind: 'InsightVizNode', source: { kind, ...filter } },
    result,
  });
  const retained = (retentionFilter: object, labels: readonly string[]) =>
    asked('RetentionQuery', { retentionFilter: { period: 'Day', ...retentionFilter } }, [
      {
        date: '2026-11-20T00:00:00Z',
        label: 'Day 0',
        values: labels.map((label, index) => ({ label, count: 10 - index })),
      },
    ]);
  const sticky = asked('StickinessQuery', { stickinessFilter: { computedAs: 'cumulative' } }, [
    { label: 'a', data: [100, 90, 80], days: [1, 2, 3] },
  ]);
  const series = [{ event: 'a', custom_name: 'Sign-ups' }];

  it.each([
    [
      'a mean of intervals',
      of({ trendsFilter: { smoothingIntervals: 7 } }),
      'last >= 40',
      0,
      'is the mean of 7 intervals',
    ],
    [
      'a mean of an interval that is cut, too',
      of({ trendsFilter: { smoothingIntervals: 2 }, dateRange: { date_from: '2026-11-24T12:00:00Z' } }),
      'first == 30',
      0,
      'only a part of it: 2026-11-24, 2026-11-25.',
    ],
    [
      'a range that is not rounded to days',
      of({ dateRange: { date_from: '-4d', date_to: '-1d', explicitDate: true } }),
      'last == 30',
      0,
      'only a part of it: 2026-11-24, 2026-11-27.',
    ],
    [
      'a name that is of a series, not of its formula',
      of({ series, trendsFilter: { formula: 'A*2' } }),
      'last < 40',
      9,
      '"a"',
    ],
    [
      'the name of a formula',
      of({ series, trendsFilter: { formulaNodes: [{ formula: 'A*2', custom_name: 'Rate' }] } }),
      'last < 40',
      9,
      '"Rate"',
    ],
    ['stickiness that is summed up', sticky, 'sum > 100', 9, 'sum is 100, of a running total'],
    [
      'several intervals of a retention, which are not over',
      retained({ retentionCustomBrackets: [1, 3, 7] }, ['Day 0', 'Day 1', 'Day 2-4', 'Day 5-11']),
      'last == 8',
      0,
      'Day 5-11 of 2026-11-20',
    ],
    [
      'windows of 24 hours, which end a day later',
      retained(
        { timeWindowMode: '24_hour_windows' },
        [0, 1, 2, 3, 4, 5, 6, 7].map((day) => `Day ${day}`),
      ),
      'last == 4',
      0,
      'Day 7 of 2026-11-20',
    ],
    [
      'a property of those who came back',
      retained({ aggregationType: 'sum' }, ['Day 0']),
      'last == 10',
      0,
      'count people',
    ],
    [
      'those who came back at any later time',
      retained({ cumulative: true }, ['Day 0']),
      'last == 10',
      0,
      'still grows',
    ],
  ])('are told or not counted: %s', async (_, insight, expected, code, said) => {
    expect(await check(insight, `--expect '${expected}'`)).toMatchObject({
      code,
      stderr: expect.stringContaining(said),
    });
  });
});
