import { describe, expect, it } from 'vitest';
import { golden } from '../support/golden.ts';
import { startService } from '../support/service.ts';

describe.each(['specification', 'live'] as const)('checks on the sandbox, %s', (dialect) => {
  const { shows } = golden(`insights-check-${dialect}`, { dialect });
  shows('does not pass without a result', "insights check 4 --expect 'conversion > 0'");
  shows(
    'passes what holds',
    "insights check 4 --refresh --expect 'conversion >= 10' --expect 'conversion(2) > 1%'",
  );
  shows('fails what does not hold', "insights check 4 --expect 'conversion >= 99' --expect 'last > first'");
  shows('fails as json', "insights check 4 --expect 'conversion >= 99' -o json");
  shows(
    'holds every series to it',
    "insights check 11 --refresh --expect 'min >= 0' --expect 'sum > 100000'",
  );
  shows('looks at one series', "insights check 12 --refresh --series baskets --expect 'max > 1' -o csv");
  shows('fails for a series that is not there', "insights check 12 --series basket --expect 'max > 1'");
  shows('refuses what it cannot read', "insights check 12 --expect 'max => 1'");
  shows('refuses to expect nothing', 'insights check 12');
});

const days = ['2026-03-01', '2026-03-02'];
const trend = {
  id: 9,
  short_id: 'Ab12',
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } },
  result: [{ label: '$pageview', data: [100, 70], days }],
  last_refresh: '2026-03-03T12:00:00Z',
};
/** A service whose own clock says when it answers. */
const service = (insight: object, date = '2026-03-04T12:00:00Z') =>
  startService([() => ({ json: insight, headers: { date: new Date(date).toUTCString() } })]);

describe('a check', () => {
  it.each([
    ["--expect 'last >= 70' --max-drop 30% --max-age 25h", 0],
    ["--expect 'last >= 71'", 9],
    ['--max-drop 29%', 9],
    ['--max-age 23h', 9],
    ["--series '$pageview' --expect 'count == 2'", 0],
    ["--series other --expect 'count == 2'", 9],
    ["--breakdown Norway --expect 'count == 2'", 9],
  ])('ends with 9 unless it holds: %s', async (options, exit) => {
    const { hogctl } = await service(trend);
    expect((await hogctl(`insights check 9 ${options}`)).code).toBe(exit);
  });

  it('says what was expected and what was found, one sentence for each', async () => {
    const { hogctl } = await service(trend);
    const { stderr } = await hogctl(
      "insights check 9 --expect 'last >= 100' --max-drop 20% --expect 'min > 0'",
    );
    expect(stderr).toBe(
      'error: insight 9 (Ab12): 2 of 3 checks do not hold: expected last >= 100 for "$pageview", but last is 70 on 2026-03-02; expected drop <= 20% for "$pageview", but drop is 30% from 2026-03-01 to 2026-03-02\n',
    );
  });

  const failed = { complete: true, error: true, error_message: 'out of memory' };
  it.each([
    ['null', { result: null }, 'no result'],
    ['missing', { result: undefined }, 'no result'],
    ['empty', { result: [] }, 'no figures'],
    ['without figures', { result: [{ label: 'a', data: [], days: [] }] }, 'has no figures'],
    [
      'of times in which nobody converted',
      {
        query: { source: { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'time_to_convert' } } },
        result: {
          bins: [
            [null, 0],
            [null, 0],
          ],
          average_conversion_time: null,
        },
      },
      'has no figures: its result is empty',
    ],
    ['of nulls', { result: [{ label: 'a', data: [null, null], days }] }, 'the last figure is missing'],
    ['failed', { result: null, query_status: failed }, 'out of memory'],
    ['failed and old', { query_status: failed }, 'out of memory'],
    ['still running', { result: null, query_status: { complete: false } }, 'still being calculated'],
    ['of another shape', { result: 'soon' }, 'cannot be read'],
  ])('never passes on an answer that is %s', async (_, about, text) => {
    const { hogctl } = await service({ ...trend, ...about });
    const { code, stderr } = await hogctl("insights check 9 --expect 'last != 7'");
    expect(code).toBe(9);
    expect(stderr).toContain(text);
  });

  it('does not take an unknown age for a young one', async () => {
    const { hogctl } = await service({ ...trend, last_refresh: null });
    const { code, stderr } = await hogctl('insights check 9 --max-age 9999d');
    expect([code, stderr]).toEqual([
      9,
      'error: insight 9 (Ab12): expected age <= 9999d, but the service does not say when it was calculated\n',
    ]);
  });

  it('passes on the refresh mode', async () => {
    const { hogctl, log } = await service(trend);
    await hogctl("insights check 9 --refresh --expect 'last > 1'");
    await hogctl("insights check 9 --refresh force_blocking --expect 'last > 1'");
    expect(log.map(({ url }) => url)).toEqual([
      '/api/projects/1/insights/9/?refresh=blocking',
      '/api/projects/1/insights/9/?refresh=force_blocking',
    ]);
  });

  it.each(["--expect 'last'", '--max-drop 20', '--max-age soon', ''])(
    'is a usage error before anything is sent: %s',
    async (options) => {
      const { hogctl, log } = await service(trend);
      expect((await hogctl(`insights check 9 ${options}`)).code).toBe(2);
      expect(log).toEqual([]);
    },
  );

  it('does not turn a service that fails into a check that fails', async () => {
    const { hogctl } = await startService([() => ({ status: 403, json: { code: 'permission_denied' } })]);
    expect((await hogctl("insights check 9 --expect 'last > 1'")).code).toBe(4);
  });
});
