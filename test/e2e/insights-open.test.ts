import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at, daily, NOW } from '../support/dated-insight.ts';

describe('a chart of intervals that are not over', () => {
  it('says so, and leads to them with dots in a picture', async () => {
    const { hogctl, environment } = await at(NOW, daily([100, 100, 100, 8]));
    expect((await hogctl('insights get 9 --chart')).stdout).toContain('2026-11-28 is not over yet.');
    const file = `${environment.HOGCTL_STATE_DIR}/chart.svg`;
    await hogctl(`insights get 9 --save ${file}`);
    const svg = readFileSync(file, 'utf8');
    expect(svg).toContain('2026-11-28 is not over yet.');
    expect(svg.match(/stroke-dasharray="1 4"/g)).toHaveLength(1);
  });

  it('says of days to come that they follow, and nothing of days that are over', async () => {
    const chart = async (data: readonly number[]) => {
      const { hogctl } = await at(NOW, daily(data));
      return (await hogctl('insights get 9 --chart')).stdout;
    };
    expect(await chart([100, 100, 90, 8, 0, 0])).toContain('2026-11-28 and later are not over yet.');
    expect(await chart([100, 100, 90])).not.toContain('not over');
  });

  const cohorts = {
    query: { kind: 'RetentionQuery', retentionFilter: { period: 'Day' } },
    result: ['26', '27', '28'].map((day, row) => ({
      date: `2026-11-${day}T00:00:00Z`,
      label: `Day ${row}`,
      values: [{ count: 40 }, { count: 20 }, { count: 5 }].slice(0, 3 - row),
    })),
  };

  const boxes = {
    query: { kind: 'TrendsQuery', trendsFilter: { display: 'BoxPlot' } },
    result: [],
    boxplot_data: ['2026-11-27', '2026-11-28'].map((day) => ({
      day,
      min: 1,
      p25: 2,
      median: 3,
      mean: 3,
      p75: 4,
      max: 5,
    })),
  };

  it('names the breakdown of a cohort once', async () => {
    const result = [['$$_posthog_breakdown_null_$$'], ['NO', 'pro']].flatMap((breakdown_value) =>
      cohorts.result.slice(0, 1).map((cohort) => ({ ...cohort, breakdown_value })),
    );
    const { hogctl } = await at(NOW, { ...cohorts, result });
    const { stdout } = await hogctl('insights get 9 --chart');
    expect(stdout).toMatch(/^None 2026-11-26 /m);
    expect(stdout).toMatch(/^NO pro 2026-11-26 /m);
  });

  it.each([
    ['retention', cohorts, ['13%*', '50%*', '40*'], [/ 40 +20 +5\* *$/m, / 40\* *$/m]],
    ['box plots', boxes, ['2026-11-28*'], [/ 1\* .* 3\* .* 5\* *$/m, / 1 .* 3 .* 5 *$/m]],
  ])('marks those of %s, in a picture and a table too', async (_kind, answer, marks, rows) => {
    const { hogctl, environment } = await at(NOW, answer);
    const file = `${environment.HOGCTL_STATE_DIR}/chart.svg`;
    await hogctl(`insights get 9 --save ${file}`);
    const drawn = (await hogctl('insights get 9 --chart')).stdout.replaceAll('\n', ' ');
    for (const text of [drawn, readFileSync(file, 'utf8')])
      expect([...marks, '* is not over yet.'].filter((mark) => !text.includes(mark))).toEqual([]);
    const table = await hogctl('insights get 9');
    for (const row of rows) expect(table.stdout).toMatch(row);
    expect(table.stderr).toContain('* is not over yet.');
    expect((await hogctl('insights get 9 -o csv')).stdout).not.toContain('*');
  });

  it('marks no figure that was over', async () => {
    const { hogctl } = await at('2026-11-30T10:00:00Z', cohorts);
    expect((await hogctl('insights get 9 --chart')).stdout).not.toContain('*');
  });
});
