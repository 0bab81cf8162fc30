import { describe, expect, it } from 'vitest';

import { dataOf, series } from './run-trends.ts';

describe('trends', () => {
  it('answer series in the shape of the service', () => {
    expect(series({})).toEqual([
      {
        action: {
          id: 'view',
          type: 'events',
          order: 0,
          name: 'view',
          custom_name: null,
          math: null,
          math_property: null,
          math_group_type_index: null,
          properties: {},
        },
        label: 'view',
        count: 5,
        data: [3, 1, 1],
        days: ['2024-02-01', '2024-02-02', '2024-02-03'],
        labels: ['1-Feb-2024', '2-Feb-2024', '3-Feb-2024'],
      },
    ]);
  });

  it.each<[string, readonly number[], number]>([
    ['total', [3, 1, 1], 5],
    ['dau', [2, 1, 1], 2],
    ['weekly_active', [2, 2, 2], 2],
    ['monthly_active', [2, 2, 2], 2],
    ['unique_session', [1, 0, 1], 2],
    ['sum', [4, 5, 10], 19],
    ['avg', [2, 5, 10], 4.75],
    ['min', [1, 5, 10], 1],
    ['max', [3, 5, 10], 10],
    ['median', [2, 5, 10], 4],
    ['p90', [2.8, 5, 10], 8.5],
    ['avg_count_per_actor', [1.5, 1, 1], 2.5],
    ['max_count_per_actor', [2, 1, 1], 3],
  ])('count by %s', (math, data, total) => {
    const events = [{ id: 'view', math, math_property: 'price' }];
    expect(dataOf({ events })).toEqual([data.map((value) => expect.closeTo(value, 9))]);
    expect(series({ events, display: 'BoldNumber' })).toMatchObject([
      { aggregated_value: expect.closeTo(total, 9), count: 0, data: [], labels: [] },
    ]);
  });

  it('count groups', () => {
    expect(dataOf({ events: [{ id: 'view', math: 'unique_group', math_group_type_index: 0 }] })).toEqual([
      [1, 0, 0],
    ]);
  });

  it('refuse math that is not known, or lacks its property', () => {
    expect(() => series({ events: [{ id: 'view', math: 'magic' }] })).toThrow(
      'The math "magic" is not supported here.',
    );
    expect(() => series({ events: [{ id: 'view', math: 'sum' }] })).toThrow(
      'The math "sum" needs a math_property.',
    );
    expect(() => series({ events: [] })).toThrow('One of events or actions is required.');
  });

  it('look back over the days before the range for active persons', () => {
    const body = {
      events: [{ id: 'view', math: 'weekly_active' }],
      date_from: '2024-02-08',
      date_to: '2024-02-10',
    };
    expect(dataOf(body)).toEqual([[2, 1, 0]]);
  });

  it('add up, each person once where persons are counted', () => {
    const display = 'ActionsLineGraphCumulative';
    expect(series({ display })).toMatchObject([{ data: [3, 4, 5], count: 5 }]);
    expect(dataOf({ display, events: [{ id: 'view', math: 'dau' }] })).toEqual([[2, 2, 2]]);
  });

  it('smooth over the periods before, rounded down', () => {
    expect(series({ smoothing_intervals: 2 })).toMatchObject([{ data: [3, 2, 1], count: 6 }]);
  });

  it('compare with the time before', () => {
    const body = { date_from: '2024-02-02', date_to: '2024-02-03', compare: true };
    expect(series(body)).toMatchObject([
      { compare: true, compare_label: 'current', data: [1, 1], days: ['2024-02-02', '2024-02-03'] },
      { compare: true, compare_label: 'previous', data: [0, 3], days: ['2024-01-31', '2024-02-01'] },
    ]);
  });
});

describe('trends with a breakdown', () => {
  it('give each value a series, greatest first, those without one last', () => {
    expect(
      series({ breakdown: 'page' }).map(({ label, breakdown_value, data }) => [label, breakdown_value, data]),
    ).toEqual([
      ['view - home', 'home', [2, 0, 1]],
      ['view - shop', 'shop', [1, 0, 0]],
      ['view - None', '$$_posthog_breakdown_null_$$', [0, 1, 0]],
    ]);
  });

  it('add what is beyond the limit, or hide it', () => {
    expect(series({ breakdown: 'page', breakdown_limit: 1 })).toMatchObject([
      { breakdown_value: 'home', data: [2, 0, 1] },
      { breakdown_value: '$$_posthog_breakdown_other_$$', label: 'view - Other', data: [1, 1, 0] },
    ]);
    expect(
      series({ breakdown: 'page', breakdown_limit: 1, breakdown_hide_other_aggregation: true }),
    ).toHaveLength(1);
  });

  it('name several properties by a list', () => {
    const breakdowns = [
      { property: 'page', type: 'event' },
      { property: 'price', type: 'event' },
    ];
    expect(series({ breakdowns }).map(({ label, breakdown_value }) => [label, breakdown_value])).toEqual([
      ['view - None::5', ['$$_posthog_breakdown_null_$$', '5']],
      ['view - home::1', ['home', '1']],
      ['view - home::10', ['home', '10']],
      ['view - home::free', ['home', 'free']],
      ['view - shop::3', ['shop', '3']],
    ]);
  });
});
