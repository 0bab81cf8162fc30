import { describe, expect, it } from 'vitest';
import { at, daily, NOW } from '../support/dated-insight.ts';
import { startService } from '../support/service.ts';

const check = async (insight: object, options: string, date = NOW) => {
  const { hogctl } = await at(date, insight);
  const { code, stdout, stderr } = await hogctl(`insights check 9 ${options}`);
  return { code, text: stdout + stderr };
};

const soFar = daily([100, 100, 100, 8]);
const monthToCome = daily([100, 100, 90, 8, 0, 0, 0]);
const collapse = daily([100, 100, 5, 0, 0, 0, 0]);

describe('figures of intervals that are not over', () => {
  it.each([
    ['a drop, today so far', soFar, '--max-drop 20%', 0],
    ['the last day', soFar, "--expect 'last >= 50'", 0],
    ['the last day with --unfinished', soFar, "--unfinished --expect 'last >= 50'", 9],
    ['a drop with --unfinished', soFar, '--unfinished --max-drop 20%', 9],
    ['a drop, days to come', monthToCome, '--max-drop 20%', 0],
    ['the day before', monthToCome, "--expect 'previous >= 50'", 0],
    ['the mean', monthToCome, "--expect 'mean >= 60'", 0],
    ['the least', monthToCome, "--expect 'min >= 5'", 0],
    ['days to come with --unfinished', monthToCome, "--unfinished --expect 'count == 4'", 0],
    ['a true collapse', collapse, '--max-drop 20%', 9],
  ])('do not count for %s', async (_, insight, options, exit) => {
    expect((await check(insight, options)).code).toBe(exit);
  });

  it('say their day, and which did not count', async () => {
    const { text } = await check(collapse, "--max-drop 20% --expect 'last >= 100'");
    expect(text).toContain('drop is 95% from 2026-11-26 to 2026-11-27');
    expect(text).toContain('last is 5 on 2026-11-27');
    expect(text).toContain('Not counted, since it was not over when it was calculated: 2026-11-28.');
  });

  it('are those that were not over when they were calculated, however long ago', async () => {
    const { code, text } = await check(
      { ...soFar, last_refresh: '2026-11-27T08:00:00Z' },
      "--expect 'last > 0'",
    );
    expect([code, text.includes('last is 100 on 2026-11-26')]).toEqual([0, true]);
  });

  it.each([
    ['Pacific/Auckland', '2026-11-28T12:00:00Z', 'last is 8 on 2026-11-28'],
    ['America/Los_Angeles', '2026-11-29T07:30:00Z', 'last is 100 on 2026-11-27'],
  ])('go by the time zone of the project: %s', async (timezone, date, found) => {
    const last_refresh = date;
    expect((await check({ ...soFar, timezone, last_refresh }, "--expect 'last > 0'", date)).text).toContain(
      found,
    );
  });

  it('are as long as the query says: a month', async () => {
    const insight = {
      query: { kind: 'TrendsQuery', interval: 'month' },
      result: [{ label: 'a', data: [9, 8, 1], days: ['2026-09-01', '2026-10-01', '2026-11-01'] }],
    };
    expect((await check(insight, "--expect 'last > 0'")).text).toContain('last is 8 on 2026-10-01');
  });

  it('of a cohort are those of its own days', async () => {
    const cells = [20, 10, 0].map((count, day) => ({ count, label: `Day ${day}` }));
    const insight = {
      query: { kind: 'RetentionQuery', retentionFilter: { period: 'Day' } },
      result: [{ date: '2026-11-26T00:00:00Z', label: 'Day 0', values: cells }],
    };
    expect((await check(insight, "--expect 'last >= 10'")).text).toContain(
      'last is 10 on Day 1 of 2026-11-26',
    );
  });

  it('are no figures where there are no others', async () => {
    const { code, text } = await check(daily([8], 28), "--expect 'last > 0'");
    expect([code, text.includes('none of its intervals is over')]).toEqual([9, true]);
  });
});

const sql = (results: readonly unknown[], about: object = {}) => ({
  query: { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: 'select day, c from x' } },
  columns: ['day', 'c'],
  result: results,
  hasMore: false,
  ...about,
});

