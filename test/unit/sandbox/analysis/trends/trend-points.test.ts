import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/json/kinds.ts';
import {
  readActorsQuery,
  readTrendsPersons,
} from '../../../../../src/sandbox/analysis/definitions/actors.ts';
import {
  readLegacyTrends,
  readQueryDefinition,
} from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../../src/sandbox/calculation/question.ts';
import { during, namesOf, tell } from '../stories.ts';
import { dataOf, series, story, THREE_DAYS } from './run-trends.ts';

describe('trends with a formula', () => {
  const events = [{ id: 'view' }, { id: 'buy' }];

  it('answer one series that is calculated', () => {
    expect(series({ events, formula: 'B / A * 100 - (A + -1)' })).toMatchObject([
      { action: null, label: 'Formula (B / A * 100 - (A + -1))', data: [-2, 0, 100] },
    ]);
  });

  it('give 0 for a division by 0', () => {
    expect(dataOf({ events, formula: 'A/B' })).toEqual([[0, 0, 1]]);
  });

  it.each(['A +', '(A', 'A B', 'C', 'A ** 2', '1.2.3'])('refuse %s', (formula) => {
    expect(() => series({ events, formula })).toThrow(
      expect.objectContaining({ status: 400, attr: 'formula' }),
    );
  });
});

describe('the persons behind trends', () => {
  const find = (body: JsonObject) =>
    namesOf(
      readTrendsPersons({ entity_id: 'view', entity_type: 'events', ...body }).find({
        ...tell(story),
        ...during(),
      }),
    );

  it('are those of the dates that are asked for', () => {
    expect(find({ date_from: '2024-02-01', date_to: '2024-02-01' })).toEqual(['ann', 'bob']);
    expect(find({ date_from: '2024-02-02', date_to: '2024-02-02' })).toEqual(['bob']);
    expect(find({ ...THREE_DAYS, entity_id: 'buy' })).toEqual(['ann']);
  });

  it('are those of a value of the breakdown, also of none and of Other', () => {
    const body = { ...THREE_DAYS, breakdown: 'page' };
    expect(find({ ...body, breakdown_value: 'shop' })).toEqual(['ann']);
    expect(find({ ...body, breakdown_value: '$$_posthog_breakdown_null_$$' })).toEqual(['bob']);
    expect(find({ ...body, breakdown_limit: 1, breakdown_value: '$$_posthog_breakdown_other_$$' })).toEqual([
      'ann',
      'bob',
    ]);
  });

  it('are those of a day of a query', () => {
    const source = {
      kind: 'TrendsQuery',
      series: [
        { kind: 'EventsNode', event: 'buy' },
        { kind: 'EventsNode', event: 'view' },
      ],
      dateRange: { date_from: '2024-02-01', date_to: '2024-02-03' },
    };
    const ask = (more: JsonObject) =>
      namesOf(
        readActorsQuery({ source: { kind: 'InsightActorsQuery', source, ...more } }).find({
          ...tell(story),
          ...during(),
        }),
      );
    expect(ask({ series: 1, day: '2024-02-03' })).toEqual(['ann']);
    expect(ask({ series: 1 })).toEqual(['ann', 'bob']);
    expect(() => ask({ series: 2 })).toThrow('Series 2 does not exist.');
  });
});

describe('a trends query', () => {
  it('calculates what the old filters do', () => {
    const query = {
      kind: 'InsightVizNode',
      source: {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: 'view', math: 'dau' }],
        dateRange: THREE_DAYS,
        interval: 'day',
        breakdownFilter: { breakdown: 'page', breakdown_type: 'event' },
        trendsFilter: { display: 'ActionsBarValue', smoothingIntervals: 1 },
        compareFilter: { compare: false },
      },
    };
    const events = [{ id: 'view', math: 'dau', properties: null }];
    const old = { events, ...THREE_DAYS, breakdown: 'page', display: 'ActionsBarValue' };
    const expected = calculate(readLegacyTrends(old), { ...tell(story), ...during() });
    expect(calculate(readQueryDefinition(query), { ...tell(story), ...during() })).toEqual(expected);
  });
});
