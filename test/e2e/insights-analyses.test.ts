import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

describe.each(['specification', 'live'] as const)('analyses from options on the sandbox, %s', (dialect) => {
  const { shows } = golden(`insights-analyses-${dialect}`, { dialect });
  const dates = '--date-from 2026-05-25 --date-to 2026-06-14';
  const wide = { terminal: { columns: 80 } };
  shows('draws a trend', `insights trends --events order_completed ${dates}`, wide);
  shows(
    'counts people of two series by week',
    `insights trends --events product_viewed,order_completed --math dau --interval week ${dates}`,
  );
  shows(
    'breaks a trend down',
    `insights trends --events order_completed --interval month --breakdown plan --breakdown-type person -o csv ${dates}`,
  );
  shows(
    'draws retention',
    'insights retention --events product_viewed,order_completed --interval week --intervals 4 --first-time',
    wide,
  );
  shows('draws a lifecycle', 'insights lifecycle --events product_viewed --date-from -7d', wide);
  shows('draws stickiness', 'insights stickiness --events product_viewed --date-from -7d', wide);
  shows('keeps one as an insight', 'insights stickiness --events order_completed --create Regulars -o csv');
  shows('shows it like any other', 'insights get 13 --refresh -o csv');
  shows(
    'keeps a funnel as an insight',
    "insights funnel --events product_viewed,order_completed --create 'To the order' -o csv",
  );
  shows('shows a kept funnel like any other', 'insights get 14 --refresh -o csv');
  const order = 'insights trends --events order_completed --date-from -3d -o csv';
  shows('checks a trend', `${order} --expect 'last >= 1000' --max-drop 5%`);
  shows('says nothing of a trend that is as expected', `${order} --expect 'last >= 1'`);
  shows(
    'checks a funnel',
    "insights funnel --events product_viewed,order_completed --expect 'conversion >= 90' -o csv",
  );
});

describe('an analysis from options', () => {
  const series = [{ label: 'a', data: [1, 2], days: ['2026-01-01', '2026-01-02'] }];
  const asked = async (line: string) => {
    const service = await startService([() => ({ json: { results: series } })]);
    const { code, stderr } = await service.hogctl(line);
    expect(code, stderr).toBe(0);
    return service.log[0]?.json;
  };
  it.each([
    ["trends --events a --expect 'lst > 1'", 'cannot read'],
    ['funnel --events a,b --unfinished', '--expect is missing'],
  ])('is refused before anything is sent: %s', async (line, message) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(`insights ${line}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(service.log).toEqual([]);
  });

  it('does not hold without figures, and keeps the file of --save if it does not hold', async () => {
    const service = await startService([
      { json: { results: [] } },
      () => ({ json: { results: series }, headers: { date: 'Mon, 05 Jan 2026 00:00:00 GMT' } }),
    ]);
    const line = "insights trends --events a --expect 'last > 2'";
    const empty = await service.hogctl(line);
    expect([empty.code, empty.stderr]).toEqual([9, expect.stringContaining('the analysis has no figures')]);
    const file = join(temporaryDirectory(), 'a.csv');
    const { code, stderr } = await service.hogctl(`${line} --save ${file}`);
    expect([code, stderr]).toEqual([9, expect.stringContaining('last is 2 on 2026-01-02')]);
    expect(readFileSync(file, 'utf8')).toContain('a,2026-01-02,2');
  });

  const a = { kind: 'EventsNode', event: 'a' };
  const b = { kind: 'EventsNode', event: 'b' };

  it.each([
    [
      'trends --events a,b --date-from -30d --interval week',
      { kind: 'TrendsQuery', series: [a, b], dateRange: { date_from: '-30d' }, interval: 'week' },
    ],
    [
      'trends --event a --where plan=pro --math sum --math-property value --breakdown country --breakdown-limit 3',
      {
        kind: 'TrendsQuery',
        series: [
          {
            ...a,
            properties: [{ key: 'plan', operator: 'exact', value: 'pro', type: 'event' }],
            math: 'sum',
            math_property: 'value',
          },
        ],
        breakdownFilter: { breakdown: 'country', breakdown_limit: 3 },
      },
    ],
    [
      'retention --events a,b --interval week --intervals 8 --first-time --date-to 2026-01-31',
      {
        kind: 'RetentionQuery',
        dateRange: { date_to: '2026-01-31' },
        retentionFilter: {
          targetEntity: { id: 'a', type: 'events', order: 0 },
          returningEntity: { id: 'b', type: 'events', order: 1 },
          retentionType: 'retention_first_time',
          period: 'Week',
          totalIntervals: 8,
        },
      },
    ],
    [
      'retention --actions 7',
      {
        kind: 'RetentionQuery',
        retentionFilter: {
          targetEntity: { id: 7, type: 'actions', order: 0 },
          returningEntity: { id: 7, type: 'actions', order: 0 },
          retentionType: 'retention_recurring',
        },
      },
    ],
    [
      'lifecycle --events a --property person.properties.plan=pro --filter-test-accounts',
      {
        kind: 'LifecycleQuery',
        series: [a],
        properties: [{ key: 'plan', operator: 'exact', value: 'pro', type: 'person' }],
        filterTestAccounts: true,
      },
    ],
    ['stickiness --events a --interval month', { kind: 'StickinessQuery', series: [a], interval: 'month' }],
  ])('is one query: %s', async (line, query) => {
    expect(await asked(`insights ${line} -o json`)).toEqual({ query });
  });

  it.each([
    ['trends --date-from -7d', 'no event and no action was given'],
    ['trends --events a --math-property value', '--math-property needs --math'],
    ['trends --events a --create ""', '--create is empty'],
    ['lifecycle --events a,b', 'a lifecycle takes one event or action'],
    ['retention --events a,b,c', 'retention takes two events or actions at most'],
    ['retention --events a --date-from -7d', '--date-from'],
    ['stickiness --events a --chart -o csv', '--chart and -o csv cannot be used together'],
  ])('is refused before anything is sent: %s', async (line, words) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl(`insights ${line}`);
    expect([code, stderr.includes(words), service.log]).toEqual([2, true, []]);
  });

  it('is kept as an insight only when its figures came', async () => {
    const failed = { results: null, query_status: { complete: true, error: true, error_message: 'memory' } };
    const service = await startService([{ json: failed }]);
    const { code, stderr } = await service.hogctl('insights trends --events a --create A');
    expect([code, stderr.includes('the calculation failed: memory')]).toEqual([6, true]);
    expect(service.log).toHaveLength(1);
  });

  it('is saved as a picture with a title of its own', async () => {
    const service = await startService([() => ({ json: { results: series, timezone: 'UTC' } })]);
    const file = `${service.environment.HOGCTL_STATE_DIR}/trend.svg`;
    expect((await service.hogctl(`insights trends --events a --save ${file}`)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('<title>Trends: a</title>');
  });
});
