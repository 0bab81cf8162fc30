import { describe, expect, it } from 'vitest';
import { startService } from './service.ts';

describe('rows of a query', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => [index]);
  it.each([
    ['select 1 limit 1 by event', 100, true, 'there are more'],
    ['select limit from x', 100, undefined, 'there may be more'],
    ['select 1 union all select 2', 200, undefined, 'there may be more'],
    ['select 1 union all select 2', 137, undefined, 'there may be more'],
    ['select 1 union all select 2 limit 5000', 137, undefined, 'there may be more'],
    ['select 1 limit 100 union all select 2', 200, undefined, 'there may be more'],
    ['select 1 limit 100000', 50_000, true, 'there are more'],
  ])('are never cut off without a word: %s, %i rows', async (text, count, hasMore, told) => {
    const { hogctl } = await startService([{ json: { results: rows(count), columns: ['n'], hasMore } }]);
    const { code, stderr } = await hogctl(['query', text, '-o', 'ndjson']);
    expect([code, stderr.includes(told)]).toEqual([0, true]);
  });

  it('take --limit beside LIMIT n BY', async () => {
    const { hogctl, log } = await startService([
      { json: { results: rows(3), columns: ['n'], hasMore: false } },
    ]);
    expect((await hogctl(['query', 'select a limit 2 by a', '--limit', '1000'])).code).toBe(0);
    expect(JSON.stringify(log[0]?.json)).toContain('LIMIT 1001');
  });

  it('are none where the answer tells an error', async () => {
    const { hogctl } = await startService([
      { json: { results: [], columns: ['n'], error: 'no such field' } },
    ]);
    const { code, stderr } = await hogctl(['query', 'select 1']);
    expect([code, stderr.includes('no such field')]).toEqual([5, true]);
  });
});
