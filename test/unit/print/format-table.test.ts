import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/json/kinds.ts';
import type { OutputFormat } from '../../../src/print/rows.ts';
import { showRecord, showRows } from './show.ts';

const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}\p{Surrogate}]/u;

/** A list of rows out of anything, so that no shape of data gets past the properties. */
/** Of each property; `HOGCTL_FUZZ=1000` tries more. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 20);

const anyRows = fc.array(
  fc.dictionary(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }),
    { maxKeys: 6 },
  ),
  { maxLength: 5 },
);

function toRows(values: unknown): Json[] {
  return JSON.parse(JSON.stringify(values));
}

describe('wide and combining characters in tables', () => {
  const names = ['日本語', '👩‍👩‍👧', 'e\u0301', 'ﾹ', 'سلام عليكم', 'x'.repeat(300), '漢字'.repeat(60)];
  const rows = names.map((name, id) => ({ id, name, note: `end ${id}` }));

  it('lines columns up by display width on 80 columns', async () => {
    const { text } = await showRows([rows], { format: 'table', width: 80 });
    const lines = text.split('\n').slice(0, -1);
    const bars = lines.map((line) =>
      [...line.matchAll(/[│┼]/g)].map((bar) => stringWidth(line.slice(0, bar.index))),
    );
    expect(new Set(bars.map(String)).size).toBe(1);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(80);
    expect(text).not.toMatch(/\p{Surrogate}|\uFFFD/u);
    expect(text).toContain('x…');
  });

  it('never cuts a grapheme', async () => {
    const families = '👩‍👩‍👧'.repeat(40);
    const { text } = await showRows([[{ id: 1, text: families }]], { format: 'table', width: 40 });
    const shown = text.split('\n')[2]?.split('│')[1] ?? '';
    expect(shown.trim()).toMatch(/^(👩‍👩‍👧)+…$/u);
  });

  it('writes three dots where the terminal has no Unicode, and a frame of ASCII', async () => {
    const { text } = await showRows([[{ id: 1, name: 'x'.repeat(99) }]], {
      format: 'table',
      width: 40,
      unicode: false,
    });
    expect(text).toMatch(/^[\n\u0020-\u007e]+$/);
    expect(text).toContain('x...');
  });

  it('shortens a list by whole items and says how many are left out', async () => {
    const row = { id: 'a'.repeat(20), distinct_ids: ['one', 'two', 'three', 'four', 'five'] };
    const defaultColumns = [{ key: 'id', kind: 'id' as const }, { key: 'distinct_ids' }];
    const { text } = await showRows([[row]], { format: 'table', width: 40, defaultColumns });
    expect(text.split('\n')[2]).toBe('aaaaaaaaaaaaaaaaaaaa │ one, two, …+3');
  });

  it('never cuts a whole number or an id, also when a later page brings a longer one', async () => {
    const columns = [{ key: 'id', kind: 'id' as const }, { key: 'name' }, { key: 'count' }];
    const row = (id: string, count: number) => ({ id, name: 'n'.repeat(200), count });
    const pages = [[row('a', 1)], [row('b'.repeat(20), 123_456_789)]];
    const { text } = await showRows(pages, { format: 'table', width: 60, defaultColumns: columns });
    expect(text).toContain('b'.repeat(20));
    expect(text).toContain('123456789');
    expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(60);
  });

  it('takes room for a prominent column from the others, as long as they keep their least', async () => {
    const row = {
      id: 12,
      short_id: 'mJsEPXqn',
      title: 'Orders and returns a day',
      favorited: false,
      tags: ['shop', 'plans', 'weekly'],
      last_modified_at: '2026-06-17T12:00:00Z',
    };
    const columns = Object.keys(row).map((key) => ({ key, ...(/id$/.test(key) && { kind: 'id' as const }) }));
    const show = async (width: number, prominent: boolean) => {
      const defaultColumns = columns.map((column) =>
        prominent && column.key === 'title' ? { ...column, prominent } : column,
      );
      return (await showRows([[row]], { format: 'table', width, defaultColumns })).text;
    };
    const nameOf = (text: string) => /Orders[^│…]*/.exec(text)?.[0].trim();
    for (const width of [80, 90]) {
      expect(nameOf(await show(width, true))).toBe(row.title);
      expect(nameOf(await show(width, false))).not.toBe(row.title);
    }
    const narrow = nameOf(await show(66, true)) ?? '';
    expect(narrow.length).toBeGreaterThan(nameOf(await show(66, false))?.length ?? 0);
  });

  describe('a table that is too wide', () => {
    const person = (n: number) => ({
      id: `${n}9bd806c-f989-4798-81da-2e67b1eef993`,
      email: `firstname.lastname${n}@example.org`,
      distinct_ids: [`shopper-077${n}`],
      created_at: `2026-06-${16 + n}T08:59:50Z`,
      tags: n === 1 ? ['shop', 'plans'] : ['shop'],
    });
    const columns = [
      { key: 'id', kind: 'id' as const },
      { key: 'email' },
      { key: 'distinct_ids' },
      { key: 'created_at' },
      { key: 'tags', minor: true as const },
    ];
    const show = (width: number, more: Partial<OutputFormat> = {}) =>
      showRows([[person(1), person(2)]], { format: 'table', width, defaultColumns: columns, ...more });

    it('is left alone where it fits', async () => {
      const { text, notes } = await show(140);
      expect(text).toContain('19bd806c-f989-4798-81da-2e67b1eef993 │ firstname.lastname1@example.org');
      expect(notes).toEqual([]);
    });

    it.each([
      [
        110,
        '19bd806c… │ firstname.lastname1@example.org │ shopper-0771 │ 2026-06-17T08:59:50Z │ shop, plans',
      ],
      [88, '19bd806c… │ firstname.lastname1@example.org │ shopper-0771 │ 2026-06-17 │ shop, plans'],
      [80, '19bd806c… │ firstname.lastname1@example.org │ shopper-0771 │ 2026-06-17'],
    ])('on %i columns shortens ids, then times, then leaves out minor columns', async (width, line) => {
      const { text } = await show(width);
      expect(text.split('\n').find((one) => one.startsWith('19bd'))).toBe(line);
    });

    it('shortens addresses last of all', async () => {
      expect((await show(66)).text).toContain('firstname.lastname1@example.org ');
      expect((await show(45)).text).toContain('  firstname.…  ');
    });

    it('says what it keeps back, and how to get it', async () => {
      expect((await show(80)).notes).toEqual([
        'To fit 80 columns, id is shortened; tags is left out; see --columns or -o csv.',
      ]);
    });

    it('leaves out no column that was asked for', async () => {
      const { text } = await show(60, { columns: ['id', 'email', 'tags'] });
      expect(text).toContain('tags');
      expect(text).toContain('shop, plans');
    });

    it('shortens no ids whose beginnings are alike', async () => {
      const rows = [1, 2].map((n) => ({ ...person(1), id: `19bd806c-f989-4798-81da-2e67b1eef99${n}` }));
      const { text } = await showRows([rows], { format: 'table', width: 80, defaultColumns: columns });
      for (const { id } of rows) expect(text).toContain(id);
    });

    it('shows whole ids where rows stand one below the other', async () => {
      const wide = Array.from({ length: 12 }, (_, n) => ({ key: `a_rather_long_title_${n}` }));
      const { text, notes } = await show(40, { defaultColumns: [...columns, ...wide] });
      expect(text).toContain('-81da-2e67b1eef993');
      expect(text).toContain('tags');
      expect(notes).toEqual([]);
    });
  });

  it('rounds figures on a terminal as charts do, and says so', async () => {
    const rows = [{ text: 'n'.repeat(60), rate: 97.31994645247657, tiny: 0.000123456, big: 1.5e300 }];
    const { text, notes } = await showRows([rows], { format: 'table', width: 50 });
    expect(text.split('\n')[2]).toMatch(/^n+… │ 97\.32 │ 0\.00012 │ 1\.5e\+300$/);
    expect(notes).toEqual(['Figures are rounded to two decimals; -o csv has all digits.']);
    const piped = await showRows([rows], { format: 'table' });
    expect(piped.text).toContain('97.31994645247657');
    expect(piped.notes).toEqual([]);
    const whole = await showRows([[{ count: 1.25 }]], { format: 'table', width: 50 });
    expect(whole.notes).toEqual([]);
  });

  it('breaks titles over lines before it shortens anything', async () => {
    const row = { name: 'n'.repeat(20), success_count: 472, failure_count: 9 };
    const { text } = await showRows([[row]], { format: 'table', width: 44 });
    expect(text).toBe(
      [
        '                     │ success_ │ failure_',
        'name                 │    count │    count',
        '─────────────────────┼──────────┼─────────',
        'nnnnnnnnnnnnnnnnnnnn │      472 │        9',
        '',
      ].join('\n'),
    );
  });

  it('leaves out the lines between columns where they are all that is too much', async () => {
    const row = Object.fromEntries('abcdefghi'.split('').map((key) => [key, 100]));
    const { text } = await showRows([[row]], { format: 'table', width: 44 });
    expect(text.split('\n')[2]).toBe(Array(9).fill('100').join('  '));
  });

  it('shows rows one below the other where the columns do not fit, ids whole', async () => {
    const id = 'x'.repeat(36);
    const columns = [{ key: 'id', kind: 'id' as const }, { key: 'name' }, { key: 'created_at' }];
    const rows = [1, 2].map((n) => ({ id, name: `Ada ${n}`, created_at: '2026-01-02' }));
    const { text } = await showRows([rows.slice(0, 1), rows.slice(1)], {
      format: 'table',
      width: 40,
      defaultColumns: columns,
    });
    expect(text.replace(/\n {12}/g, '')).toBe(
      [1, 2].map((n) => `id          ${id}\nname        Ada ${n}\ncreated_at  2026-01-02\n`).join('\n'),
    );
  });

  it('never prints a line wider than the terminal', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.integer({ min: 40, max: 130 }),
        fc.boolean(),
        async (values, width, unicode) => {
          const rows = toRows(values);
          const record = rows[0] ?? null;
          const list = await showRows([rows, rows], { format: 'table', width, unicode });
          const one = await showRecord(record, { format: 'table', width, unicode });
          for (const line of `${list.text}${one.text}`.split('\n'))
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('escape sequences in data', () => {
  const hostile = 'a\u001b[2J\u001b]0;title\u0007\u001b]52;c;eA==\u0007\u009b\u0007\b\r\n\u202e\u2028';

  it.each([80, undefined])('shows them as visible escapes, width %s', async (width) => {
    const { text } = await showRows([[{ id: 1, [hostile]: hostile, list: [hostile] }]], {
      format: 'table',
      width,
    });
    expect(text).not.toMatch(controls);
    expect(text).toContain('\\u001b[2J');
    expect(
      (await showRecord({ [hostile]: { [hostile]: hostile } }, { format: 'table', width })).text,
    ).not.toMatch(controls);
  });

  it('keeps them out of warnings', async () => {
    const { warnings } = await showRows([[{ id: 1 }], [{ [hostile]: 1 }]], { format: 'table' });
    expect(warnings).toHaveLength(1);
    expect(warnings.join()).not.toMatch(controls);
  });

  it('holds for any data', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.option(fc.constant(80), { nil: undefined }), async (values, width) => {
        const rows = toRows(values);
        const list = await showRows([rows], { format: 'table', width });
        const one = await showRecord(rows[0] ?? null, { format: 'table', width });
        expect(list.text + one.text).not.toMatch(controls);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('table through a pipe', () => {
  const id = 'distinct-'.padEnd(60, '0123456789');

  it('shortens nothing and has neither frame nor colour', async () => {
    const rows = [
      { id: 1, distinct_ids: [id, id, 'c'], name: null },
      { id: 22, distinct_ids: [], name: 'Ada' },
    ];
    const { text } = await showRows([rows], { format: 'table' });
    const list = `${id}, ${id}, c`;
    expect(text).toBe(
      `id  ${'distinct_ids'.padEnd(list.length)}  name\n 1  ${list}\n22  ${' '.repeat(list.length)}  Ada\n`,
    );
  });

  it('prints one header over all pages', async () => {
    const { text } = await showRows([[{ id: 1 }], [{ id: 2 }]], { format: 'table' });
    expect(text).toBe('id\n 1\n 2\n');
    expect((await showRows([[{ id: 1 }], [{ id: 2 }]], { format: 'table', headers: false })).text).toBe(
      '1\n2\n',
    );
  });

  it('colours when told to, piped or not, and only then', async () => {
    const rows = [[{ id: 1, name: 'Ada' }]];
    expect((await showRows(rows, { format: 'table', color: true })).text).toContain('\u001b[1m');
    expect((await showRows(rows, { format: 'table', color: true, width: 80 })).text).toContain('\u001b[1m');
    expect((await showRows(rows, { format: 'table', width: 80 })).text).not.toContain('\u001b');
  });
});

describe('tables', () => {
  it("shows the command's columns under their titles and says nothing of other keys", async () => {
    const defaultColumns = [
      { key: 'short_id', title: 'short id' },
      { key: 'created_by.email', title: 'by' },
    ];
    const row = { id: 1, short_id: 'abc', created_by: { email: 'a@b.c' } };
    const shown = await showRows([[row], [{ ...row, late: 1 }]], { format: 'table', defaultColumns });
    expect(shown).toEqual({
      text: 'short id  by\nabc       a@b.c\nabc       a@b.c\n',
      notes: [],
      warnings: [],
    });
    const chosen = await showRows([[row]], { format: 'table', defaultColumns, columns: ['by', 'id'] });
    expect(chosen.text).toBe('by     id\na@b.c   1\n');
  });

  it('says that a list is empty on stderr and prints nothing', async () => {
    const shown = await showRows([[]], { format: 'table', width: 80, defaultColumns: [{ key: 'id' }] });
    expect(shown).toEqual({ text: '', notes: ['no rows'], warnings: [] });
  });

  it('shows one answer as keys and values, nested objects by their path', async () => {
    const record = {
      id: 42,
      distinct_ids: ['a', 'b,c'],
      properties: { plan: 'pro', geo: { city: 'Oslo' }, none: {} },
    };
    const { text } = await showRecord(record, { format: 'table' });
    expect(text).toBe(
      'id                   42\ndistinct_ids         a, "b,c"\nproperties.plan      pro\nproperties.geo.city  Oslo\nproperties.none      {}\n',
    );
    const value = await showRecord(record, { format: 'table', columns: ['properties.plan'], headers: false });
    expect(value.text).toBe('pro\n');
  });

  it('wraps long values of one answer on a terminal', async () => {
    const { text } = await showRecord({ name: 'abcdefghij'.repeat(5) }, { format: 'table', width: 40 });
    expect(text).toBe('name  abcdefghijabcdefghijabcdefghijabcd\n      efghijabcdefghij\n');
  });

  it('shows an answer that is a list as one', async () => {
    expect((await showRecord([{ id: 1 }, { id: 2 }], { format: 'table' })).text).toBe('id\n 1\n 2\n');
    expect((await showRecord({ id: 1 }, { format: 'csv' })).text).toBe('id\n1\n');
    expect((await showRecord('done', { format: 'table' })).text).toBe('value  done\n');
  });
});