describe('figures of SQL by day', () => {
  const stopped = sql([
    ['2026-11-22', 120],
    ['2026-11-23', 130],
  ]);

  it('name their day, and do not hold where the newest is too old', async () => {
    const { code, text } = await check(
      stopped,
      "--series c --expect 'last >= 100' --max-age 2h --max-lag 2d",
    );
    expect(code).toBe(9);
    expect(text).toContain('last is 130 on 2026-11-23');
    expect(text).toContain('lag is 4d 10h on 2026-11-23');
  });

  it('hold where the newest interval ended lately', async () => {
    expect((await check(stopped, '--max-lag 5d')).code).toBe(0);
    expect((await check(sql([['2026-11-28', 3]]), '--max-lag 1h')).code).toBe(0);
  });

  it('have no lag without days', async () => {
    const { code, text } = await check(sql([['tea', 3]]), '--max-lag 5d');
    expect([code, text.includes('its figures have no days')]).toEqual([9, true]);
  });

  it('are in the order of their days, whatever the query sorts by', async () => {
    const newestFirst = sql([
      ['2026-11-28', 2],
      ['2026-11-27', 5],
      ['2026-11-26', 100],
    ]);
    const { code, text } = await check(newestFirst, '--max-drop 20%');
    expect([code, text.includes('drop is 95% from 2026-11-26 to 2026-11-27')]).toEqual([9, true]);
  });

  it.each([
    [
      'select toStartOfWeek(timestamp) as day, count() as c from events group by day',
      'last is 9 on 2026-11-15',
    ],
    ["select date_trunc('month', timestamp) as day, count() as c from events group by day", 'none of its'],
  ])('are of the interval that the query rounds to: %s', async (query, found) => {
    const weekly = sql([
      ['2026-11-15', 9],
      ['2026-11-22', 1],
    ]);
    const insight = { ...weekly, query: { kind: 'HogQLQuery', query } };
    expect((await check(insight, "--expect 'last > 0'")).text).toContain(found);
  });
});

describe('an answer that is not whole or not of now', () => {
  const rows = sql([
    ['a', 4],
    ['b', 5],
  ]);

  it.each(['sum', 'count', 'mean', 'min', 'max', 'last', 'previous', 'drop'])(
    'does not hold for %s where rows are cut off',
    async (name) => {
      const { code, text } = await check({ ...rows, hasMore: true }, `--expect '${name} > -1'`);
      expect([code, text.includes('the service has more rows than it sent')]).toEqual([9, true]);
    },
  );

  it('does not hold where it has as many rows as the service cuts at, and does not say', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => [`n${index}`, 1]);
    const cut = await check(sql(hundred, { hasMore: null }), "--expect 'sum == 100'");
    expect([cut.code, cut.text.includes('may have more rows')]).toEqual([9, true]);
    expect((await check(sql(hundred), "--expect 'sum == 100'")).code).toBe(0);
  });

  it('does not hold where values of a breakdown are left out, but for one of them', async () => {
    const insight = { ...soFar, result: [{ ...soFar.result[0], breakdown_value: 'NO' }], hasMore: true };
    expect((await check(insight, "--expect 'last > 0'")).code).toBe(9);
    expect((await check(insight, "--breakdown NO --expect 'last > 0'")).code).toBe(0);
  });

  it('is told by get, in its table, its CSV and its picture', async () => {
    const { hogctl, environment } = await at(NOW, { ...rows, hasMore: true });
    for (const options of ['', '-o csv', '-o json', '--chart']) {
      const { code, stderr } = await hogctl(`insights get 9 ${options}`);
      expect([code, stderr.includes('are incomplete: the service has more rows')]).toEqual([0, true]);
    }
    const file = `${environment.HOGCTL_STATE_DIR}/chart.svg`;
    await hogctl(`insights get 9 --save ${file}`);
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(file, 'utf8')).toContain('Incomplete: the service has more rows');
  });

  it('does not hold, nor is it young, where it is dated in the future', async () => {
    const ahead = { ...soFar, last_refresh: '2026-11-28T13:00:00Z' };
    for (const options of ['--max-age 24h', "--expect 'last > 0'"]) {
      const { code, text } = await check(ahead, options);
      expect([code, text.includes('dated in the future')]).toEqual([9, true]);
    }
    const { hogctl } = await at(NOW, ahead);
    expect((await hogctl('insights get 9 --max-age 24h')).code).toBe(9);
    expect((await hogctl('insights get 9')).stderr).toContain('dated in the future');
    expect((await check({ ...soFar, last_refresh: '2026-11-28T10:00:40Z' }, '--max-age 1h')).code).toBe(0);
  });

  it('is as old as the clock of the service says, whatever the one here does', async () => {
    const { hogctl } = await at(NOW, soFar);
    const now = () => Date.parse('2027-01-01T00:00:00Z');
    expect((await hogctl('insights check 9 --max-age 2h', { now })).code).toBe(0);
    expect((await hogctl('insights get 9 --max-age 2h', { now })).code).toBe(0);
  });

  it('is an older one while the new one is still calculated', async () => {
    const running = { ...soFar, query_status: { complete: false, id: 'q1' } };
    const { code, text } = await check(running, "--refresh async --expect 'last > 0'");
    expect([code, text.includes('still being calculated')]).toEqual([9, true]);
    expect((await check(running, "--expect 'last > 0'")).code).toBe(0);
  });

  it('is saved nowhere where its calculation failed', async () => {
    const failed = { complete: true, error: true, error_message: 'out of memory' };
    const { hogctl, environment } = await at(NOW, { ...soFar, query_status: failed });
    const file = `${environment.HOGCTL_STATE_DIR}/old.csv`;
    const { code, stderr } = await hogctl(`insights get 9 --save ${file}`);
    expect([code, stderr.includes('was not written: the calculation failed: out of memory')]).toEqual([
      6,
      true,
    ]);
    const { existsSync } = await import('node:fs');
    expect(existsSync(file)).toBe(false);
  });

  it('is minded by a funnel as by an insight', async () => {
    const steps = [{ order: 0, name: 'a', count: 3 }];
    const failed = {
      result: steps,
      query_status: { complete: true, error: true, error_message: 'too many' },
    };
    const running = { result: steps, query_status: { complete: false } };
    const { hogctl } = await startService([{ json: failed }, { json: running }]);
    const first = await hogctl('insights funnel --events a,b');
    expect([first.code, first.stderr.includes('the calculation failed: too many')]).toEqual([6, true]);
    expect((await hogctl('insights funnel --events a,b')).stderr).toContain('the figures are older');
  });
});

