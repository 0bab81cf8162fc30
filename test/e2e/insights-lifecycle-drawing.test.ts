import { describe, expect, it } from 'vitest';
import { at, daily, NOW } from '../support/dated-insight.ts';

describe('a lifecycle in a terminal', () => {
  const statuses = { new: [40, 2], resurrecting: [1, 3], returning: [20, 30], dormant: [-8, -1] };
  const lifecycle = {
    query: { kind: 'LifecycleQuery' },
    result: Object.entries(statuses).map(([status, data]) => ({
      status,
      label: status,
      ...daily(data).result[0],
      data,
    })),
  };

  it.each([80, 120])('draws every kind on %d columns, and uses the width', async (columns) => {
    const result = lifecycle.result.map((one) => ({ ...one, days: ['2026-11-26', '2026-11-27'] }));
    const { hogctl } = await at(NOW, { ...lifecycle, result });
    const { stdout } = await hogctl('insights get 9', { terminal: { columns } });
    const drawn = stdout.split('\n').filter((line) => line.includes('┤'));
    for (const letter of 'NURD')
      expect(drawn.some((line) => line.toUpperCase().includes(letter.repeat(5)))).toBe(true);
    const days = Array.from({ length: 10 }, (_, index) => `2026-11-${18 + index}`);
    const wide = lifecycle.result.map((one) => ({
      ...one,
      days,
      data: days.map((_, index) => one.data[index % 2]),
    }));
    const filled = await at(NOW, { ...lifecycle, result: wide });
    const picture = await filled.hogctl('insights get 9', { terminal: { columns } });
    const widest = Math.max(
      ...picture.stdout
        .split('\n')
        .filter((line) => line.includes('┼'))
        .map((line) => line.length),
    );
    expect(widest).toBeGreaterThan(columns - 15);
  });
});
