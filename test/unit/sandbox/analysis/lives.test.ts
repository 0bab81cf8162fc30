import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/kinds.ts';
import {
  readActorsQuery,
  readLifecyclePersons,
  readStickinessPersons,
} from '../../../../src/sandbox/analysis/definitions/actors.ts';
import {
  readLegacyLifecycle,
  readLegacyStickiness,
  readQueryDefinition,
} from '../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../src/sandbox/calculation/question.ts';
import { during, namesOf, type Story, tell } from './stories.ts';

const story: Story = {
  ann: 'view 1, view 2, view 4',
  bob: 'hello 1, view 2 08:00, view 2 09:00',
};
const FOUR_DAYS = { events: [{ id: 'view' }], date_from: '2024-02-01', date_to: '2024-02-04' };
const nodes = [{ kind: 'EventsNode', event: 'view' }];
const dateRange = { date_from: '2024-02-01', date_to: '2024-02-04' };

describe('a lifecycle', () => {
  const statuses = (result: unknown) =>
    // A lifecycle answers four series.
    Object.fromEntries(
      (result as readonly { status: string; data: number[] }[]).map(({ status, data }) => [status, data]),
    );

  it('tells new, returning, resurrecting and dormant persons apart', () => {
    const expected = {
      new: [1, 0, 0, 0],
      returning: [0, 1, 0, 0],
      resurrecting: [0, 1, 0, 1],
      dormant: [0, 0, -2, 0],
    };
    expect(statuses(calculate(readLegacyLifecycle(FOUR_DAYS), { ...tell(story), ...during() }))).toEqual(
      expected,
    );
    const query = { kind: 'LifecycleQuery', series: nodes, dateRange };
    expect(statuses(calculate(readQueryDefinition(query), { ...tell(story), ...during() }))).toEqual(
      expected,
    );
  });

  it('lists the persons of a status and a day', () => {
    const find = (status: string, day: string) =>
      namesOf(
        readLifecyclePersons({ ...FOUR_DAYS, lifecycle_type: status, target_date: day }).find({
          ...tell(story),
          ...during(),
        }),
      );
    expect(find('dormant', '2024-02-03')).toEqual(['ann', 'bob']);
    expect(find('resurrecting', '2024-02-02')).toEqual(['bob']);
    expect(() => find('sleeping', '2024-02-02')).toThrow(/"sleeping" is not a status/);
    const source = {
      kind: 'InsightActorsQuery',
      status: 'new',
      day: '2024-02-01',
      source: { kind: 'LifecycleQuery', series: nodes, dateRange },
    };
    expect(namesOf(readActorsQuery({ source }).find({ ...tell(story), ...during() }))).toEqual(['ann']);
  });

  it('starts weeks on Monday', () => {
    const [series] = calculate(readLegacyLifecycle({ ...FOUR_DAYS, interval: 'week' }), {
      ...tell(story),
      ...during(),
    }) as JsonObject[];
    expect(series?.days).toEqual(['2024-01-29']);
  });
});

describe('stickiness', () => {
  it('counts persons by the number of periods in which they were active', () => {
    expect(calculate(readLegacyStickiness(FOUR_DAYS), { ...tell(story), ...during() })).toMatchObject([
      {
        label: 'view',
        count: 2,
        data: [1, 0, 1, 0],
        days: [1, 2, 3, 4],
        labels: ['1 day', '2 days', '3 days', '4 days'],
      },
    ]);
  });

  it('counts at least so many periods where that is asked for', () => {
    const query = {
      kind: 'StickinessQuery',
      series: nodes,
      dateRange,
      stickinessFilter: { computedAs: 'cumulative' },
    };
    expect(calculate(readQueryDefinition(query), { ...tell(story), ...during() })).toMatchObject([
      { data: [2, 1, 1, 0] },
    ]);
    const source = { kind: 'StickinessActorsQuery', day: 1, source: query };
    const find = (more: JsonObject) =>
      namesOf(readActorsQuery({ source: { ...source, ...more } }).find({ ...tell(story), ...during() }));
    expect(find({})).toEqual(['ann', 'bob']);
    expect(find({ operator: 'exact' })).toEqual(['bob']);
    expect(find({ operator: 'lte', day: 2 })).toEqual(['bob']);
  });

  it('lists the persons of exactly so many periods', () => {
    const find = (days: number) =>
      namesOf(
        readStickinessPersons({ ...FOUR_DAYS, stickiness_days: days }).find({
          ...tell(story),
          ...during(),
        }),
      );
    expect([find(1), find(2), find(3)]).toEqual([['bob'], [], ['ann']]);
  });
});
