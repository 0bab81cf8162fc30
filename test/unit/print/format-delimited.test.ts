import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/json/kinds.ts';
import { showRows } from './show.ts';

function readStrictly(text: string): string[][] {
  return parse(text, {
    relax_column_count: false,
    relax_quotes: false,
    skip_empty_lines: false,
    record_delimiter: '\n',
  });
}

describe('columns that appear only on later rows', () => {
  const pages = [
    [
      { id: 1, properties: { a: 1 } },
      { id: 3, properties: null, name: 'Ada' },
    ],
    [{ id: 150, properties: { a: 2, plan: 'x', geo: { city: 'Oslo' } }, last_seen_at: '2026-01-01' }],
  ];

  it('keeps every property of every row in one JSON column', async () => {
    const { text } = await showRows(pages, { format: 'csv' });
    expect(text).toBe(
      'id,properties,name\n1,"{""a"":1}",\n3,,Ada\n150,"{""a"":2,""plan"":""x"",""geo"":{""city"":""Oslo""}}",\n',
    );
  });

  it('warns once of a key that first appears on a later page, and does not end well', async () => {
    const late = [{ id: 4, last_seen_at: 'x' }];
    const { text, warnings, failure } = await showRows([...pages, late, late], { format: 'csv' });
    expect(text.split('\n')).toHaveLength(7);
    expect(failure).toBe('this CSV lacks the column "last_seen_at"');
    expect(warnings).toEqual([
      'the column "last_seen_at" appeared after the first page and is left out; list the columns with --columns, or use -o ndjson',
    ]);
  });

  it("puts the command's columns first and adds what else the first page has", async () => {
    const defaultColumns = [{ key: 'name' }, { key: 'properties.a', title: 'a' }];
    const { text } = await showRows(pages, { format: 'csv', defaultColumns });
    expect(text.split('\n')[0]).toBe('name,properties.a,id,properties');
    expect(readStrictly(text).map((record) => record.length)).toEqual([4, 4, 4, 4]);
  });

  it('reaches nested values, positions of lists and keys with dots and $ by --columns', async () => {
    const rows = [
      {
        properties: { 'utm.source': 'ad', $browser: 'Firefox', geo: { city: 'Oslo' } },
        distinct_ids: ['a', 'b'],
      },
      { properties: { utm: { source: 'mail' } }, distinct_ids: [] },
    ];
    const columns = ['properties.utm.source', 'properties.$browser', 'properties.geo.city', 'distinct_ids.1'];
    const { text, warnings } = await showRows([rows], { format: 'csv', columns });
    expect(text).toBe(`${columns.join(',')}\nad,Firefox,Oslo,b\nmail,,,\n`);
    expect(warnings).toEqual([]);
  });

  it('leaves cells of unknown columns empty and names them once', async () => {
    const columns = ['id', 'nope', '__proto__', 'constructor', 'distinct_ids.length'];
    const { text, warnings } = await showRows([[{ id: 1, distinct_ids: [] }], [{ id: 2 }]], {
      format: 'csv',
      columns,
    });
    expect(text).toBe(`${columns.join(',')}\n1,,,,\n2,,,,\n`);
    expect(warnings).toEqual([
      'no row has the columns "nope", "__proto__", "constructor", "distinct_ids.length"',
    ]);
  });

  it('shows keys that carry the names of prototype members when rows own them', async () => {
    const row: Json = JSON.parse('{"__proto__":{"x":1},"constructor":"c"}');
    const { text } = await showRows([[row]], { format: 'csv' });
    expect(text).toBe('__proto__,constructor\n"{""x"":1}",c\n');
  });
});

