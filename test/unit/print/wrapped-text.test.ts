import { describe, expect, it } from 'vitest';
import { showRows } from './show.ts';

describe('a text in the last column of a terminal', () => {
  const remark = 'the events of 2 persons are not known to have gone, pending until Sunday 2026-06-21';

  it('goes on below itself, between words', async () => {
    const rows = [
      { run: 'a', remark },
      { run: 'b', remark: 'done' },
    ];
    const { text } = await showRows([rows], { format: 'table', width: 40 });
    expect(text.split('\n').slice(2, -1)).toEqual([
      'a   │ the events of 2 persons are not',
      '    │ known to have gone, pending until',
      '    │ Sunday 2026-06-21',
      'b   │ done',
    ]);
  });

  it('is cut after four lines, and what is no prose after one', async () => {
    const long = await showRows([[{ run: 'a', remark: `${remark} ${remark} ${remark}` }]], { width: 40 });
    expect(long.text.split('\n').slice(2, -1)).toHaveLength(4);
    expect(long.text).toMatch(/…\n$/);
    const json = await showRows([[{ run: 'a', properties: { remark, other: remark } }]], { width: 40 });
    expect(json.text.split('\n').slice(2, -1)).toHaveLength(1);
  });
});

describe('a text beside others', () => {
  const rows = (owed: string) => [1, 2].map((id) => ({ id, owed, request: `${'x'.repeat(24)}${id}` }));

  const defaultColumns = [{ key: 'id' }, { key: 'owed' }, { key: 'request', kind: 'id' as const }];

  it('goes on below itself if it stands whole on three lines', async () => {
    const pages = [[...rows('all, not confirmed yet'), { id: 3, owed: 'events', request: 'y' }]];
    const { text } = await showRows(pages, { format: 'table', width: 48, defaultColumns });
    expect(text.split('\n').slice(2, 4)).toEqual([
      ` 1 │ all, not        │ ${'x'.repeat(24)}1`,
      '   │ confirmed yet   │ ',
    ]);
  });

  it('is cut on one line if it is longer', async () => {
    const long = 'the events of 2 persons are not known to have gone, pending until Sunday';
    const pages = [[...rows(long), { id: 3, owed: 'events', request: 'y' }]];
    const { text } = await showRows(pages, { format: 'table', width: 48 });
    expect(text.split('\n').slice(2, -1)).toHaveLength(3);
  });
});
