import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';

const change = (field: string, before: unknown, after: unknown) => ({
  field,
  action: 'changed',
  before,
  after,
});

describe('activity in a table', () => {
  const entry = {
    created_at: '2026-01-05T10:00:00Z',
    user: { email: 'olga@example.org' },
    activity: 'updated',
    item_id: '42',
    detail: {
      changes: [change('plan', 'pro', 'team'), change('vip', true, 'true'), change('city', null, 'Oslo')],
    },
  };
  const other = { ...entry, activity: 'deleted', detail: { changes: [] } };
  const hogctl = async (line: string) => {
    const service = await startService([() => ({ json: { results: [entry, other], next: null } })]);
    return (await service.hogctl(line)).stdout;
  };

  it('has a line for each change', async () => {
    const lines = (await hogctl('persons activity 42')).trim().split('\n').slice(1);
    expect(lines.map((line) => line.trim().split(/ {2,}/).slice(2))).toEqual([
      ['updated', '42', 'plan: pro → team'],
      ['updated', '42', 'vip: true → "true"'],
      ['updated', '42', 'city: (none) → Oslo'],
      ['deleted', '42'],
    ]);
  });

  it('has a line for each entry where other columns are chosen, as CSV has', async () => {
    expect(await hogctl('persons activity 42 --columns activity')).toBe('activity\nupdated\ndeleted\n');
    expect((await hogctl('persons activity 42 -o csv')).trim().split('\n')).toHaveLength(3);
  });
});

describe('a timeline in a table', () => {
  const point = (day: string, relevant_event_count: number, properties: object) => ({
    timestamp: `2026-01-${day}T00:00:00Z`,
    properties,
    relevant_event_count,
  });
  const points = [
    point('01', 2, { plan: 'pro', city: 'Oslo', tags: ['a'] }),
    point('05', 7, { plan: 'team', tags: ['a'], vip: true }),
    point('09', 1, { plan: 'team', tags: ['a'], vip: true }),
  ];
  const timeline = async (count: number) => {
    const service = await startService([{ json: { points: points.slice(0, count) } }]);
    return service.hogctl('persons timeline 42');
  };

  it('says only what changed, a line for each change', async () => {
    const { stdout } = await timeline(3);
    const lines = stdout.trim().split('\n').slice(1);
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['2026-01-01T00:00:00Z', '2', '(start, 3 properties)'],
      ['2026-01-05T00:00:00Z', '7', 'plan: pro → team'],
      ['2026-01-05T00:00:00Z', 'city: Oslo → (none)'],
      ['2026-01-05T00:00:00Z', 'vip: (none) → true'],
      ['2026-01-09T00:00:00Z', '1'],
    ]);
  });

  it('says that nothing changed', async () => {
    expect((await timeline(1)).stderr).toContain('Nothing changed; -o json shows the properties.');
  });
});
