import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/json/kinds.ts';
import { insightRows } from '../../../../src/semantics/figures/figures.ts';
import { seriesOf } from '../../../../src/semantics/figures/series.ts';

function seriesIn(result: Json, query: Json, beyond: { readonly columns?: Json } = {}) {
  const answer: JsonObject = { result, query, ...beyond };
  const read = insightRows(answer);
  if (read.outcome !== 'rows') throw new Error('there are rows in every case here');
  const all = seriesOf(read.figures, answer, Date.parse('2026-02-01T00:00:00Z'));
  return all.map(({ label, breakdown, name, period, figures, conversion }) => ({
    label,
    breakdown,
    values: figures.flatMap(({ value, state }) => (state === 'to-come' ? [] : [value])),
    ...(period === null ? {} : { name, period }),
    ...(conversion === undefined ? {} : { conversion }),
  }));
}

const days = ['2026-01-01', '2026-01-02'];

describe('the series of', () => {
  it('trends are told apart though they are called the same', () => {
    const series = [
      { label: '$pageview', data: [1, 2], days },
      { label: '$pageview', data: [3, null], days },
    ];
    expect(seriesIn(series, { kind: 'TrendsQuery' })).toEqual([
      { label: '$pageview (A)', breakdown: null, values: [1, 2] },
      { label: '$pageview (B)', breakdown: null, values: [3, null] },
    ]);
  });

  it('trends say of which period they are, and bear it in their names', () => {
    const series = [
      { label: 'a', data: [1], days, compare_label: 'current', breakdown_value: ['x', 'y'] },
      { label: 'a', data: [9], days, compare_label: 'previous', breakdown_value: ['x', 'y'] },
    ];
    expect(seriesIn(series, { kind: 'TrendsQuery' })).toMatchObject([
      { name: 'a, x, y, current', period: 'current', values: [1, null] },
      { name: 'a, x, y, previous', period: 'previous', values: [9, null] },
    ]);
  });

  it('totals are one figure each', () => {
    const series = [{ label: 'a', aggregated_value: 7, data: [] }];
    expect(seriesIn(series, { kind: 'TrendsQuery', trendsFilter: { display: 'BoldNumber' } })).toMatchObject([
      { label: 'a', values: [7] },
    ]);
  });

  it('funnels are their steps, one for each value of a breakdown', () => {
    const steps = (value: string, counts: readonly number[]) =>
      counts.map((count, order) => ({ order, name: `s${order}`, count, breakdown_value: [value] }));
    expect(seriesIn([steps('NO', [10, 5, 4]), steps('SE', [0, 0, 0])], { kind: 'FunnelsQuery' })).toEqual([
      {
        label: null,
        breakdown: 'NO',
        values: [10, 5, 4],
        conversion: { overall: 40, steps: [null, 50, 80] },
      },
      {
        label: null,
        breakdown: 'SE',
        values: [0, 0, 0],
        conversion: { overall: null, steps: [null, null, null] },
      },
    ]);
  });

  it('lifecycles are the statuses', () => {
    const series = [
      { status: 'new', data: [1, 2], days },
      { status: 'dormant', data: [-3, -4], days },
    ];
    expect(seriesIn(series, { kind: 'LifecycleQuery' })).toMatchObject([
      { label: 'new', values: [1, 2] },
      { label: 'dormant', values: [-3, -4] },
    ]);
  });

  it('retention are its cohorts, without what is still to come', () => {
    const cohorts = [
      {
        date: '2026-01-01',
        label: 'Day 0',
        values: [
          { count: 5, label: 'Day 0' },
          { count: 2, label: 'Day 1' },
        ],
      },
      { date: '2026-01-02', label: 'Day 1', values: [{ count: 4, label: 'Day 0' }] },
    ];
    expect(seriesIn(cohorts, { kind: 'RetentionQuery' })).toMatchObject([
      { label: '2026-01-01', values: [5, 2] },
      { label: '2026-01-02', values: [4] },
    ]);
  });

  it('SQL are the columns that hold figures', () => {
    const rows = [
      ['tea', 3, null],
      ['milk', 4, 1],
    ];
    const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' } };
    expect(seriesIn(rows, query, { columns: ['product', 'n', 'm'] })).toMatchObject([
      { label: 'n', values: [3, 4] },
      { label: 'm', values: [null, 1] },
    ]);
    expect(seriesIn([[null]], query, { columns: ['n'] })).toEqual([]);
  });
});
