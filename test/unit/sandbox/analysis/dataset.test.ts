import { describe, expect, it } from 'vitest';
import { type AnalysisPerson, datasetOfColumns } from '../../../../src/sandbox/analysis/dataset.ts';

const persons: readonly AnalysisPerson[] = ['ann', 'bob', 'cat'].map((name, id) => ({
  id,
  uuid: name,
  distinct_ids: [name],
  properties: {},
  created_at: null,
}));

describe('a dataset of columns', () => {
  const read: number[] = [];
  const dataset = datasetOfColumns({
    persons,
    length: 3,
    person: Int32Array.of(0, 0, 2),
    event: ['a', 'b', 'c'],
    timestamp: Float64Array.of(1, 2, 3),
    properties: (row) => {
      read.push(row);
      return { row };
    },
  });

  it('yields the events of one person after the other, and may be walked again', () => {
    for (const _walk of [1, 2]) {
      const found = [...dataset.people()].map(({ person, events }) => [
        person.uuid,
        events.map(({ event }) => event),
      ]);
      expect(found).toEqual([
        ['ann', ['a', 'b']],
        ['cat', ['c']],
      ]);
    }
  });

  it('reads properties when they are asked for, and once', () => {
    read.length = 0;
    const [first] = dataset.people();
    expect(read).toEqual([]);
    expect([first?.events[1]?.properties, first?.events[1]?.properties]).toEqual([{ row: 1 }, { row: 1 }]);
    expect(read).toEqual([1]);
  });
});
