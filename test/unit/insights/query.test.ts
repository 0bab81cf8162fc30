import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeIn } from '../../../src/insights/query-text.ts';
import { hasLimit, sqlQuery, withLimit } from '../../../src/semantics/sql.ts';

describe('a limit on a query', () => {
  it.each([
    ['select 1', 'select 1\nLIMIT 5'],
    ['select 1 ;  ', 'select 1\nLIMIT 5'],
    ['select 1 -- the end', 'select 1 -- the end\nLIMIT 5'],
    [
      "select 'limit 3' from (select 1 limit 9) /* limit */",
      "select 'limit 3' from (select 1 limit 9) /* limit */\nLIMIT 5",
    ],
    ["select 'it''s limit', \"limit\", `limit`", "select 'it''s limit', \"limit\", `limit`\nLIMIT 5"],
    ["select 'a\\' limit 1'", "select 'a\\' limit 1'\nLIMIT 5"],
    ["select {limit} where x = '}'", "select {limit} where x = '}'\nLIMIT 5"],
    ['select 1 union all select 2', 'SELECT * FROM (\nselect 1 union all select 2\n)\nLIMIT 5'],
  ])('is added outside of everything: %s', (sql, limited) => {
    expect(withLimit(sql, 5)).toBe(limited);
    expect(hasLimit(sql)).toBe(false);
  });

  it.each(['select 1 limit 3', 'select 1 LIMIT 3 OFFSET 2', "select ')' limit 2", 'select 1 limit {n}'])(
    'is refused beside another one: %s',
    (sql) => {
      expect(hasLimit(sql)).toBe(true);
      expect(() => withLimit(sql, 5)).toThrow('the query has its own LIMIT');
    },
  );

  it.each([
    'select limit from x',
    'select a.limit, limit5 from x',
    'select a limit 1 by b',
    'select a limit 12 offset 3 by b',
    'select a limit 1, 2 by b',
  ])('is added to what is no limit of rows: %s', (sql) => {
    expect(hasLimit(sql)).toBe(false);
    expect(withLimit(sql, 5)).toBe(`${sql}\nLIMIT 5`);
  });

  it.each([
    ['select 1 union all select 2 limit 5000', false],
    ['select 1 limit 100 union all select 2', false],
    ['select 1 limit 1 union distinct select 2 limit 2', true],
    ['(select 1 limit 5) union all (select 2 limit 4)', true],
    ['(select 1) union all (select 2 limit 4)', false],
    ['select 1 limit 1 by a limit 9', true],
    ['select * from (select 1 union all select 2) limit 5', true],
  ])('counts where each SELECT has one: %s', (sql, limited) => {
    expect(hasLimit(sql)).toBe(limited);
  });

  it('is not found in what is quoted, whatever that is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const quoted = `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")} limit 5'`;
        expect(hasLimit(`select ${quoted}`)).toBe(false);
        expect(hasLimit(`select ${quoted} limit 5`)).toBe(true);
      }),
    );
  });
});

describe('the node of a query', () => {
  it('carries values apart from the text, and asks for one row more than is shown', () => {
    expect(sqlQuery({ sql: 'select {a}', values: { a: "x' or 1" }, limit: 2 })).toEqual({
      kind: 'HogQLQuery',
      query: 'select {a}\nLIMIT 3',
      values: { a: "x' or 1" },
    });
  });

  it('asks for no more than the service answers', () => {
    expect(sqlQuery({ sql: 'select 1', limit: 50_000 }).query).toBe('select 1\nLIMIT 50000');
  });

  it('is left as it was written without a limit', () => {
    expect(sqlQuery({ sql: 'select 1;' })).toEqual({ kind: 'HogQLQuery', query: 'select 1;' });
  });
});

describe('the place that a message names', () => {
  it.each([
    ['select from', 'syntax error (at character 8)', { line: 1, column: 8, text: 'select  >>> from' }],
    ['select from', 'at end (at character 12)', { line: 1, column: 12, text: 'select from >>> end' }],
    ['select a\nfrm b', 'mismatched input at line 2, column 1', { line: 2, column: 1, text: ' >>> frm b' }],
    ['select a\nfrm b', 'at position 10: nothing', { line: 2, column: 1, text: ' >>> frm b' }],
  ])('is shown: %s', (sql, message, place) => {
    expect(placeIn(sql, message)).toEqual(place);
  });

  it.each(['no place', 'at line 9, column 1', 'at character 400', 'at line 1, column 0'])(
    'is not guessed: %s',
    (message) => expect(placeIn('select 1', message)).toBeUndefined(),
  );
});
