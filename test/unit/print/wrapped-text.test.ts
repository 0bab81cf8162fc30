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