describe('spreadsheet formulas in property values', () => {
  const hostile = ['=HYPERLINK("http://x.example")', '+cmd', '-2+3', '@sum', '\t=1', '\r=1'];
  const honest = ['-5', '+4512345678', '-1.5e3', 'a=b'];
  const rows = [...hostile, ...honest].map((value) => ({ '=name': value, n: -5 }));

  it('keeps exact bytes by default and says how many cells look like formulas', async () => {
    const { text, warnings } = await showRows([rows], { format: 'csv' });
    expect(readStrictly(text).map(([cell]) => cell)).toEqual(['=name', ...hostile, ...honest]);
    expect(warnings).toEqual([
      '7 text cells look like spreadsheet formulas; add --spreadsheet-safe before you open this in a spreadsheet',
    ]);
  });

  it('neutralises text cells and headers when asked, and leaves numbers alone', async () => {
    const { text, warnings } = await showRows([rows], { format: 'csv', spreadsheetSafe: true });
    expect(text.startsWith('\uFEFF')).toBe(true);
    const records = readStrictly(text.slice(1));
    const isChanged = (cell: string) => /^\+|e3$/.test(cell);
    const expected = [
      ...['=name', ...hostile].map((cell) => `'${cell}`),
      ...honest.map((cell) => (isChanged(cell) ? `'${cell}` : cell)),
    ];
    expect(records.map(([cell]) => cell)).toEqual(expected);
    expect(records.slice(1).every(([, n]) => n === '-5')).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('marks texts of which a spreadsheet makes others, and warns of those that it cuts', async () => {
    const changed = [
      '00123',
      '12345678901234567890',
      '1-3',
      '3/4/21',
      '12E5',
      '1.50',
      '+4512',
      'MAR1',
      '1-Sep',
      'true',
      '1:30',
    ];
    const kept = [
      '123',
      '1.5',
      '2026-01-02',
      '2026-01-02T03:04:05Z',
      'user_1',
      '12E5x',
      'a 1-3',
      'March on',
      '0',
      '0.5',
    ];
    const long = 'x'.repeat(32_768);
    const rows = [...changed, ...kept, long].map((id) => ({ id }));
    const { text, warnings } = await showRows([rows], { format: 'csv', spreadsheetSafe: true });
    const cells = readStrictly(text.slice(1))
      .slice(1)
      .map(([cell]) => cell);
    expect(cells).toEqual([...changed.map((cell) => `'${cell}`), ...kept, long]);
    expect(warnings).toEqual([
      '1 text cell contains more characters than a spreadsheet keeps in one, which is 32,767',
    ]);
    expect((await showRows([rows], { format: 'csv' })).text).toContain('\n00123\n');
  });

  it.each(['csv', 'tsv'] as const)(
    'writes NUL so that a reader does not stop there, as %s',
    async (format) => {
      const { text, warnings } = await showRows([[{ a: 'x\u0000y' }]], { format });
      expect(text).toBe(format === 'tsv' ? 'a\nx\\\\u0000y\n' : 'a\nx\\u0000y\n');
      expect(warnings).toEqual(['1 text cell contains NUL, written as \\u0000; -o ndjson keeps it as it is']);
    },
  );

  it('says nothing when there is nothing to beware of', async () => {
    const { warnings } = await showRows([[{ a: '-5', b: -5 }]], { format: 'csv' });
    expect(warnings).toEqual([]);
  });
});

describe('csv quoting round trips', () => {
  const values = [
    'a,b',
    'say "hi"',
    'a\nb',
    'a\r\nb',
    'a\rb',
    '  padded ',
    '\u2028',
    '🛒',
    'false',
    '\uFEFFx',
  ];

  it('gives back every text through a strict reader', async () => {
    const { text } = await showRows([values.map((value, id) => ({ id, value }))], { format: 'csv' });
    expect(text.startsWith('\uFEFF')).toBe(false);
    expect(readStrictly(text)).toEqual([['id', 'value'], ...values.map((value, id) => [String(id), value])]);
  });

  it('tells null from an empty text and writes booleans as words', async () => {
    const rows = [
      { id: 1, value: null },
      { id: 2, value: '' },
      { id: 3, value: false },
      { id: 4, value: true },
    ];
    const { text } = await showRows([rows], { format: 'csv' });
    expect(text).toBe('id,value\n1,\n2,""\n3,false\n4,true\n');
  });

  it('never writes an empty line for a row', async () => {
    const { text } = await showRows([[{ a: null }, { a: 'x' }]], { format: 'csv' });
    expect(text).toBe('a\n""\nx\n');
  });

  it('holds for any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string()), { minLength: 1 }),
        async (pairs) => {
          const rows = pairs.map(([first, second]) => ({ first, second }));
          const { text } = await showRows([rows], { format: 'csv' });
          expect(readStrictly(text)).toEqual([['first', 'second'], ...pairs]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('prints the header alone for an empty list, and nothing when no column is known', async () => {
    expect(
      (await showRows([[]], { format: 'csv', defaultColumns: [{ key: 'id' }, { key: 'name' }] })).text,
    ).toBe('id,name\n');
    expect((await showRows([], { format: 'csv' })).text).toBe('');
    expect((await showRows([[{ id: 1 }]], { format: 'csv', headers: false })).text).toBe('1\n');
  });
});

describe('tsv', () => {
  it('keeps a row on one line', async () => {
    const rows = [{ a: 'x\ty', b: 'l1\nl2\r', c: 'back\\slash', d: null, e: ['p', 'q'] }];
    const { text } = await showRows([rows], { format: 'tsv' });
    expect(text).toBe('a\tb\tc\td\te\nx\\ty\tl1\\nl2\\r\tback\\\\slash\t\t["p","q"]\n');
  });

  it('has as many lines as rows and as many cells as columns, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: fc.string({ unit: 'binary' }), b: fc.string() }), { minLength: 1 }),
        async (rows) => {
          const { text } = await showRows([rows], { format: 'tsv' });
          const lines = text.split('\n');
          expect(lines.length).toBe(rows.length + 2);
          expect(lines.slice(0, -1).every((line) => line.split('\t').length === 2)).toBe(true);
        },
      ),
    );
  });
});
