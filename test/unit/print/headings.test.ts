import { describe, expect, it } from 'vitest';
import { longestPart, longestWord, titleLines } from '../../../src/print/headings.ts';
import { showRows } from './show.ts';

describe('the title of a column', () => {
  it('is broken at spaces and points first, and at `_` only if it is too wide for that', () => {
    expect(titleLines('last_modified_at', 16)).toEqual(['last_modified_at']);
    expect(titleLines('last_modified_at', 11)).toEqual(['last_', 'modified_at']);
    expect(titleLines('due days_left', 9)).toEqual(['due', 'days_left']);
    expect(titleLines('detail.changes', 9)).toEqual(['detail.', 'changes']);
    expect(longestWord('mean days_left')).toBe(9);
    expect(longestPart('last_modified_at')).toBe(9);
  });

  it('is not broken at `_` if leaving out a minor column does instead', async () => {
    const rows = [1, 2].map((id) => ({ id, name: 'n'.repeat(20 + id), minor: id, last_modified_at: id }));
    const defaultColumns = [
      { key: 'id' },
      { key: 'name', prominent: true },
      { key: 'minor', minor: true as const },
      { key: 'last_modified_at' },
    ];
    const { text } = await showRows([rows], { width: 48, defaultColumns });
    expect(text.split('\n')[0]).toBe('id │ name                   │ last_modified_at');
  });
});

describe('a column that is the same in all rows', () => {
  const row = (run: number, project = 'eu-shop (1)') => ({ run, project, remark: `${'r'.repeat(30)}${run}` });
  const rows = [row(1), row(2)];

  it('becomes a line above a table that would not fit', async () => {
    const { text, notes } = await showRows([rows], { width: 45 });
    expect(text).toBe(
      [
        'project: eu-shop (1)',
        'run │ remark',
        '────┼────────────────────────────────',
        `  1 │ ${'r'.repeat(30)}1`,
        `  2 │ ${'r'.repeat(30)}2`,
        '',
      ].join('\n'),
    );
    expect(notes).toEqual([]);
  });

  it.each([
    ['where it fits', [rows], { width: 80 }],
    ['in a pipe', [rows], {}],
    ['if it was asked for', [rows], { width: 45, columns: ['run', 'project', 'remark'] }],
    ['without headers', [rows], { width: 45, headers: false }],
    ['of one row', [[row(1)]], { width: 45 }],
    ['if it differs in one row', [[...rows, row(3, 'us-shop (2)')]], { width: 45 }],
    ['in CSV', [rows], { width: 45, format: 'csv' as const }],
  ])('stays a column %s', async (_, pages, format) => {
    const { text } = await showRows(pages, format);
    expect(text).not.toContain('project: ');
    expect(text).toContain('eu-shop');
  });

  it('stays a column of figures, which the others are about', async () => {
    const figures = ['found', 'gone'].map((figure) => ({
      figure,
      count: 1,
      remark: 'r'.repeat(40) + figure,
    }));
    const { text } = await showRows([figures], { width: 45 });
    expect(text).toMatch(/^figure │ count │ remark/);
  });

  it('begins another table where a later page has another value', async () => {
    const more = [row(3), row(4, 'us-shop (2)')];
    const { text } = await showRows([rows, [row(5)], more], { width: 45 });
    const [first = '', second = ''] = text.split('\n\n');
    expect(first).toMatch(/^project: eu-shop \(1\)\nrun │ remark\n/);
    expect(first).toMatch(/\n {2}5 │ r+5$/);
    expect(second).toMatch(/^run │ project/);
    expect(second).toMatch(/\n {2}4 │ us-shop/);
  });
});
