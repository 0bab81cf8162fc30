import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/kinds.ts';
import { readActorsQuery } from '../../../../src/sandbox/analysis/definitions/actors.ts';
import {
  readLegacyRetention,
  readQueryDefinition,
} from '../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../src/sandbox/calculation/question.ts';
import { during, namesOf, type Story, tell } from './stories.ts';

const story: Story = {
  ann: 'view 1, view 2, view 4',
  bob: 'hello 1, view 2 08:00, view 2 09:00',
};
const dateRange = { date_from: '2024-02-01', date_to: '2024-02-04' };

describe('retention', () => {
  const entity = { id: 'view', type: 'events' };
  const body = {
    period: 'Day',
    total_intervals: 4,
    date_to: '2024-02-04',
    target_entity: entity,
    returning_entity: entity,
  };
  const triangle = (definition: JsonObject) => {
    // Retention answers one row for each cohort.
    const rows = calculate(readLegacyRetention({ ...body, ...definition }), {
      ...tell(story),
      ...during(),
    }) as readonly {
      values: readonly { count: number }[];
    }[];
    return rows.map(({ values }) => values.map(({ count }) => count));
  };

  it('answers cohorts in the shape of the service', () => {
    expect(
      calculate(readLegacyRetention({ ...body, total_intervals: 2 }), { ...tell(story), ...during() }),
    ).toEqual([
      {
        date: '2024-02-03T00:00:00Z',
        label: 'Day 0',
        values: [
          { count: 0, label: 'Day 0' },
          { count: 0, label: 'Day 1' },
        ],
      },
      { date: '2024-02-04T00:00:00Z', label: 'Day 1', values: [{ count: 1, label: 'Day 0' }] },
    ]);
  });

  it('counts everybody active in a period as a cohort', () => {
    expect(triangle({})).toEqual([[1, 1, 0, 1], [2, 0, 1], [0, 0], [1]]);
  });

  it('counts each person once, in the period of the very first time', () => {
    const first = { retention_type: 'retention_first_time' };
    expect(triangle(first)).toEqual([[1, 1, 0, 1], [1, 0, 0], [0, 0], [0]]);
    expect(triangle({ ...first, total_intervals: 3 })).toEqual([[1, 0, 0], [0, 0], [0]]);
  });

  it('counts returns by another event than the first', () => {
    const target = { id: 'hello', type: 'events' };
    expect(triangle({ target_entity: JSON.stringify(target) })).toEqual([
      [1, 1, 0, 0],
      [0, 0, 0],
      [0, 0],
      [0],
    ]);
  });

  it('goes by weeks and months of the time zone', () => {
    const weeks = calculate(readLegacyRetention({ ...body, period: 'Week', total_intervals: 1 }), {
      ...tell(story),
      ...during({ timezone: 'America/New_York' }),
    });
    expect(weeks).toMatchObject([
      { date: '2024-02-04T00:00:00-05:00', label: 'Week 0', values: [{ count: 0, label: 'Week 0' }] },
    ]);
    expect(triangle({ period: 'Month', total_intervals: 2 })).toEqual([[0, 0], [2]]);
  });

  it('is read from a query, and lists the persons of a cohort', () => {
    const retentionFilter = {
      period: 'Day',
      totalIntervals: 4,
      targetEntity: entity,
      returningEntity: entity,
    };
    const query = { kind: 'RetentionQuery', retentionFilter, dateRange: { date_to: '2024-02-04' } };
    const expected = calculate(readLegacyRetention(body), { ...tell(story), ...during() });
    expect(calculate(readQueryDefinition(query), { ...tell(story), ...during() })).toEqual(expected);
    const source = { kind: 'InsightActorsQuery', interval: 1, source: query };
    expect(namesOf(readActorsQuery({ source }).find({ ...tell(story), ...during() }))).toEqual([
      'ann',
      'bob',
    ]);
  });

  it('begins with the start date of a query, and follows cohorts as far as asked for', () => {
    const retentionFilter = { period: 'Day', totalIntervals: 2, targetEntity: entity };
    const query = { kind: 'RetentionQuery', retentionFilter, dateRange };
    const rows = calculate(readQueryDefinition(query), { ...tell(story), ...during() });
    expect(rows).toMatchObject([
      { values: [{ count: 1 }, { count: 1 }] },
      { values: [{ count: 2 }, { count: 0 }] },
      { values: [{ count: 0 }, { count: 0 }] },
      { values: [{ count: 1 }] },
    ]);
    expect(rows).toHaveLength(4);
  });

  it('refuses a number of periods that makes no sense', () => {
    expect(() => triangle({ total_intervals: 0 })).toThrow(expect.objectContaining({ status: 400 }));
  });
});
