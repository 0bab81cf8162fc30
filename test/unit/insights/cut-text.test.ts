import { describe, expect, it } from 'vitest';
import { cutText } from '../../../src/insights/query.ts';

const counted = { sql: 'select 1', limit: undefined, found: 100, shown: 100, hasMore: undefined };

describe('what is said about rows that were cut off', () => {
  it.each([
    [{ hasMore: true }, 'these are the first 100 rows, and there are more; --limit asks for up to 50,000'],
    [{}, 'these are the first 100 rows; there may be more; --limit asks for up to 50,000'],
    [
      { limit: 1, found: 2, shown: 1 },
      'this is the first row, and there are more; a higher --limit shows them',
    ],
    [
      { limit: 50_000, found: 50_000, shown: 50_000 },
      'these are the first 50000 rows; there may be more; continue after the last key, as in WHERE id > {last}',
    ],
    [
      { sql: 'select 1 limit 100', hasMore: true },
      'these are the first 100 rows, and there are more; a higher LIMIT in the query shows them',
    ],
    [
      { sql: 'select 1 limit 1 by event', hasMore: true },
      'these are the first 100 rows, and there are more; --limit asks for up to 50,000',
    ],
    [
      { sql: 'select 1 union all select 2 limit 5000', found: 137, shown: 137 },
      'these are the first 137 rows; there may be more; --limit asks for up to 50,000',
    ],
  ])('is that there are more: %j', (given, text) => {
    expect(cutText({ ...counted, ...given })).toBe(text);
  });

  it.each([
    [{ hasMore: false }],
    [{ found: 99, shown: 99 }],
    [{ sql: 'select 1 limit 100' }],
    [{ limit: 100 }],
    [{ found: 137, shown: 137 }],
    [{ sql: 'select 1 limit 9 union all select 2 limit 500', found: 137, shown: 137 }],
    [{ limit: 5, found: 5, shown: 5, hasMore: false }],
  ])('is nothing where none were: %j', (given) => {
    expect(cutText({ ...counted, ...given })).toBeUndefined();
  });
});