describe("the service's own words for a breakdown", () => {
  const one = (breakdown_value: string | readonly string[]) => ({
    ...soFar.result[0],
    label: `signup - ${[breakdown_value].flat().join('::')}`,
    breakdown_value,
  });
  const insight = {
    ...soFar,
    result: [one('$$_posthog_breakdown_other_$$'), one(['$$_posthog_breakdown_null_$$', 'NO'])],
  };

  it("are people's words in table and chart, and stay in CSV and JSON", async () => {
    const { hogctl } = await at(NOW, insight);
    for (const options of ['', '--chart']) {
      const { stdout } = await hogctl(`insights get 9 ${options}`);
      expect(stdout).not.toContain('$$_posthog');
      expect([stdout.includes('Other'), stdout.includes('None')]).toEqual([true, true]);
    }
    for (const options of ['-o csv', '-o json'])
      expect((await hogctl(`insights get 9 ${options}`)).stdout).toContain('$$_posthog_breakdown_other_$$');
  });

  it("are people's words in what a check says, and stay in its JSON", async () => {
    const { text } = await check(insight, "--expect 'last >= 1000'");
    expect([text.includes('$$_posthog'), text.includes('for "signup - Other", "Other"')]).toEqual([
      false,
      true,
    ]);
    expect((await check(insight, "--expect 'last >= 1' -o json")).text).toContain(
      '$$_posthog_breakdown_other_$$',
    );
  });

  it('are both taken by --breakdown', async () => {
    for (const value of ['Other', '$$_posthog_breakdown_other_$$', 'None, NO'])
      expect((await check(insight, `--breakdown '${value}' --expect 'last >= 1'`)).code).toBe(0);
    expect((await check(insight, "--breakdown Else --expect 'last >= 1'")).text).toContain(
      'choose from Other, None, NO',
    );
  });

  it('stand in a chart as they do in a label', async () => {
    const series = (label: string, breakdown_value: readonly string[]) => ({
      label,
      breakdown_value,
      data: [1, 2],
      days: ['2026-11-24', '2026-11-25'],
    });
    const none = ['$$_posthog_breakdown_null_$$'];
    const { hogctl } = await at(NOW, {
      query: { kind: 'TrendsQuery', breakdownFilter: { breakdown: 'x' } },
      result: [series(`a - ${none}`, none), series('a', ['NO', 'pro']), series('NO::pro', ['NO', 'pro'])],
    });
    const { stdout } = await hogctl('insights get 9 --chart');
    expect(stdout.split('\n').slice(0, 3)).toEqual(['A a - None', 'B a, NO, pro', 'C NO::pro']);
  });

  it('are None for those of a funnel without a value', async () => {
    const steps = (value: string | null) => [
      { order: 0, name: 'a', count: 3, breakdown_value: value === null ? null : [value] },
      { order: 1, name: 'b', count: 2, breakdown_value: value === null ? null : [value] },
    ];
    const { hogctl } = await at(NOW, {
      query: { kind: 'FunnelsQuery' },
      result: [steps(null), steps('pro'), steps('')],
    });
    for (const options of ['', '--chart'])
      expect((await hogctl(`insights get 9 ${options}`)).stdout).toMatch(/^ *None\b/m);
  });
});
